import { fromStoredProblem, type StoredProblem, toStoredProblem } from "#agent/calls/suspended-calls";
import type { Call, Outcome, ToolOutput } from "#agent/events";
import type { StoredCall } from "../../store/calls.ts";

/** Converts an outcome to its stored form. */
export function toStoredOutcome(outcome: Outcome): object {
  if ("output" in outcome) return { output: outcome.output };
  if ("denied" in outcome) return { denied: outcome.denied };
  return { problem: toStoredProblem(outcome.problem) };
}

/** Converts the outcome of a call that still needs a review to its stored form. */
export function toStoredRun(outcome: Outcome): object {
  return { ran: toStoredOutcome(outcome) };
}

/** Returns a stored call as the model made it. */
export function toCall({ toolCallId, tool, input }: StoredCall): Call {
  return { toolCallId, toolName: tool, input };
}

/** Returns how a stored call ended, if it has. */
export function getOutcome(call: StoredCall): Outcome | undefined {
  const outcome = call.outcome as StoredOutcome | { ran: StoredOutcome } | null;
  return outcome === null || "ran" in outcome ? undefined : toOutcome(toCall(call), outcome);
}

/** Returns the outcome of a stored call that has run but is not settled. */
export function getRanOutcome(call: StoredCall): Outcome | undefined {
  const outcome = call.outcome as StoredOutcome | { ran: StoredOutcome } | null;
  return outcome !== null && "ran" in outcome ? toOutcome(toCall(call), outcome.ran) : undefined;
}

type StoredOutcome = { output: ToolOutput } | { denied: string } | { problem: StoredProblem };

function toOutcome(call: Call, outcome: StoredOutcome): Outcome {
  if ("output" in outcome) return { call, output: outcome.output };
  if ("denied" in outcome) return { call, denied: outcome.denied };
  return { call, problem: fromStoredProblem(outcome.problem) };
}
