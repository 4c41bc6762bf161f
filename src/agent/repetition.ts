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

/**
 * Returns why a turn ends when all calls of a step fail as they did before: a model that repeats a wrong call does not get any further.
 */
export function findFailureLoop(step: (CheckedCall | RejectedCall)[], past: PastCall[]): Problem | undefined {
  const failures = step.map((call) =>
    past.filter((each) => buildLoopKey(each.call) === buildLoopKey(call) && hasFailed(each)),
  );
  if (!failures.every((same) => same.length >= ATTEMPTS)) return undefined;
  const last = failures[0]?.at(-1)?.outcome;
  const why = last && "problem" in last ? ` ${last.problem.message}` : "";
  return new Problem("MODEL_FAILED", `The model made the same failing call ${ATTEMPTS} times and was stopped.${why}`, {
    hint: "Rephrase the request, or choose another model with `kay config set model`.",
  });
}

/** Whether a past call may have changed something. */
export function hasWritten({ call, outcome }: PastCall): boolean {
  return !("problem" in call) && call.access !== "read" && outcome !== undefined && mayHaveWritten(outcome);
}

function hasFailed({ outcome }: PastCall): boolean {
  return outcome !== undefined && "problem" in outcome;
}

function buildLoopKey(call: CheckedCall | RejectedCall): string {
  const { toolName, input } = "problem" in call ? call.call : call;
  return toCanonicalJson([toolName, input ?? null]);
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
