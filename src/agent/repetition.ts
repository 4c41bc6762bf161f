import { toCanonicalJson } from "#protocol/canonical-json";
import { Problem } from "#protocol/errors";
import type { CheckedCall, RejectedCall } from "./calls.ts";
import type { Call, Outcome } from "./events.ts";

/** A call that was made before, and how it ended if it did. */
export type PastCall = { call: CheckedCall | RejectedCall; outcome: Outcome | undefined };

/** How often one and the same call may be made in a generation: once, and again after something changed or failed. */
const ATTEMPTS = 3;

/**
 * Whether a call only repeats what the generation did already, so that a model which runs in circles is stopped, no write happens twice
 * unless the first one surely did nothing, and a no of the person holds for the whole turn (case G09).
 */
export function findRepetition(checked: CheckedCall, past: PastCall[]): Problem | { denied: string } | undefined {
  const key = callKey(checked);
  const same = past.filter(({ call }) => !("problem" in call) && callKey(call) === key);
  const denied = same.find(({ outcome }) => outcome && "denied" in outcome)?.outcome;
  if (denied && "denied" in denied) return { denied: `Denied by the person before: ${denied.denied}` };
  const writes = checked.access !== "read";
  if (same.length >= ATTEMPTS || (writes && same.some(({ outcome }) => mayHaveWritten(outcome)))) {
    const words = `This same call of ${checked.toolName} was made already; its result is above. Do not repeat it.`;
    return new Problem("IDEMPOTENCY_CONFLICT", words, { hint: "", details: { repeated: true } });
  }
  return undefined;
}

/** The calls of a stored generation as they count for {@link repetition}. */
export function toPastCalls(
  calls: { call: Call; outcome: Outcome | undefined }[],
  check: (call: Call) => CheckedCall | RejectedCall,
): PastCall[] {
  return calls.map(({ call, outcome }) => ({ call: check(call), outcome }));
}

function mayHaveWritten(outcome: Outcome | undefined): boolean {
  if (outcome === undefined || "output" in outcome) return true;
  return "problem" in outcome && outcome.problem.code === "OUTCOME_UNKNOWN";
}

function callKey({ toolName, parsed }: CheckedCall): string {
  return toCanonicalJson([toolName, parsed]);
}
