import { toCanonicalJson } from "#protocol/canonical-json";
import { Problem } from "#protocol/errors";
import type { CheckedCall, RejectedCall } from "./calls.ts";
import type { Call, Outcome } from "./events.ts";

/** A call that was made before, with its outcome if it ended. */
export type PastCall = { call: CheckedCall | RejectedCall; outcome: Outcome | undefined };

/** How often a generation may make an identical call: once, and again after something changed or failed. */
const ATTEMPTS = 3;

/**
 * Returns a problem or an earlier denial if a call repeats a past one. This stops a model that loops,
 * prevents double writes unless the first one certainly did nothing, and applies a denial to the whole turn.
 */
export function findRepetition(checked: CheckedCall, past: PastCall[]): Problem | { denied: string } | undefined {
  const key = buildCallKey(checked);
  const same = past.filter(({ call }) => !("problem" in call) && buildCallKey(call) === key);
  const denied = same.find(({ outcome }) => outcome && "denied" in outcome)?.outcome;
  if (denied && "denied" in denied) return { denied: `The user already denied this: ${denied.denied}` };
  const writes = checked.access !== "read";
  if (same.length >= ATTEMPTS || (writes && same.some(({ outcome }) => mayHaveWritten(outcome)))) {
    const words = `This exact call of ${checked.toolName} was already made; its result is above. Do not repeat it.`;
    return new Problem("IDEMPOTENCY_CONFLICT", words, { hint: "", details: { repeated: true } });
  }
  return undefined;
}

/** Converts the calls of a stored generation for {@link findRepetition}. */
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

function buildCallKey({ toolName, parsed }: CheckedCall): string {
  return toCanonicalJson([toolName, parsed]);
}
