import { Problem } from "#protocol/errors";
import { toCanonicalJson } from "#protocol/json";
import type { Call, Outcome } from "../events.ts";
import { type CheckedCall, type RejectedCall, toCall } from "./checked-call.ts";

/** A call that was made before, with its outcome if it ended. */
export type PastCall = { call: CheckedCall | RejectedCall; outcome: Outcome | undefined };

/** How often a generation may make an identical call: once, and again after something changed or failed. */
const ATTEMPTS = 3;

/**
 * Returns the outcome of a call that repeats a past one and therefore is not made, or undefined if it may be made. This
 * prevents double writes unless the first one certainly did nothing, stops a model that loops, and applies a denial to
 * the whole turn.
 */
export function findRepetition(checked: CheckedCall, past: PastCall[]): Outcome | undefined {
  const { toolCallId, toolName, input, access } = checked;
  const call = { toolCallId, toolName, input };
  const key = buildCallKey(checked);
  const repeats = past.filter(({ call }) => !("problem" in call) && buildCallKey(call) === key);
  const denied = repeats.find(({ outcome }) => outcome && "denied" in outcome)?.outcome;
  if (denied && "denied" in denied) return { call, denied: denied.denied };
  if (repeats.length >= ATTEMPTS) {
    const words = `This exact call of ${toolName} was already made; its result is above. Do not repeat it.`;
    return { call, problem: new Problem("IDEMPOTENCY_CONFLICT", words, { hint: "", details: { repeated: true } }) };
  }
  const first = access === "read" ? undefined : repeats.find(({ outcome }) => mayHaveWritten(outcome));
  return first && repeatOutcome(call, checked.tool.service, first.outcome);
}

/** A completed write returns its result again. A write with an unknown outcome is not repeated either. */
function repeatOutcome(call: Call, from: string, outcome: Outcome | undefined): Outcome {
  if (outcome && "problem" in outcome) return { call, problem: outcome.problem };
  if (outcome && "output" in outcome)
    return { call, output: { ...outcome.output, text: `${ALREADY_DONE}\n\n${outcome.output.text}`, repeated: true } };
  const text = "This exact call is already in this message. It is made once, and the other call has its result.";
  return { call, output: { from, text, data: null, repeated: true } };
}

const ALREADY_DONE =
  "Already done: the same call was made earlier in this request, so it was not made again. Its result:";

/**
 * Returns the problem that ends a turn when all calls of a step fail as they did before: a model that repeats a wrong
 * call makes no progress.
 */
export function findFailureLoop(step: (CheckedCall | RejectedCall)[], past: PastCall[]): Problem | undefined {
  const rejectedCount = countRejected(past);
  if (rejectedCount >= MOST_REJECTED && step.every(isRejected)) {
    const words = `The model made ${rejectedCount} calls in a row that no tool accepts and was stopped.`;
    return new Problem("MODEL_FAILED", `${words}${describeLast(past.at(-1)?.outcome)}`, { hint: LOOP_HINT });
  }
  const failures = step.map((call) =>
    past.filter((pastCall) => buildLoopKey(pastCall.call) === buildLoopKey(call) && hasFailed(pastCall)),
  );
  if (!failures.every((attempts) => attempts.length >= ATTEMPTS)) return undefined;
  const words = `The model made the same failing call ${ATTEMPTS} times and was stopped.`;
  return new Problem("MODEL_FAILED", `${words}${describeLast(failures[0]?.at(-1)?.outcome)}`, { hint: LOOP_HINT });
}

function describeLast(outcome: Outcome | undefined): string {
  return outcome && "problem" in outcome ? ` ${outcome.problem.message}` : "";
}

const LOOP_HINT = "Rephrase the request, or choose another model with `kay config set model`.";

/** Rejected calls in a row that end a turn, whatever their input: the model saw the reason for each. */
const MOST_REJECTED = 8;

/** Counts the calls at the end that no tool accepted. */
function countRejected(past: PastCall[]): number {
  const accepted = past.findLastIndex(({ call }) => !isRejected(call));
  return past.length - 1 - accepted;
}

function isRejected(call: CheckedCall | RejectedCall): boolean {
  return "problem" in call;
}

/** Whether a past call may have changed something. */
export function hasWritten({ call, outcome }: PastCall): boolean {
  if ("problem" in call || call.access === "read" || outcome === undefined) return false;
  return mayHaveWritten(outcome) && !("output" in outcome && outcome.output.planned);
}

/** Returns the problem with a hint about what was done: after a write, another attempt would do it twice. */
export function withWritesDone(problem: Problem, past: PastCall[]): Problem {
  const summaries = past.flatMap((pastCall) =>
    "summary" in pastCall.call && hasWritten(pastCall) ? [pastCall.call.summary] : [],
  );
  if (summaries.length === 0) return problem;
  const { code, message, details, cause } = problem;
  const list = [...new Set(summaries)].slice(0, MAX_LISTED).join("; ");
  const more = new Set(summaries).size > MAX_LISTED ? ", and more" : "";
  const hint = `Already done: ${list}${more}. Check the result before you ask again.`;
  return new Problem(code, message, { hint, details, cause });
}

/** How many writes a hint names. */
const MAX_LISTED = 3;

function hasFailed({ outcome }: PastCall): boolean {
  return outcome !== undefined && "problem" in outcome;
}

function buildLoopKey(call: CheckedCall | RejectedCall): string {
  const { toolName, input } = toCall(call);
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
