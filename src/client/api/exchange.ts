import type * as z from "zod/mini";
import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { pause } from "../pause.ts";
import type { Incoming } from "../ports.ts";
import { isLoopback } from "../send/origin.ts";
import { type Backend, hostOf } from "./backend.ts";
import { type AnswerContext, failureOf, jsonObject, type Route, strangeAnswer } from "./failure.ts";
import { MAX_WAIT_MS, retryAfterMs, waitBefore } from "./retry-after.ts";

/** One call. Only a GET is ever repeated. `path` begins with a slash and is encoded already. */
export type Call = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  route?: Route;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal;
  /** How often a GET is tried at most (3 by default). A POST is only ever sent once. */
  attempts?: number;
};

/**
 * Carry out a call and give back its answer below 400. GETs are repeated after faults of the network, 502, 503, 504 and 429, as the
 * backend asks or after one and two seconds; POSTs never are.
 *
 * @throws Problem for everything else, see `failureOf`; REDIRECT_REFUSED for any redirect, which is never followed
 */
export async function exchange(backend: Backend, call: Call): Promise<Incoming> {
  const attempts = call.method === "GET" ? (call.attempts ?? 3) : 1;
  for (let attempt = 1; ; attempt++) {
    const outcome = await once(backend, call);
    if (!(outcome instanceof Retryable)) return outcome;
    const wait = waitBefore(attempt, outcome.asked, (backend.random(1)[0] ?? 0) / 255);
    if (attempt >= attempts || wait > MAX_WAIT_MS) throw outcome.problem;
    await pause(backend.clock, wait, call.signal);
  }
}

/** Read an answer's body by its schema. `subject` is for the sentence: "the answer of GET /connections". */
export function readAnswer<T extends z.core.$ZodType>(
  schema: T,
  answer: Incoming,
  context: AnswerContext,
  subject: string,
): z.core.output<T> {
  const body = jsonObject(answer.body);
  if (!body) throw strangeAnswer(answer, context);
  return parseShape(schema, body, subject, "BAD_ANSWER");
}

/** What the sentences about an answer to this call need. */
export function contextOf(backend: Backend, call: Pick<Call, "route">): AnswerContext {
  return { host: hostOf(backend), now: backend.clock.now(), route: call.route ?? "other" };
}

/** A failure that another attempt may cure, and how long the backend asked to wait. */
class Retryable {
  readonly problem: Problem;
  readonly asked: number | null;

  constructor(problem: Problem, asked: number | null) {
    this.problem = problem;
    this.asked = asked;
  }
}

async function once(backend: Backend, call: Call): Promise<Incoming | Retryable> {
  let answer: Incoming;
  try {
    answer = await backend.send({ ...outgoing(backend, call), timeoutMs: call.timeoutMs, signal: call.signal });
  } catch (error) {
    if (error instanceof Problem && error.code === "UNREACHABLE" && !nothingListens(backend, error))
      return new Retryable(error, null);
    throw error;
  }
  noteClock(backend, answer);
  if (answer.status >= 300 && answer.status < 400) throw redirectRefused(backend, answer);
  if (answer.status < 400) return answer;
  const problem = failureOf(answer, contextOf(backend, call));
  const passing =
    [429, 502, 503, 504].includes(answer.status) && (problem.code === "BAD_GATEWAY" || problem.code === "RATE_LIMITED");
  if (!passing) throw problem;
  return new Retryable(problem, retryAfterMs(answer.headers, backend.clock.now()));
}

function outgoing(backend: Backend, call: Call) {
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

/** Nothing listens on this machine: waiting for it would only delay the hint how to start it. */
function nothingListens(backend: Backend, problem: Problem): boolean {
  return problem.details.errno === "ECONNREFUSED" && isLoopback(new URL(backend.baseUrl).hostname);
}

function noteClock(backend: Backend, answer: Incoming): void {
  const server = Date.parse(answer.headers.date ?? "");
  if (!Number.isNaN(server)) backend.clockOffsetMs = server - backend.clock.now();
}

function redirectRefused(backend: Backend, answer: Incoming): Problem {
  const target = URL.parse(answer.headers.location ?? "", backend.baseUrl);
  const web = target?.protocol === "http:" || target?.protocol === "https:";
  const where = answer.headers.location && target && web ? ` to ${target.origin}` : "";
  return new Problem(
    "REDIRECT_REFUSED",
    `${hostOf(backend)} answered with an unexpected redirect${where} (${answer.status}).`,
    {
      details: { http_status: answer.status, ...(where && target ? { redirect_origin: target.origin } : {}) },
    },
  );
}
