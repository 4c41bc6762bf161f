import { Problem } from "#protocol/errors";
import { isGenerationEnd } from "#protocol/numbered-parts";
import type { BackendPorts } from "../../ports.ts";
import { findLastEventNumber } from "../../store/events.ts";
import { retryWhileAway } from "../../store/round-trips.ts";
import type { StoredEvent } from "../../store/schema-work.ts";
import type { Engine } from "../engine.ts";
import type { RunResult } from "../work.ts";
import { loadRunResult } from "./run-result.ts";

/** Interval in ms at which the rows are checked even if the log did not grow: a conversation may have been deleted. */
const LOOK_AGAIN = 15_000;

/** A generation that a caller waits for. A `queued` one starts when the one before it ends. */
type AttendedGeneration = { conversationId: string; generationId: string; queued?: boolean };

/**
 * Runs a generation while a caller waits for it, and waits for its end wherever it runs: at this node, at another one
 * that took it over, or after a fault or an absence of the database it recovers from.
 * @throws Problem OUTCOME_UNKNOWN with `state: "running"` when this node ends first; the work then continues elsewhere
 */
export async function attendGeneration(
  ports: BackendPorts,
  engine: Engine,
  { conversationId, generationId, queued = false }: AttendedGeneration,
  signal: AbortSignal,
): Promise<RunResult> {
  const stopGeneration = () => void engine.stop(generationId, "The caller has disconnected.").catch(() => {});
  signal.addEventListener("abort", stopGeneration, { once: true });
  if (signal.aborted) stopGeneration();
  try {
    // Another node took over, or a fault was recorded: the rows have the outcome.
    const end = queued ? undefined : await engine.run(generationId).catch(() => undefined);
    // A node that stops also reports its remaining work as cancelled.
    if (end && end.kind !== "cancelled" && end.kind !== "waiting") return end;
    return await engine.trackWaiter(follow(ports, engine, { conversationId, generationId }));
  } finally {
    signal.removeEventListener("abort", stopGeneration);
  }
}

async function follow(
  ports: BackendPorts,
  { hub, closed }: Engine,
  { conversationId, generationId }: AttendedGeneration,
): Promise<RunResult> {
  for (;;) {
    const { after, end } = await retryWhileAway(async () => ({
      after: await findLastEventNumber(ports.db, conversationId),
      end: await loadRunResult(ports, generationId),
    }));
    if (end) return end;
    if (closed.aborted)
      throw new Problem("OUTCOME_UNKNOWN", "This backend is shutting down. The request continues.", {
        hint: "Run `kay sessions show latest` in a moment.",
        details: { state: "running", session_id: conversationId, generation_id: generationId },
      });
    const until = AbortSignal.any([AbortSignal.timeout(LOOK_AGAIN), closed]);
    for await (const events of hub.follow(conversationId, after, until))
      if (events.some((event) => mayChangeState(event, generationId))) break;
  }
}

/** Whether an event may change the state of a generation. */
function mayChangeState({ part, generationId }: StoredEvent, id: string): boolean {
  return generationId === id && (part.type === "data-status" || isGenerationEnd(part));
}
