import type { PassageStyle } from "./passage.ts";
import type { Reading } from "./understand.ts";

/** A call of a tool. */
export type PlannedCall = { tool: string; input: Reading["input"] };

/** A call that the planner wants made. `clause` is the request in the sentence that it belongs to. */
export type PlannedToolCall = PlannedCall & { clause: number };

/**
 * The planner's decision: calls, or a text. `pending` is the open request to continue with the next message; an
 * `unknown` text says that the request was not understood.
 */
export type PlannerDecision =
  | { calls: PlannedToolCall[] }
  | { text: string; pending?: PendingRequest; unknown?: boolean };

/** A call that must run first, and the field of the next call that takes its result. */
export type FeedCall = PassageStyle & { read: PlannedCall; field: string };

/**
 * What one request of a sentence comes to. `changes`: what comes after it has to wait for it. `others`: the same request
 * to other services, should this one not have the thing. `leftOut`: words that were not taken into account. `later`: what
 * is missing may be a result of the requests before.
 */
export type ClauseOutcome =
  | {
      kind: "calls";
      calls: PlannedCall[];
      changes: boolean;
      feed?: FeedCall;
      others?: PlannedCall[];
      leftOut?: string;
    }
  | { kind: "missing"; reading: Reading; feed?: FeedCall; leftOut?: string; later?: boolean }
  | { kind: "words"; text: string; unknown?: string };

/** Ids of the planner's calls say which request they belong to, so that the next step knows what is done. */
export function createCallId(clause: number, unique: string): string {
  return `call_${clause}_${unique}`;
}

/** The request that a call belongs to, by its id. */
export function parseClauseIndex(id: string): number {
  return Number(/^call_(\d+)_/.exec(id)?.[1] ?? 0);
}

/** What people filled in for each request of a sentence, by the names of the fields. */
export type FormAnswers = Record<number, Record<string, unknown>>;

/** A request that lacks something which was asked for, and what was answered so far. Travels with the question in the conversation. */
export type PendingRequest = { request: string; answers: FormAnswers; clause: number };
