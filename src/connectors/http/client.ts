import type { Clock, Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";
import type { ApiTraits, Credential, Endpoints, OAuthClient, ServiceHttp, ServiceRequest } from "../service.ts";
import { readServiceAnswer, type ServiceAnswer } from "./answer.ts";
import { BodyTooLargeError, parseAnswer, parseJson, readBody } from "./body.ts";
import {
  authRequiredProblem,
  missingScopeProblem,
  parseServiceFault,
  refusedProblem,
  type ServiceFault,
} from "./errors.ts";
import { toOwnFaultProblem } from "./own-fault.ts";
import { getBackoffMs, parseRetryAfter, sleepOrThrow, wasNeverSent } from "./retry.ts";
import { addCredentialToUrl, buildRequestUrl, getRedirectTarget, toAuthHeaders } from "./target.ts";

/** Attempts of one request, the first included; each has its own time limit. */
const ATTEMPTS = 3;
const REDIRECTS = 3;
const REQUEST_MS = 30_000;

/** A service that asks for a longer pause than this is not waited for. */
const LONGEST_WAIT_MS = 30_000;

export type ServiceHttpOptions = {
  fetch: Fetch;
  endpoints: Endpoints;
  service: { name: string; title: string; api?: ApiTraits; credential?: Credential };
  /** The access token of now. May throw AUTH_REQUIRED. */
  token(): Promise<string>;
  /** Called once for a token that the service refused with 401: gives a fresh one or throws AUTH_REQUIRED. */
  onRejected?(token: string): Promise<string>;
  clock: Clock;
  /** For requests that introspect; only whoever completes a consent has it. */
  client?: OAuthClient;
  /** Waits; rejects when the signal aborts. The default is a real timer. */
  sleep?(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  signal?: AbortSignal;
  /** Sent with writes as `Idempotency-Key`; services that know none ignore it. */
  idempotencyKey?: string;
  /** Limit of one attempt in milliseconds; 30 s. */
  timeout?: number;
};

/**
 * The one HTTP core for services. Reads are repeated after network faults and 5xx; writes never are, except after 429, 401 and what the
 * service names besides, which say that nothing was done. A write whose answer is lost or unreadable ends as OUTCOME_UNKNOWN.
 */
export function createServiceHttp(options: ServiceHttpOptions): ServiceHttp {
  return { endpoints: options.endpoints, request: (request) => run(options, request) };
}

type Call = {
  options: ServiceHttpOptions;
  request: ServiceRequest<unknown>;
  url: URL;
  reads: boolean;
  signal?: AbortSignal;
};

/** No answer. `passing`: the same request may succeed in a moment. */
type Fault = { problem: Problem; passing: boolean };

async function run<T>(options: ServiceHttpOptions, request: ServiceRequest<T>): Promise<T> {
  const { title } = options.service;
  const signal = join([options.signal, request.signal]);
  const reads = (request.method ?? "GET") === "GET" || request.reads === true;
  const call: Call = { options, request, url: buildRequestUrl(request, options.endpoints, title), reads, signal };
  const { headers, body } = await authorize(call);
  const header = request.answerHeader;
  const parsed = header ? { value: headers.get(header) ?? undefined } : parse(body);
  const checked = "value" in parsed ? parseAnswer(request.answer, parsed.value) : parsed;
  if ("value" in checked) {
    request.onHeaders?.(headers);
    return checked.value;
  }
  const unexpected = `${title} answered something unexpected: ${checked.wrong}.`;
  if (reads) throw new Problem("SERVICE_FAILED", unexpected);
  throw unknownOutcome(title, unexpected);
}

/** Sends with the current token, and once more with a fresh one if the first is refused. */
async function authorize(call: Call): Promise<ServiceAnswer> {
  const { options } = call;
  const token = await options.token();
  const first = await persistent(call, token);
  if (first.status !== 401) return accept(call, first);
  if (parseServiceFault(first.body, options.service.api?.errors).scopeMissing || !options.onRejected)
    throw refuse(call, first);
  return accept(call, await persistent(call, await options.onRejected(token)));
}

/** Repeats what may be repeated, with pauses, at most {@link ATTEMPTS} times. */
async function persistent(call: Call, token: string): Promise<ServiceAnswer> {
  const { title } = call.options.service;
  const sleep = call.options.sleep ?? sleepOrThrow;
  for (let attempt = 1; ; attempt++) {
    const outcome = await once(call, token);
    const wait = waitBefore(call, outcome, attempt);
    if (wait === undefined || wait > LONGEST_WAIT_MS || attempt === ATTEMPTS) {
      if ("problem" in outcome) throw outcome.problem;
      return outcome;
    }
    await sleep(wait, call.signal).catch((cause: unknown) => {
      throw cancel(title, cause);
    });
  }
}

/** Milliseconds to wait before the request is repeated, or `undefined` when it must not be. */
function waitBefore(call: Call, outcome: ServiceAnswer | Fault, attempt: number): number | undefined {
  if ("problem" in outcome) return call.reads && outcome.passing ? getBackoffMs(attempt) : undefined;
  const { status, headers } = outcome;
  const { repeat = [], pause: usual } = call.options.service.api ?? {};
  const untouched = status === 429 || repeat.includes(status);
  if (!untouched && !(call.reads && status >= 500)) return undefined;
  return parseRetryAfter(headers, call.options.clock.now()) ?? (untouched ? usual : undefined) ?? getBackoffMs(attempt);
}

/** One attempt. A fault of the network is given back, so that the caller can decide whether to repeat. */
async function once(call: Call, token: string): Promise<ServiceAnswer | Fault> {
  const limit = AbortSignal.timeout(call.options.timeout ?? REQUEST_MS);
  const signal = join([call.signal, limit]);
  if (call.signal?.aborted) throw cancel(call.options.service.title, call.signal.reason);
  try {
    const response = await follow(call, token, init(call, token, signal));
    return readServiceAnswer(response, await readBody(response), call.options.service.api?.errors);
  } catch (error) {
    if (error instanceof Problem) throw error;
    return networkFault(call, error, limit.aborted);
  }
}

/** Redirects are followed for reads within the origin only: a token never goes elsewhere, and a write is never sent twice. */
async function follow(call: Call, token: string, init: RequestInit): Promise<Response> {
  const { title, credential } = call.options.service;
  let url = call.url;
  for (let hop = 0; hop <= REDIRECTS; hop++) {
    const response = await call.options.fetch(addCredentialToUrl(url, credential, token), init);
    if (response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    const target = init.method === "GET" ? getRedirectTarget(response, url) : undefined;
    if (!target)
      throw new Problem("SERVICE_FAILED", `${title} redirected to another place, which kay does not follow.`);
    url = target;
  }
  throw new Problem("SERVICE_FAILED", `${title} redirected too often.`);
}

function init(call: Call, token: string, signal: AbortSignal | undefined): RequestInit {
  const { request, options } = call;
  const key = call.reads ? undefined : options.idempotencyKey;
  const method = request.method ?? "GET";
  if (request.introspects) {
    const form = new URLSearchParams({ token, client_id: options.client?.id ?? "" });
    if (options.client?.secret) form.set("client_secret", options.client.secret);
    return { method, redirect: "manual", signal, headers: { accept: "application/json" }, body: form };
  }
  return {
    method,
    redirect: "manual",
    signal,
    headers: {
      accept: "application/json",
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...options.service.api?.headers,
      ...request.headers,
      ...toAuthHeaders(options.service.credential, token),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  };
}

function accept(call: Call, answer: ServiceAnswer): ServiceAnswer {
  if (answer.status >= 200 && answer.status <= 299) return answer;
  throw refuse(call, answer);
}

/** The error for an answer that is not a success. */
function refuse(call: Call, { status, headers, body }: ServiceAnswer): Problem {
  const { service, clock } = call.options;
  const fault: ServiceFault = parseServiceFault(body, service.api?.errors);
  const subject = { ...service, status, scope: call.request.scope };
  if (fault.scopeMissing && (status === 401 || status === 403)) return missingScopeProblem(fault, subject);
  if (status === 401) return authRequiredProblem(service);
  if (status === 429 || (status >= 500 && service.api?.repeat?.includes(status)))
    return rateLimited(service.title, parseRetryAfter(headers, clock.now()) ?? 0);
  if (!call.reads && status >= 500 && status !== 501 && status !== 503) {
    return unknownOutcome(service.title, `${service.title} failed while it worked on the request (HTTP ${status}).`);
  }
  return refusedProblem(fault, subject);
}

function networkFault(call: Call, cause: unknown, timedOut: boolean): Fault {
  const { title } = call.options.service;
  const final = (problem: Problem): Fault => ({ problem, passing: false });
  if (cause instanceof BodyTooLargeError) {
    const sentence = `${title} answered more than kay reads at once.`;
    return final(call.reads ? new Problem("SERVICE_FAILED", sentence) : unknownOutcome(title, sentence));
  }
  const own = toOwnFaultProblem("SERVICE_FAILED", title, cause);
  if (own) return final(own);
  if (!call.reads && !wasNeverSent(cause))
    return final(unknownOutcome(title, `The answer of ${title} was lost.`, cause));
  if (call.signal?.aborted) return final(cancel(title, cause));
  const sentence = timedOut ? `${title} did not answer in time.` : `${title} could not be reached.`;
  return { problem: new Problem("SERVICE_FAILED", sentence, { cause }), passing: true };
}

function unknownOutcome(title: string, sentence: string, cause?: unknown): Problem {
  return new Problem("OUTCOME_UNKNOWN", `${sentence} It may have been done.`, {
    hint: `Look in ${title} before you repeat it.`,
    cause,
  });
}

function cancel(title: string, cause: unknown): Problem {
  return new Problem("CANCELLED", `The request to ${title} was cancelled.`, { cause });
}

function rateLimited(title: string, wait: number): Problem {
  const seconds = Math.ceil(wait / 1000);
  const when = seconds > 0 ? `Try again in ${seconds} s.` : "Try again in a moment.";
  return new Problem("RATE_LIMITED", `${title} gets too many requests at the moment.`, { hint: when });
}

function parse(body: string): { value: unknown } | { wrong: string } {
  try {
    return { value: parseJson(body) };
  } catch {
    return { wrong: "the body is not JSON" };
  }
}

function join(signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const present = signals.filter((signal) => signal !== undefined);
  return present.length > 1 ? AbortSignal.any(present) : present[0];
}
