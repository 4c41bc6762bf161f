import type { Incoming } from "#net/ports";
import { formatWait, parseRetryAfter } from "#net/retry-after";
import { clean } from "#protocol/clean";
import { ERRORS, type ErrorCode, isErrorCode, Problem } from "#protocol/errors";
import { getPageTitle } from "#protocol/page-title";

/** Calls with their own meaning of a status, if the body has no error code. */
export type Route = "status" | "refresh" | "ask" | "confirm" | "other";

/** Context of an answer for error messages: the host, the current time, and the call. */
export type AnswerContext = { host: string; now: number; route: Route };

/**
 * Returns the error for an answer of status 400 or above: the code in the body, else the meaning of known texts, else
 * the meaning of the status for this call. The backend's text is cleaned and shortened; of a web page only its title is
 * repeated.
 */
export function toProblem(answer: Incoming, context: AnswerContext): Problem {
  const body = parseJsonObject(answer.body);
  if (!body) return unexpectedFailureProblem(answer, context);
  const nested = typeof body.error === "object" && body.error !== null ? (body.error as Record<string, unknown>) : body;
  const code =
    parseWireCode(nested.code) ??
    parseWireCode(nested.error) ??
    findGuideCode(body, context.route) ??
    getStatusCode(answer.status, context.route);
  const hint = nested.hint ?? body.hint;
  const text = [nested.message, nested.error].find((text) => typeof text === "string" && isSentence(text));
  const sentence = text
    ? clean(String(text), { lines: false, max: 500 })
    : `${context.host} answered ${answer.status}.`;
  if (answer.status === 429) return rateLimitedProblem(answer, context, text ? sentence : undefined, hint);
  return new Problem(code, sentence, {
    details: { http_status: answer.status, ...pickFields({ ...body, ...nested }) },
    ...(typeof hint === "string"
      ? { hint: clean(hint, { lines: false, max: MAX_HINT_LENGTH }) }
      : getHint(code, answer.status)),
  });
}

const MAX_HINT_LENGTH = 300;

/** Returns the error for an answer that is not JSON, with status, host and the title of a web page. */
export function unexpectedAnswerProblem(
  answer: Incoming,
  context: AnswerContext,
  code: ErrorCode = "BAD_ANSWER",
): Problem {
  const isPage = isWebPage(answer);
  const title = isPage ? getPageTitle(answer.body) : undefined;
  const page = `a web page${title ? ` (“${title}”)` : ""}`;
  const description = answer.body.trim() === "" ? "an empty body" : isPage ? page : "something else";
  // 511 comes from a captive portal (RFC 6585, 6).
  const needsSignIn = answer.status === 511;
  const isPortal = code === "BAD_ANSWER" && isPage;
  return new Problem(code, `${context.host} answered ${answer.status} with ${description} instead of JSON.`, {
    details: { http_status: answer.status },
    ...(needsSignIn ? { hint: "Sign in to the network in your browser, then try again." } : {}),
    ...(isPortal ? { hint: `${ERRORS.BAD_ANSWER.hint} ${PORTAL}` } : {}),
  });
}

/** Networks with a captive portal answer for all hosts until the user has signed in. */
const PORTAL = "A network that requires a sign-in in the browser can also cause this.";

/** Parses the body as a JSON object; null if it is not one. Ignores a byte order mark. */
export function parseJsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Whether the body is a web page, whatever its content type says. */
export function isWebPage(answer: Incoming): boolean {
  const body = answer.body.trimStart();
  if (body === "") return false;
  return (
    /^<(!doctype|html|head|body|\?xml)/i.test(body) || Boolean(answer.headers["content-type"]?.includes("text/html"))
  );
}

/** Returns a code that may come over the wire. Codes with status 0 exist only in the client. */
function parseWireCode(code: unknown): ErrorCode | undefined {
  return isErrorCode(code) && ERRORS[code].status !== 0 ? code : undefined;
}

/** Returns the code for known error texts of backends that send no codes. */
function findGuideCode(body: Record<string, unknown>, route: Route): ErrorCode | undefined {
  const text = `${typeof body.error === "string" ? body.error : ""} ${typeof body.message === "string" ? body.message : ""}`;
  if (body.session_reset_required === true) return "SESSION_INVALID";
  if (route === "confirm" && /\balready\b/i.test(text)) return "CONFIRMATION_USED";
  if (route === "ask" && /invalid or expired session_id/i.test(text)) return "SESSION_NOT_FOUND";
  if (route === "ask" && /api key is not configured/i.test(text)) return "MODEL_NOT_CONFIGURED";
  return undefined;
}

