import type { Clock, Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";
import { getPageTitle } from "#protocol/page-title";
import { hideSecrets } from "#protocol/redact";
import type { OAuthClient } from "../oauth.ts";
import type { ApiTraits, Credential } from "../service.ts";
import type { Endpoints, ServiceHttp, ServiceRequest } from "../service-http.ts";
import { readServiceAnswer, type ServiceAnswer } from "./answer.ts";
import { BodyTooLargeError, parseAnswer, parseBody, readBody } from "./body.ts";
import {
  authRequiredProblem,
  cancelledProblem,
  getSignOnUrl,
  missingScopeProblem,
  rateLimitedProblem,
  refusedProblem,
  unknownOutcomeProblem,
} from "./errors.ts";
import { requireAllParts } from "./multi-status.ts";
import { describeNetworkFault, findNetworkHint, toOwnFaultProblem } from "./own-fault.ts";
import { followRedirects } from "./redirect.ts";
import { getBackoffMs, getRetryAfterMs, sleepOrThrow, wasNeverSent } from "./retry.ts";
import { parseServiceFault, type ServiceFault } from "./service-fault.ts";
import { buildRequestUrl, isReadRequest, listSecretForms, toAuthHeaders } from "./target.ts";

/** Attempts per request, including the first. Each has its own time limit. */
const MAX_ATTEMPTS = 3;
const REQUEST_TIMEOUT_MS = 30_000;

/** Slowest upload of a file that is waited for, in bytes per ms. */
const SLOWEST_UPLOAD = 100;

/** Longest pause that a service may ask for. Beyond it, the request fails. */
const MAX_WAIT_MS = 30_000;

export type ServiceHttpOptions = {
  fetch: Fetch;
  endpoints: Endpoints;
  service: { name: string; title: string; api?: ApiTraits; credential?: Credential };
  /** Returns the current access token. @throws Problem AUTH_REQUIRED */
  token(): Promise<string>;
  /**
   * Returns a new token after the service refused this one with HTTP 401, or the same one if the service accepts it for
   * other requests. Called once per request. @throws Problem AUTH_REQUIRED
   */
  onRejected?(token: string): Promise<string>;
  clock: Clock;
  /** For token introspection, which only the consent flow uses. */
  client?: OAuthClient;
  /** Waits; rejects when the signal aborts. Defaults to a real timer. */
  sleep?(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  signal?: AbortSignal;
  /** Sent with writes as `Idempotency-Key`. Services that do not support it ignore it. */
  idempotencyKey?: string;
  /** Time limit of one attempt in ms. Default: 30 s. */
  timeout?: number;
  /** Called when unusable items of a response were left out, with the fault of the first. */
  onLeftOut?(count: number, reason: string): void;
};

/**
 * Creates the HTTP core for a service. Reads are repeated after network errors and 5xx. Writes are repeated only after
 * 429, 401 and the statuses that the service lists, which guarantee that nothing was done. A write whose response is
 * lost or unreadable ends as OUTCOME_UNKNOWN.
 */
export function createServiceHttp(options: ServiceHttpOptions): ServiceHttp {
  return { endpoints: options.endpoints, request: (request) => sendRequest(options, request) };
}

type Call = {
  options: ServiceHttpOptions;
  request: ServiceRequest<unknown>;
  url: URL;
  reads: boolean;
  signal?: AbortSignal;
};

/** The failure of a request that got no response. `passing`: a retry may succeed. */
type Fault = { problem: Problem; passing: boolean };

async function sendRequest<T>(options: ServiceHttpOptions, request: ServiceRequest<T>): Promise<T> {
  const { title } = options.service;
  const signal = joinSignals([options.signal, request.signal]);
  const reads = isReadRequest(request);
  const call: Call = { options, request, url: buildRequestUrl(request, options.endpoints, title), reads, signal };
  const answer = await sendWithToken(call);
  if (!reads && answer.status === 207) requireAllParts(answer, options.service);
  const { headers, body } = answer;
  const header = request.answerHeader;
  const parsed = header ? { value: headers.get(header) ?? undefined } : parseBody(body, reads);
  const fits = "value" in parsed ? parseAnswer(request.answer, parsed.value, reads) : parsed;
  const checked = "wrong" in fits && "note" in parsed && parsed.note ? { wrong: parsed.note } : fits;
  if ("value" in checked) {
    request.onHeaders?.(headers);
    if ("leftOut" in checked && checked.leftOut) options.onLeftOut?.(checked.leftOut, checked.reason ?? "");
    return checked.value;
  }
  const unexpected = `${title} returned an unexpected response: ${checked.wrong}.`;
  if (reads) throw new Problem("SERVICE_FAILED", unexpected);
  const message = `${title} accepted the request, but its response is unexpected: ${checked.wrong}.`;
  throw new Problem("OUTCOME_UNKNOWN", message, { hint: `Check ${title} before you try again.` });
}

/** Sends with the current token, and once more with a new one if the first is refused. */
async function sendWithToken(call: Call): Promise<ServiceAnswer> {
  const { options } = call;
  const token = await options.token();
  const first = await sendWithRetries(call, token);
  if (first.status !== 401) return requireSuccess(call, first);
  if (parseServiceFault(first.body, options.service.api?.errors).scopeMissing || !options.onRejected)
    throw failureProblem(call, first);
  const newToken = await options.onRejected(token);
  if (newToken === token) throw failureProblem(call, first, true);
  return requireSuccess(call, await sendWithRetries(call, newToken));
}

/** Sends a request at most {@link MAX_ATTEMPTS} times, with pauses, if it may be repeated. */
async function sendWithRetries(call: Call, token: string): Promise<ServiceAnswer> {
  const { title } = call.options.service;
  const sleep = call.options.sleep ?? sleepOrThrow;
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendOnce(call, token);
    const wait = getRetryDelayMs(call, outcome, attempt);
    if (wait === undefined || wait > MAX_WAIT_MS || attempt === MAX_ATTEMPTS) {
      if ("problem" in outcome) throw outcome.problem;
      return outcome;
    }
    await sleep(wait, call.signal).catch((cause: unknown) => {
      throw cancelledProblem(title, cause);
    });
  }
}

/** Returns the pause before the next attempt in ms, or `undefined` if the request must not be repeated. */
function getRetryDelayMs(call: Call, outcome: ServiceAnswer | Fault, attempt: number): number | undefined {
  if ("problem" in outcome) return call.reads && outcome.passing ? getBackoffMs(attempt) : undefined;
  const { status, headers } = outcome;
  const { repeat = [], pause: usual } = call.options.service.api ?? {};
  const untouched = status === 429 || repeat.includes(status);
  if (!untouched && !(call.reads && status >= 500)) return undefined;
  return getRetryAfterMs(headers, call.options.clock.now()) ?? (untouched ? usual : undefined) ?? getBackoffMs(attempt);
}

/** Makes one attempt. Returns network errors, so that the caller can decide whether to retry. */
async function sendOnce(call: Call, token: string): Promise<ServiceAnswer | Fault> {
  const { body } = call.request;
  const uploadMs = body instanceof Uint8Array ? Math.ceil(body.byteLength / SLOWEST_UPLOAD) : 0;
  const limit = AbortSignal.timeout((call.options.timeout ?? REQUEST_TIMEOUT_MS) + uploadMs);
  const signal = joinSignals([call.signal, limit]);
  if (call.signal?.aborted) throw cancelledProblem(call.options.service.title, call.signal.reason);
  let response: Response | undefined;
  try {
    response = await followRedirects(call, token, buildRequestInit(call, token, signal));
    // A service or a proxy may repeat the token in its response.
    const text = await readBody(response);
    return readServiceAnswer(
      response,
      hideSecrets(text, listSecretForms(call.options.service.credential, token)),
      call.options.service.api?.errors,
    );
  } catch (error) {
    if (error instanceof Problem) throw error;
    return toNetworkFault(call, error, limit.aborted ? "did not answer in time" : response && "broke off its response");
  }
}

function buildRequestInit(call: Call, token: string, signal: AbortSignal | undefined): RequestInit {
  const { request, options } = call;
  const key = call.reads ? undefined : options.idempotencyKey;
  const method = request.method ?? "GET";
  const isBytes = request.body instanceof Uint8Array;
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
      ...(request.body === undefined || isBytes ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...options.service.api?.headers,
      ...request.headers,
      ...toAuthHeaders(options.service.credential, token),
    },
    ...(request.body === undefined
      ? {}
      : { body: isBytes ? (request.body as RequestInit["body"]) : JSON.stringify(request.body) }),
  };
}

