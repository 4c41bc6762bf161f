import type * as z from "zod/mini";
import { isLoopbackHost } from "#net/addresses";
import type { Incoming, Outgoing } from "#net/ports";
import { getBackoffMs, MAX_WAIT_MS, parseRetryAfter, sleepOrThrow } from "#net/retry-after";
import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { type ErrorCode, Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { type BackendConnection, getHost } from "./backend-connection.ts";
import { type AnswerContext, parseJsonObject, type Route, toProblem, unexpectedAnswerProblem } from "./failure.ts";

/** One call. Only a GET is ever retried. `path` starts with a slash and is encoded. */
export type Call = {
  method: Outgoing["method"];
  path: string;
  route?: Route;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Maximum number of tries for a GET (default: 3). All other calls are sent once. */
  attempts?: number;
};

/**
 * Sends a call and returns its answer if the status is below 400. Retries only GETs, after network faults, 502, 503,
 * 504 and 429, with the pause that the backend asks for, or one and two seconds.
 *
 * @throws Problem for all other answers, see `toProblem`; REDIRECT_REFUSED for a redirect, which is never followed
 */
export function sendCall(backend: BackendConnection, call: Call): Promise<Incoming> {
  return withRetries(backend, call, async () => {
    const answer = await backend.send({
      ...toRequest(backend, call),
      timeoutMs: call.timeoutMs,
      signal: call.signal,
    });
    return checkAnswer(backend, call, answer);
  });
}

/** Runs a call once, or retries a GET after temporary faults. */
export async function withRetries<T>(backend: BackendConnection, call: Call, once: () => Promise<T>): Promise<T> {
  const attempts = call.method === "GET" ? (call.attempts ?? 3) : 1;
  for (let attempt = 1; ; attempt++) {
    const failure = await once().catch(createFailureFilter(backend));
    if (!(failure instanceof TemporaryFailure)) return failure;
    const wait = getBackoffMs(attempt, failure.asked, (backend.random(1)[0] ?? 0) / 255);
    if (attempt >= attempts || wait > MAX_WAIT_MS) throw failure.problem;
    await sleepOrThrow(backend.clock, wait, call.signal);
  }
}

/** Returns a successful answer and throws for any other. Must run within `withRetries`. */
export function checkAnswer(backend: BackendConnection, call: Call, answer: Incoming): Incoming {
  recordClock(backend, answer);
  if (answer.status >= 300 && answer.status < 400) throw redirectProblem(backend, call, answer);
  if (answer.status < 400) return answer;
  const problem = toProblem(answer, toAnswerContext(backend, call));
  const passing = [429, 502, 503, 504].includes(answer.status) && TEMPORARY.has(problem.code);
  if (!passing) throw problem;
  throw new TemporaryFailure(problem, parseRetryAfter(answer.headers, backend.clock.now()));
}

/** Codes of temporary failures: of a gateway, a rate limit, or a node that is stopping. */
const TEMPORARY: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["BAD_GATEWAY", "RATE_LIMITED", "NOT_READY"]);

/** Builds the request of a call, without time limits. */
export function toRequest(backend: BackendConnection, call: Call) {
  const headers: Record<string, string> = { Accept: "application/json", "User-Agent": `kay/${backend.version}` };
  if (backend.localSecret) headers[LOCAL_SECRET_HEADER] = backend.localSecret;
  if (call.body) headers["Content-Type"] = "application/json";
  return {
    method: call.method,
    url: `${backend.baseUrl}${call.path}`,
    headers: { ...headers, ...call.headers },
    ...(call.body ? { body: JSON.stringify(call.body) } : {}),
  };
}

/** Records the offset of the server's clock. */
export function recordClock(backend: BackendConnection, answer: Pick<Incoming, "headers">): void {
  const server = Date.parse(answer.headers.date ?? "");
  if (!Number.isNaN(server)) backend.clockOffsetMs = server - backend.clock.now();
}

/** Parses an answer's body with its schema. `subject` names it in errors: "the answer of GET /connections". */
export function readAnswer<T extends z.core.$ZodType>(
  schema: T,
  answer: Incoming,
  context: AnswerContext,
  subject: string,
): z.core.output<T> {
  const body = answer.status === 204 ? {} : parseJsonObject(answer.body);
  if (!body) throw unexpectedAnswerProblem(answer, context);
  try {
    return parseShape(schema, body, subject, "BAD_ANSWER");
  } catch (error) {
    // Some backends send an error with a success status.
    throw body.error === undefined ? error : toProblem(answer, context);
  }
}

/** Returns the context for error messages about an answer to this call. */
export function toAnswerContext(backend: BackendConnection, call: Pick<Call, "route">): AnswerContext {
  return { host: getHost(backend), now: backend.clock.now(), route: call.route ?? "other" };
}

/** A failure that a retry may fix, and the wait in ms that the backend asked for. */
class TemporaryFailure {
  readonly problem: Problem;
  readonly asked: number | null;

  constructor(problem: Problem, waitMs: number | null) {
    this.problem = problem;
    this.asked = waitMs;
  }
}

function createFailureFilter(backend: BackendConnection): (error: unknown) => TemporaryFailure {
  return (error) => {
    if (error instanceof TemporaryFailure) return error;
    if (!(error instanceof Problem) || error.code !== "UNREACHABLE" || isNothingListening(backend, error)) throw error;
    return new TemporaryFailure(error, null);
  };
}

/** Whether no local backend is listening. Retrying would only delay the hint to start it. */
function isNothingListening(backend: BackendConnection, problem: Problem): boolean {
  return problem.details.errno === "ECONNREFUSED" && isLoopbackHost(new URL(backend.baseUrl).hostname);
}

/** Returns the address of the backend that a redirect of a call leads to: without the path of the call, or else its origin. */
function findBase(target: URL, path: string): string {
  const [name = ""] = path.split("?");
  const isSamePlace = target.pathname.endsWith(name);
  return isSamePlace ? `${target.origin}${target.pathname.slice(0, -name.length)}` : target.origin;
}

function redirectProblem(backend: BackendConnection, call: Call, answer: Incoming): Problem {
  const target = URL.parse(answer.headers.location ?? "", backend.baseUrl);
  const web = target?.protocol === "http:" || target?.protocol === "https:";
  const redirect = answer.headers.location && target && web ? ` to ${findBase(target, call.path)}` : "";
  return new Problem(
    "REDIRECT_REFUSED",
    `${getHost(backend)} answered with an unexpected redirect${redirect} (${answer.status}).`,
    {
      details: { http_status: answer.status, ...(redirect && target ? { redirect_origin: target.origin } : {}) },
    },
  );
}
