import type { Incoming } from "#net/ports";
import { sleepOrThrow } from "#net/retry-after";
import { type ErrorCode, Problem } from "#protocol/errors";
import { type BackendConnection, getHost } from "./backend-connection.ts";
import { isWebPage, parseJsonObject, toProblem } from "./failure.ts";
import { type Call, readAnswer, toAnswerContext } from "./send-call.ts";

/** A conversation, and the number of the event before the first one of interest. */
export type StreamPosition = { sessionId: string; after: number };

/** Outcome of a write, as far as the backend knows. */
export type WriteOutcome =
  /** `place`: where a running stream can be followed. */
  | { state: "running"; place?: StreamPosition }
  | { state: "interrupted" }
  | { state: "unknown" }
  /** The backend stores keys, and this one never arrived. */
  | { state: "absent" }
  | { state: "done"; status: number; answer: unknown };

type GetCall = (call: Call) => Promise<Incoming>;

/**
 * `GET /requests/:key`. Returns `absent` for a key that never arrived, and `unknown` from a backend that does not have
 * this call.
 */
export async function fetchOutcome(
  backend: BackendConnection,
  key: string,
  get: GetCall,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  const call: Call = { method: "GET", path: `/requests/${encodeURIComponent(key)}`, timeoutMs, signal };
  try {
    const answer = await get(call);
    const { OutcomeResponse } = await import("#protocol/ask");
    const outcome = readAnswer(OutcomeResponse, answer, toAnswerContext(backend, call), "the answer of GET /requests");
    if (outcome.state === "done") return { state: "done", status: outcome.status ?? 200, answer: outcome.answer };
    const { state, session_id: sessionId, after = 0 } = outcome;
    return state === "running" && sessionId !== undefined ? { state, place: { sessionId, after } } : { state };
  } catch (error) {
    if (!(error instanceof Problem) || error.details.http_status !== 404) throw error;
    return { state: error.details.state === "absent" ? "absent" : "unknown" };
  }
}

/**
 * Sends a write exactly once. If its answer is lost (broken connection, gateway error, timeout), or reports only that
 * the backend failed, its outcome is looked up. A finished write returns its answer; any other outcome is
 * OUTCOME_UNKNOWN.
 */
export async function sendOnce(
  backend: BackendConnection,
  call: Call,
  key: string,
  ports: { send: (call: Call) => Promise<Incoming>; lookUp: () => Promise<WriteOutcome> },
): Promise<Incoming> {
  try {
    return checkComplete(backend, await ports.send(call));
  } catch (error) {
    return await recoverAnswer(backend, call, key, error, ports.lookUp);
  }
}

/** Returns the answer to a write unless it is empty or incomplete. */
export function checkComplete(backend: BackendConnection, answer: Incoming): Incoming {
  if (answer.status === 204 || parseJsonObject(answer.body) || isWebPage(answer)) return answer;
  throw truncatedProblem(`${getHost(backend)} answered ${answer.status}, but the answer was cut off.`);
}

/** Creates the error for an answer that ended early, so that the outcome of a write is unknown. */
export function truncatedProblem(message: string): Problem {
  return new Problem("BAD_ANSWER", message, { details: { cut_off: true } });
}

/** Looks up the answer to a write that failed with this error; throws the error if the answer was not lost. */
async function recoverAnswer(
  backend: BackendConnection,
  call: Call,
  key: string,
  error: unknown,
  lookUp: () => Promise<WriteOutcome>,
): Promise<Incoming> {
  const outcome = await lookUpOutcome(backend, call, error, lookUp);
  if (!("state" in outcome)) return outcome;
  throw outcomeUnknownProblem(outcome.state, error as Problem, call, key);
}

/**
 * Like the lookup of {@link sendOnce}, for a write whose answer is a stream. Returns where a running one can be
 * followed.
 */
export async function recoverStream(
  backend: BackendConnection,
  call: Call,
  key: string,
  error: unknown,
  lookUp: () => Promise<WriteOutcome>,
): Promise<Incoming | StreamPosition> {
  const outcome = await lookUpOutcome(backend, call, error, lookUp);
  if (!("state" in outcome)) return outcome;
  if (outcome.state === "running" && outcome.place) return outcome.place;
  throw outcomeUnknownProblem(outcome.state, error as Problem, call, key);
}

async function lookUpOutcome(
  backend: BackendConnection,
  call: Call,
  error: unknown,
  lookUp: () => Promise<WriteOutcome>,
): Promise<Incoming | Exclude<WriteOutcome, { state: "done" | "absent" }>> {
  if (!(error instanceof Problem)) throw error;
  const isFailure = isBackendFailure(error, call);
  if (!isLost(error) && !isFailure) throw error;
  const outcome = await (isFailure
    ? lookUpPatiently(backend, call, lookUp)
    : lookUp().catch((): WriteOutcome => ({ state: "unknown" })));
  if (outcome.state === "done") return replayAnswer(backend, call, outcome);
  if (isFailure && outcome.state === "absent") throw notTakenProblem(error);
  return outcome.state === "absent" ? { state: "unknown" } : outcome;
}

