import { isErrorCode, Problem } from "#protocol/errors";
import type { Call, Outcome, ToolOutput } from "../agent/events.ts";
import type { StoredCall } from "../store/calls.ts";

/** An outcome as its row keeps it. The cause of a problem is for the log alone and is not kept. */
export function storedOutcome(outcome: Outcome): object {
  if ("output" in outcome) return { output: outcome.output };
  if ("denied" in outcome) return { denied: outcome.denied };
  const { code, message, hint, details } = outcome.problem;
  return { problem: { code, message, hint, details } };
}

/** A call as the model made it. */
export function callOf({ toolCallId, tool, input }: StoredCall): Call {
  return { toolCallId, toolName: tool, input };
}

/** How a stored call ended, if it has. */
export function outcomeOf(stored: StoredCall): Outcome | undefined {
  const call = callOf(stored);
  const outcome = stored.outcome as
    | { output: ToolOutput }
    | { denied: string }
    | { problem: { code: string; message: string; hint: string; details: Record<string, unknown> } }
    | null;
  if (outcome === null) return undefined;
  if ("output" in outcome) return { call, output: outcome.output };
  if ("denied" in outcome) return { call, denied: outcome.denied };
  const { code, message, hint, details } = outcome.problem;
  return { call, problem: new Problem(isErrorCode(code) ? code : "SERVICE_FAILED", message, { hint, details }) };
}
