import type { Incoming } from "#net/ports";
import { Problem } from "#protocol/errors";
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
  | { state: "done"; status: number; answer: unknown };

type GetCall = (call: Call) => Promise<Incoming>;

/**
 * `GET /requests/:key`. Returns `unknown` for a 404, from a backend that does not have this call or does not know the
 * key.
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
    if (error instanceof Problem && error.details.http_status === 404) return { state: "unknown" };
    throw error;
  }
}

/**
 * Sends a write exactly once. If its answer is lost (broken connection, gateway error, timeout), its outcome is looked
 * up once: a finished write returns its answer, any other outcome is OUTCOME_UNKNOWN. It is never sent again.
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
  const found = await lookUpOutcome(backend, call, error, lookUp);
  if (!("state" in found)) return found;
  throw outcomeUnknownProblem(found.state, error as Problem, key);
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
  const found = await lookUpOutcome(backend, call, error, lookUp);
  if (!("state" in found)) return found;
  if (found.state === "running" && found.place) return found.place;
  throw outcomeUnknownProblem(found.state, error as Problem, key);
}

async function lookUpOutcome(
  backend: BackendConnection,
  call: Call,
  error: unknown,
  lookUp: () => Promise<WriteOutcome>,
): Promise<Incoming | Exclude<WriteOutcome, { state: "done" }>> {
  if (!(error instanceof Problem) || !isLost(error)) throw error;
  const outcome = await lookUp().catch((): WriteOutcome => ({ state: "unknown" }));
  return outcome.state === "done" ? replayAnswer(backend, call, outcome) : outcome;
}

/** Whether the request may have run although the backend's answer did not arrive. */
function isLost(problem: Problem): boolean {
  if (["UNREACHABLE", "TIMED_OUT"].includes(problem.code))
    return problem.details.sent === true || problem.details.http_status === 408;
  return problem.code === "BAD_GATEWAY" || problem.details.cut_off === true;
}

/** Treats the stored first answer as if it had just arrived. */
function replayAnswer(backend: BackendConnection, call: Call, outcome: { status: number; answer: unknown }): Incoming {
  const answer = { status: outcome.status, headers: {}, body: JSON.stringify(outcome.answer) ?? "" };
  if (answer.status >= 400) throw toProblem(answer, toAnswerContext(backend, call));
  return answer;
}

const OUTCOME_TEXTS: Record<"running" | "interrupted" | "unknown", string> = {
  running: "The answer was lost, and the backend is still working on the request.",
  interrupted: "The backend was interrupted while it worked on the request, so it is unknown how much was done.",
  unknown: "The answer was lost, so the request may have been processed.",
};

function outcomeUnknownProblem(state: "running" | "interrupted" | "unknown", lost: Problem, key: string): Problem {
  return new Problem("OUTCOME_UNKNOWN", `${OUTCOME_TEXTS[state]} ${lost.message}`, {
    details: { state, idempotency_key: key, lost: lost.code },
    cause: lost,
  });
}