/** Whether the request may have run although the backend's answer did not arrive. */
function isLost(problem: Problem): boolean {
  if (["UNREACHABLE", "TIMED_OUT"].includes(problem.code))
    return problem.details.sent === true || problem.details.http_status === 408;
  return problem.code === "BAD_GATEWAY" || problem.details.cut_off === true;
}

/** Writes whose keys a backend stores. All other writes can be repeated safely. */
const STORED = /^\/(ask|ask\/confirm|tools\/[^/]+\/call|sessions\/[^/]+\/interactions\/[^/]+)$/;

/** Failures of the work itself, which are final. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "MODEL_FAILED",
  "MODEL_NOT_CONFIGURED",
  "AGENT_FAILED",
  "SERVICE_FAILED",
  "SERVICE_NOT_CONFIGURED",
  "ACCOUNT_MISMATCH",
  "NOT_CONNECTED",
  "TOOL_CHANGED",
  "CONFIRMATION_USED",
  "INTERACTION_CLOSED",
  "INTERACTION_UNAVAILABLE",
  "GENERATION_CLOSED",
  "BAD_ANSWER",
]);

/**
 * Whether the backend reported only that it failed or is busy, so that the outcome of the write is unknown. An answer
 * with receipts or `sent: false` reports the outcome.
 */
function isBackendFailure({ code, details }: Problem, { method, path }: Call): boolean {
  const status = Number(details.http_status ?? 0);
  const isOwn = (status >= 500 || status === 409) && code !== "BAD_GATEWAY" && !FINAL.has(code) && !details.cut_off;
  return isOwn && method === "POST" && STORED.test(path) && details.sent !== false && details.receipts === undefined;
}

/** How long to look up a failed write while the backend does not know its outcome, in ms. */
const LOOK_UP_LIMIT_MS = 30_000;
const LOOK_UP_PAUSE_MS = 1_000;

/**
 * Looks up the outcome until the backend knows it, because its database may be away or the work may still be running.
 */
async function lookUpPatiently(
  { clock }: BackendConnection,
  { signal }: Call,
  lookUp: () => Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  const end = clock.now() + LOOK_UP_LIMIT_MS;
  for (;;) {
    const outcome = await lookUp().catch(() => undefined);
    if (outcome && (outcome.state !== "running" || outcome.place)) return outcome;
    if (clock.now() >= end) return outcome ?? { state: "unknown" };
    await sleepOrThrow(clock, LOOK_UP_PAUSE_MS, signal);
  }
}

/** Returns the error for a write that the backend did not accept. It may be sent again. */
function notTakenProblem(failure: Problem): Problem {
  const details = { ...failure.details, sent: false };
  if (failure.code !== "OUTCOME_UNKNOWN")
    return new Problem(failure.code, failure.message, { hint: failure.hint, details, cause: failure });
  const message = `${failure.message} Nothing was done.`;
  return new Problem("NOT_READY", message, { hint: "Try again in a moment.", details, cause: failure });
}

/** Treats the stored first answer as if it had just arrived. */
function replayAnswer(backend: BackendConnection, call: Call, outcome: { status: number; answer: unknown }): Incoming {
  const answer = { status: outcome.status, headers: {}, body: JSON.stringify(outcome.answer) ?? "" };
  if (answer.status >= 400) throw toProblem(answer, toAnswerContext(backend, call));
  return answer;
}

type OpenState = "running" | "interrupted" | "unknown";

const OUTCOME_TEXTS: Record<OpenState, string> = {
  running: "The answer was lost, and the backend is still working on the request.",
  interrupted: "The backend was interrupted while it worked on the request, so it is unknown how much was done.",
  unknown: "The answer was lost, so the request may have been processed.",
};

/** Texts for an answer that reports only a failure. */
const FAILURE_TEXTS: Record<OpenState, string> = {
  ...OUTCOME_TEXTS,
  running: "The backend is still working on the request.",
  unknown: "The backend failed, so the request may have been processed.",
};

function outcomeUnknownProblem(state: OpenState, lost: Problem, call: Call, key: string): Problem {
  const texts = isBackendFailure(lost, call) ? FAILURE_TEXTS : OUTCOME_TEXTS;
  const { session_id, generation_id } = lost.details;
  return new Problem("OUTCOME_UNKNOWN", `${texts[state]} ${lost.message}`, {
    details: { sent: true, state, idempotency_key: key, lost: lost.code, session_id, generation_id },
    cause: lost,
  });
}
