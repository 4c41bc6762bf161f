import type { ModelMessage } from "ai";
import type { HeldCall, Wait } from "#agent/events";
import type { Receipt } from "#protocol/ask";
import type { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import type { StoredGeneration } from "../store/generations.ts";
import type { GenerationRecord } from "./generation-record.ts";
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

/** What a run of the loop came to. */
export type LoopResult =
  | { kind: "answered"; text: string; output?: { value: unknown } }
  | { kind: "held"; message: ModelMessage; calls: HeldCall[]; text: string }
  | { kind: "auth"; integrations: string[] }
  | { kind: "waiting"; waits: Wait[] }
  | { kind: "error"; problem: Problem }
  | { kind: "cancelled" };

/** What a generation came to while this node worked on it. */
export type RunResult = LoopResult & { row: StoredGeneration; failed: Problem[]; receipts: Receipt[] };

/** What steers it meanwhile. */
export type RunControl = {
  /** Ends the work; always with the default reason, which the AI SDK takes for an abort. */
  stop: AbortController;
  /** Why it was stopped, for people. Without it the work is left as it is, for another node. */
  reason?: string;
  /** Fires when this node begins to end: what only waits for somebody else is left to another one at once. */
  closing: AbortSignal;
  /** Fires when another node is to go on with what this one does: it is left between two steps of the model. */
  handing: AbortSignal;
  /** Set when a claim could not be given back: the number under which this node holds it. */
  unreleased?: number;
  /** Called back when something came that a call may wait for. */
  onChange(again: () => void): () => void;
};
