import type * as z from "zod/mini";
import { isLoopbackHost } from "#net/addresses";
import type { Incoming, Outgoing } from "#net/ports";
import { getBackoffMs, MAX_WAIT_MS, parseRetryAfter } from "#net/retry-after";
import { sleepOrThrow } from "#net/sleep";
import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { type BackendConnection, getHost } from "./backend-connection.ts";
import { type AnswerContext, parseJsonObject, type Route, toProblem, unexpectedAnswerProblem } from "./failure.ts";

/** One call. Only a GET is ever repeated. `path` begins with a slash and is encoded already. */
export type Call = {
  method: Outgoing["method"];
  path: string;
  route?: Route;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal;
  /** How often a GET is tried at most (3 by default). Everything else is only ever sent once. */
  attempts?: number;
};

/**
 * Carry out a call and give back its answer below 400. GETs are repeated after faults of the network, 502, 503, 504 and 429, as the
 * backend asks or after one and two seconds; writes never are.
 *
 * @throws Problem for everything else, see `failureOf`; REDIRECT_REFUSED for any redirect, which is never followed
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

/** Do something once, or where the call is a GET more often, as long as it fails with a fault that may pass. */
export async function withRetries<T>(backend: BackendConnection, call: Call, once: () => Promise<T>): Promise<T> {
  const attempts = call.method === "GET" ? (call.attempts ?? 3) : 1;
  for (let attempt = 1; ; attempt++) {
    const failure = await once().catch(getPassing(backend));
    if (!(failure instanceof Passing)) return failure;
    const wait = getBackoffMs(attempt, failure.asked, (backend.random(1)[0] ?? 0) / 255);
    if (attempt >= attempts || wait > MAX_WAIT_MS) throw failure.problem;
    await sleepOrThrow(backend.clock, wait, call.signal);
  }
}

/** The answer, if it is one to work with; throws what else it is. Only within `repeated`. */
export function checkAnswer(backend: BackendConnection, call: Call, answer: Incoming): Incoming {
  recordClock(backend, answer);
  if (answer.status >= 300 && answer.status < 400) throw redirectRefused(backend, answer);
  if (answer.status < 400) return answer;
  const problem = toProblem(answer, toAnswerContext(backend, call));
  const passing =
    [429, 502, 503, 504].includes(answer.status) && (problem.code === "BAD_GATEWAY" || problem.code === "RATE_LIMITED");
  if (!passing) throw problem;
  throw new Passing(problem, parseRetryAfter(answer.headers, backend.clock.now()));
}

/** The request of a call, without its limits. */
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

/** Learn from an answer how the server's clock goes. */
export function recordClock(backend: BackendConnection, answer: Pick<Incoming, "headers">): void {
  const server = Date.parse(answer.headers.date ?? "");
  if (!Number.isNaN(server)) backend.clockOffsetMs = server - backend.clock.now();
}

/** Read an answer's body by its schema. `subject` is for the sentence: "the answer of GET /connections". */
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
    // A refusal with a status of success (case H09).
    throw body.error === undefined ? error : toProblem(answer, context);
  }
}

/** What the sentences about an answer to this call need. */
export function toAnswerContext(backend: BackendConnection, call: Pick<Call, "route">): AnswerContext {
  return { host: getHost(backend), now: backend.clock.now(), route: call.route ?? "other" };
}

/** A failure that another attempt may cure, and how long the backend asked to wait. */
class Passing {
  readonly problem: Problem;
  readonly asked: number | null;

  constructor(problem: Problem, asked: number | null) {
    this.problem = problem;
    this.asked = asked;
  }
}

function getPassing(backend: BackendConnection): (error: unknown) => Passing {
  return (error) => {
    if (error instanceof Passing) return error;
    if (!(error instanceof Problem) || error.code !== "UNREACHABLE" || nothingListens(backend, error)) throw error;
    return new Passing(error, null);
  };
}

/** Nothing listens on this machine: waiting for it would only delay the hint how to start it. */
function nothingListens(backend: BackendConnection, problem: Problem): boolean {
  return problem.details.errno === "ECONNREFUSED" && isLoopbackHost(new URL(backend.baseUrl).hostname);
}

function redirectRefused(backend: BackendConnection, answer: Incoming): Problem {
  const target = URL.parse(answer.headers.location ?? "", backend.baseUrl);
  const web = target?.protocol === "http:" || target?.protocol === "https:";
  const where = answer.headers.location && target && web ? ` to ${target.origin}` : "";
  return new Problem(
    "REDIRECT_REFUSED",
    `${getHost(backend)} answered with an unexpected redirect${where} (${answer.status}).`,
    {
      details: { http_status: answer.status, ...(where && target ? { redirect_origin: target.origin } : {}) },
    },
  );
}
