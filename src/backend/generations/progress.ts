import type { Allowance } from "#agent/calls/checked-call";
import type { OutputMismatch } from "#agent/output";
import type { StoredGeneration } from "../store/generation-row.ts";
import type { GenerationProgress, RemoteTurn, UsedTokens } from "../store/generation-state.ts";
import { changeGeneration, type GenerationChange } from "../store/generations.ts";
import type { DbConnection } from "../store/schema.ts";
import { addTokens } from "./usage.ts";

/** Everything that changes the progress of a generation. */
export type ProgressEvent =
  | { type: "began"; historyLength: number }
  | { type: "approved" }
  | { type: "approval-spent" }
  | { type: "allowed"; toolCallId: string; allowance: Allowance }
  | { type: "auth-requested"; services: readonly string[] }
  | { type: "auth-declined"; services: readonly string[] }
  | { type: "output-mismatch"; mismatch: OutputMismatch }
  | { type: "shortening-asked"; keep: number }
  | { type: "shortened" }
  | { type: "agent-asked"; turn: RemoteTurn }
  | { type: "tokens-used"; used: UsedTokens };

/** Returns the progress after an event. */
export function advanceProgress(progress: GenerationProgress, event: ProgressEvent): GenerationProgress {
  switch (event.type) {
    case "began":
      return { ...progress, historyLength: event.historyLength };
    case "approved":
      return { ...progress, approval: "granted" };
    case "approval-spent":
      return { ...progress, approval: "none" };
    case "allowed":
      return { ...progress, allowances: { ...progress.allowances, [event.toolCallId]: event.allowance } };
    case "auth-requested": {
      const authAttempts = { ...progress.authAttempts };
      for (const service of event.services) authAttempts[service] = (authAttempts[service] ?? 0) + 1;
      return { ...progress, authAttempts };
    }
    case "auth-declined":
      return { ...progress, declinedServices: [...new Set([...progress.declinedServices, ...event.services])] };
    case "output-mismatch":
      return { ...progress, correction: event.mismatch };
    case "shortening-asked":
      return { ...progress, history: { kind: "asking", keep: event.keep, round: getNextRound(progress) } };
    case "shortened": {
      const { history } = progress;
      return history.kind === "asking" ? { ...progress, history: { ...history, kind: "newest" } } : progress;
    }
    case "agent-asked":
      return { ...progress, remote: event.turn };
    case "tokens-used":
      return { ...progress, used: progress.used ? addTokens(progress.used, event.used) : event.used };
  }
}

/** Returns the number of the next question whether to shorten the conversation. A question that is open keeps its number. */
export function getNextRound({ history }: GenerationProgress): number {
  if (history.kind === "full") return 1;
  return history.kind === "asking" ? history.round : history.round + 1;
}

/** Applies an event to a generation that this node has not claimed, in one statement with `change`. */
export async function advanceGeneration(
  tx: DbConnection,
  { id, request, progress }: StoredGeneration,
  event: ProgressEvent,
  change: GenerationChange = {},
): Promise<void> {
  await changeGeneration(tx, id, { ...change, state: { request, progress: advanceProgress(progress, event) } });
}