function requireSuccess(call: Call, answer: ServiceAnswer): ServiceAnswer {
  if (answer.status >= 200 && answer.status <= 299) return answer;
  throw failureProblem(call, answer);
}

/** Returns the error for an unsuccessful response. `hasValidToken`: the service accepts the token for other requests. */
function failureProblem(call: Call, { status, headers, body }: ServiceAnswer, hasValidToken = false): Problem {
  const { service, clock } = call.options;
  const fault: ServiceFault = parseServiceFault(body, service.api?.errors);
  const subject = {
    ...service,
    status,
    scope: call.request.scope,
    signOn: getSignOnUrl(headers),
    page: getPageTitle(body),
  };
  if (fault.scopeMissing && (status === 401 || status === 403)) return missingScopeProblem(fault, subject);
  if (status === 401 && !hasValidToken) return authRequiredProblem(service);
  if (status === 429 || (status >= 500 && service.api?.repeat?.includes(status)))
    return rateLimitedProblem(service.title, {
      wait: getRetryAfterMs(headers, clock.now()),
      pause: service.api?.pause,
      now: clock.now(),
      reason: fault.message === fault.code ? "" : fault.message,
    });
  if (!call.reads && status >= 500 && status !== 501 && status !== 503) {
    return unknownOutcomeProblem(
      service.title,
      `${service.title} failed while processing the request (HTTP ${status})${fault.message && `: ${fault.message}`}.`,
    );
  }
  return refusedProblem(fault, subject);
}

/** @param failure what the service did, as the end of a sentence */
function toNetworkFault(call: Call, cause: unknown, failure = describeNetworkFault(cause)): Fault {
  const { name, title } = call.options.service;
  const toFinalFault = (problem: Problem): Fault => ({ problem, passing: false });
  if (cause instanceof BodyTooLargeError) {
    const sentence = `The response from ${title} was too large.`;
    return toFinalFault(call.reads ? new Problem("SERVICE_FAILED", sentence) : unknownOutcomeProblem(title, sentence));
  }
  const ownFaultProblem = toOwnFaultProblem("SERVICE_FAILED", title, cause);
  if (ownFaultProblem) return toFinalFault(ownFaultProblem);
  if (!call.reads && !wasNeverSent(cause))
    return toFinalFault(unknownOutcomeProblem(title, `The response from ${title} was lost.`, cause));
  if (call.signal?.aborted) return toFinalFault(cancelledProblem(title, cause));
  const hint = findNetworkHint(cause, name);
  return { problem: new Problem("SERVICE_FAILED", `${title} ${failure}.`, { hint, cause }), passing: true };
}

function joinSignals(signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const definedSignals = signals.filter((signal) => signal !== undefined);
  return definedSignals.length > 1 ? AbortSignal.any(definedSignals) : definedSignals[0];
}
