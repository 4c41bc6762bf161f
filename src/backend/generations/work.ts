import type { ModelMessage } from "ai";
import type { HeldCall, Wait } from "#agent/events";
import type { Receipt } from "#protocol/ask";
import type { Problem } from "#protocol/errors";
import { withLogFields } from "#telemetry/log";
import { getTraceId, type Span, traceSpan } from "#telemetry/trace";
import type { BackendPorts } from "../ports.ts";
import type { StoredGeneration } from "../store/generation-row.ts";
import type { GenerationProgress, GenerationRequest } from "../store/generation-state.ts";
import { changeGeneration, type GenerationChange } from "../store/generations.ts";
import type { DbConnection } from "../store/schema.ts";
import type { Writer } from "./events/writer.ts";
import { advanceProgress, type ProgressEvent } from "./progress.ts";

/** The row of a generation as it was claimed, without its progress, which changes while the node works on it. */
export type ClaimedRow = Omit<StoredGeneration, "progress">;

/** A generation that this node works on. */
export type ClaimedGeneration = {
  readonly ports: BackendPorts;
  readonly row: ClaimedRow;
  readonly request: GenerationRequest;
  readonly writer: Writer;
  /** Returns its current progress. */
  progress(): GenerationProgress;
  /**
   * Applies an event and stores the progress, in one statement with `change`: in a transaction of the writer, or at once
   * without `tx`. Nothing else writes the progress of a claimed generation here.
   *
   * @throws LostGeneration
   */
  advance(event: ProgressEvent, tx?: DbConnection, change?: GenerationChange): Promise<void>;
  /** Applies events and returns the change for the writer to store together with parts. */
  advanceChange(events: ProgressEvent[], change?: GenerationChange): GenerationChange;
};

export function createClaimedGeneration(
  ports: BackendPorts,
  stored: StoredGeneration,
  writer: Writer,
): ClaimedGeneration {
  const { progress: before, ...row } = stored;
  const { id, request } = row;
  let progress = before;
  const apply = (events: ProgressEvent[], change: GenerationChange) => {
    for (const event of events) progress = advanceProgress(progress, event);
    return { ...change, ...(events.length > 0 ? { state: { request, progress } } : {}) };
  };
  return {
    ports,
    row,
    request,
    writer,
    progress: () => progress,
    async advance(event, tx, change = {}) {
      const generation = apply([event], change);
      await (tx ? changeGeneration(tx, id, generation) : writer.commit([], { generation }));
    },
    advanceChange: (events, change = {}) => apply(events, change),
  };
}

/** A generation that this node is running: its control, its listeners, and whether an event arrived since it began. */
export type ActiveRun = {
  control: RunControl;
  listeners: Set<() => void>;
  mustRepeat: boolean;
  /** The latest `wake_at` of its row that was handled. */
  news?: number;
  ended: Promise<RunResult | undefined>;
};

/** @param ending signals of this node: it closes, or hands its work over */
export function createActiveRun(ending: Pick<RunControl, "closing" | "handing">): ActiveRun {
  const listeners = new Set<() => void>();
  const onChange = (again: () => void) => {
    listeners.add(again);
    return () => void listeners.delete(again);
  };
  return {
    control: { stop: new AbortController(), ...ending, onChange },
    listeners,
    mustRepeat: false,
    ended: Promise.resolve(undefined),
  };
}

/** Outcome of a run of the loop. */
export type LoopResult =
  | { kind: "answered"; text: string; output?: { value: unknown }; unanswered?: boolean }
  | { kind: "held"; message: ModelMessage; calls: HeldCall[]; text: string }
  | { kind: "auth"; integrations: string[] }
  | { kind: "waiting"; waits: Wait[] }
  | { kind: "error"; problem: Problem }
  | { kind: "cancelled" };

/** Outcome of a generation's run at this node. `isLast`: no other generation of its conversation is open. */
export type RunResult = LoopResult & { row: ClaimedRow; failed: Problem[]; receipts: Receipt[]; isLast?: boolean };

/** Signals and state that control a run. */
export type RunControl = {
  /** Ends the work, always with the default reason, which the AI SDK recognizes as an abort. */
  stop: AbortController;
  /** Why it was stopped, for users. Without it, the work is left to another node. */
  reason?: string;
  /** Fires when this node begins to end: work that only waits moves to another node at once. */
  closing: AbortSignal;
  /** Fires when another node should continue: the run stops between two steps of the model. */
  handing: AbortSignal;
  /** Set if a claim could not be released: the node number that holds it. */
  unreleased?: number;
  /** Called when something arrives that a call may wait for. */
  onChange(again: () => void): () => void;
};

/** Runs a generation as one span of its trace. Log lines written in the meantime name the generation. */
export async function traceRun(
  { ports, row, request }: ClaimedGeneration,
  node: number,
  work: () => Promise<RunResult | undefined>,
): Promise<RunResult | undefined> {
  const place = { parent: request.traceparent ?? null, attributes: { "kay.generation": row.id, "kay.node": node } };
  const slice = (span?: Span) => {
    const fields = {
      generation: row.id,
      conversation: row.conversation_id,
      node,
      trace: getTraceId(span?.traceparent),
    };
    return withLogFields(fields, async () => {
      const end = await work();
      span?.set({ "kay.end": end?.kind ?? "left" });
      return end;
    });
  };
  return await traceSpan(ports.observe, "generation", place, slice, (end) =>
    end?.kind === "error" ? end.problem.code : undefined,
  );
}
