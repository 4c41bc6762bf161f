import type { BackendPorts } from "../ports.ts";
import type { StoredGeneration } from "../store/generations.ts";
import type { GenerationRecord } from "./generation-record.ts";
import type { RunControl, RunResult } from "./run.ts";
import type { Writer } from "./writer.ts";

/** A generation that this node works on: its row as it was claimed, what was asked, and where what becomes of it is written. */
export type ClaimedGeneration = {
  ports: BackendPorts;
  row: StoredGeneration;
  options: GenerationRecord;
  writer: Writer;
};

/** A generation that this node works on: what steers it, who is told that something came for it, and whether that happened since it began. */
export type ActiveRun = {
  control: RunControl;
  listeners: Set<() => void>;
  again: boolean;
  ended: Promise<RunResult | undefined>;
};

/** @param ending fires when this node ends, see {@link SliceControl} */
export function createActiveRun(ending: Pick<RunControl, "closing" | "handing">): ActiveRun {
  const listeners = new Set<() => void>();
  const onChange = (again: () => void) => {
    listeners.add(again);
    return () => void listeners.delete(again);
  };
  return {
    control: { stop: new AbortController(), ...ending, onChange },
    listeners,
    again: false,
    ended: Promise.resolve(undefined),
  };
}
