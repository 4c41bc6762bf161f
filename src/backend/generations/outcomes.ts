import type { Call, Outcome, ToolOutput } from "../agent/events.ts";
import { type KeptProblem, keptProblem, reopened } from "../agent/kept-problem.ts";
import type { StoredCall } from "../store/calls.ts";

/** An outcome as its row keeps it. */
export function storedOutcome(outcome: Outcome): object {
  if ("output" in outcome) return { output: outcome.output };
  if ("denied" in outcome) return { denied: outcome.denied };
  return { problem: keptProblem(outcome.problem) };
}

/** The row of a call that has run and that a person is still to look at; it is not over yet. */
export function storedRun(outcome: Outcome): object {
  return { ran: storedOutcome(outcome) };
}

/** A call as the model made it. */
export function callOf({ toolCallId, tool, input }: StoredCall): Call {
  return { toolCallId, toolName: tool, input };
}

/** How a stored call ended, if it has. */
export function outcomeOf(stored: StoredCall): Outcome | undefined {
  const outcome = stored.outcome as Kept | { ran: Kept } | null;
  return outcome === null || "ran" in outcome ? undefined : opened(callOf(stored), outcome);
}

/** What a stored call came to that has run and is not over. */
export function ranOf(stored: StoredCall): Outcome | undefined {
  const outcome = stored.outcome as Kept | { ran: Kept } | null;
  return outcome !== null && "ran" in outcome ? opened(callOf(stored), outcome.ran) : undefined;
}

type Kept = { output: ToolOutput } | { denied: string } | { problem: KeptProblem };

function opened(call: Call, outcome: Kept): Outcome {
  if ("output" in outcome) return { call, output: outcome.output };
  if ("denied" in outcome) return { call, denied: outcome.denied };
  return { call, problem: reopened(outcome.problem) };
}