const STATUS_CODES: Record<number, ErrorCode> = {
  400: "INVALID_REQUEST",
  401: "TOKEN_INVALID",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  408: "TIMED_OUT",
  413: "PAYLOAD_TOO_LARGE",
  422: "INVALID_REQUEST",
  429: "RATE_LIMITED",
  500: "INTERNAL",
  502: "BAD_GATEWAY",
  503: "BAD_GATEWAY",
  504: "BAD_GATEWAY",
};

const ROUTE_CODES: Partial<Record<Route, Record<number, ErrorCode>>> = {
  status: { 400: "STATE_INVALID", 401: "VERIFIER_INVALID", 404: "STATE_INVALID", 410: "STATE_USED" },
  refresh: { 400: "REFRESH_INVALID", 401: "REFRESH_INVALID", 403: "REFRESH_INVALID" },
  ask: { 404: "SESSION_NOT_FOUND" },
  // The command sends no other field that could be wrong than the token.
  confirm: {
    400: "CONFIRMATION_NOT_FOUND",
    422: "CONFIRMATION_NOT_FOUND",
    404: "CONFIRMATION_NOT_FOUND",
    409: "CONFIRMATION_USED",
    410: "CONFIRMATION_EXPIRED",
  },
};

function getStatusCode(status: number, route: Route): ErrorCode {
  return ROUTE_CODES[route]?.[status] ?? STATUS_CODES[status] ?? (status > 500 ? "BAD_GATEWAY" : "BAD_ANSWER");
}

/** Whether a text is a sentence rather than an error code. */
function isSentence(text: string): boolean {
  return text.trim() !== "" && !/^[A-Z][A-Z0-9_]*$/.test(text.trim());
}

/**
 * Returns the error for an answer of a gateway or web page. Some statuses keep their meaning; any other is not an
 * answer of a backend.
 */
function unexpectedFailureProblem(answer: Incoming, context: AnswerContext): Problem {
  if (answer.status === 429) return rateLimitedProblem(answer, context);
  if (answer.status >= 500) return unexpectedAnswerProblem(answer, context, "BAD_GATEWAY");
  const plain = [401, 408, 413].includes(answer.status) || answer.body.trim() === "";
  return unexpectedAnswerProblem(answer, context, plain ? getStatusCode(answer.status, context.route) : "BAD_ANSWER");
}

/** @param data the hint of the backend, which counts if the answer names no time */
function rateLimitedProblem(
  answer: Incoming,
  { host, now }: AnswerContext,
  sentence?: string,
  data?: unknown,
): Problem {
  const wait = parseRetryAfter(answer.headers, now);
  const details = { http_status: 429, ...(wait === null ? {} : { retry_after: Math.ceil(wait / 1000) }) };
  const knownHint = typeof data === "string" ? { hint: clean(data, { lines: false, max: MAX_HINT_LENGTH }) } : {};
  const hint = wait === null || wait < 1_000 ? knownHint : { hint: `Try again in ${formatWait(wait, now)}.` };
  return new Problem("RATE_LIMITED", sentence ?? `${host} received too many requests (429).`, { details, ...hint });
}

/** Fields of the body that commands and scripts use. */
const KNOWN_FIELDS = [
  "status",
  "sent",
  "state",
  "session_reset_required",
  "integration",
  "integrations",
  "sites",
  "expires_at",
  "answered",
  "field",
  "problems",
  "session_id",
  "generation_id",
  "data",
  "receipts",
];

function pickFields(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(KNOWN_FIELDS.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]));
}

function getHint(code: ErrorCode, status: number): { hint?: string } {
  if (code === "INTERNAL" && status >= 500) return { hint: "The backend failed. Try again in a moment." };
  // The hint of the table is for the operator of the backend.
  return code === "DATABASE_UNAVAILABLE" ? { hint: "Try again in a moment." } : {};
}

/** Returns null for the errors of a backend that does not have a call. */
export function ignoreMissingRoute(error: unknown): null {
  if (error instanceof Problem && [401, 404, 405].includes(Number(error.details.http_status))) return null;
  throw error;
}

/** Like {@link ignoreMissingRoute}, for calls that require a sign-in, where 401 has its own meaning. */
export function ignoreMissingAuthRoute(error: unknown): null {
  if (error instanceof Problem && error.details.http_status !== 401) return ignoreMissingRoute(error);
  throw error;
}
