import { APICallError } from "ai";
import { parseServiceFault } from "#connectors/http/service-fault";
import { parseRetryAfter } from "#net/retry-after";
import { tryParseJson } from "#protocol/json";
import { getPageTitle } from "#protocol/page-title";

/** A fault that a provider reported, in the answer to a request or in the middle of its stream. */
export type ModelFault = {
  /** HTTP status; absent when nothing answered. */
  status?: number;
  /** The provider's own sentence, without its period. */
  reason: string;
  /** The title of the answer if it is a web page: of a proxy, or of a page to sign in. */
  page?: string;
  /** Everything that was reported, to recognize kinds of errors. */
  text: string;
  /** How long the provider asks to wait, in ms. */
  waitMs?: number;
  /** The request was accepted, and the error came in the stream. */
  isStreamed: boolean;
};

/** Reads a provider's error. Returns undefined for an error that no provider reported. */
export function readModelFault(error: unknown): ModelFault | undefined {
  const causes = listCauses(error);
  const refusal = causes.find((cause) => APICallError.isInstance(cause));
  // The SDK gives a stream that breaks off the status of its beginning.
  if (refusal && !(refusal.statusCode === 200 && !refusal.responseBody && refusal.cause)) return readApiError(refusal);
  const report = causes.map(findReport).find((candidate) => candidate !== undefined);
  if (report === undefined) return undefined;
  const text = JSON.stringify(report);
  return { reason: readReason(text), text, isStreamed: true, ...toWait(readRetryDelay(text)) };
}

/** Whether the connection ended before the answer did. */
export function isConnectionLost(error: unknown): boolean {
  return listCauses(error).some((cause) => {
    if (!(cause instanceof Error)) return false;
    const { code } = cause as Error & { code?: unknown };
    return LOST_CODES.has(String(code)) || LOST.test(cause.message);
  });
}

/** Whether a time limit ended the request. */
export function isTimeout(error: unknown): boolean {
  return listCauses(error).some((cause) => cause instanceof Error && /timeout|abort/i.test(cause.name));
}

const LOST_CODES = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_BODY_TIMEOUT"]);

const LOST =
  /^(?:terminated|network error|socket hang up)$|other side closed|ended without a finish reason|stream (?:ended|closed) (?:before|unexpectedly)/i;

/** Lists an error and its causes; the SDK's retry error has the last attempt as its cause. */
function listCauses(error: unknown): unknown[] {
  const causes: unknown[] = [error];
  for (let current = error; current instanceof Error && causes.length < 6; ) {
    current = (current as { lastError?: unknown }).lastError ?? current.cause;
    if (current !== undefined) causes.push(current);
  }
  return causes;
}

function readApiError({
  statusCode,
  message,
  responseBody = "",
  responseHeaders = {},
  data,
}: APICallError): ModelFault {
  // An error that opens a stream has an HTTP status but no body.
  const body = responseBody || JSON.stringify(data ?? "") || "";
  const inMs = Number(responseHeaders["retry-after-ms"] ?? Number.NaN);
  const waitMs = inMs > 0 ? inMs : (parseRetryAfter(responseHeaders, Number.NaN) ?? readRetryDelay(body));
  return {
    ...(statusCode === undefined ? {} : { status: statusCode }),
    reason: readReason(body),
    page: getPageTitle(body) || undefined,
    text: `${message} ${body}`,
    isStreamed: statusCode !== undefined && statusCode < 300,
    ...toWait(waitMs),
  };
}

/** Finds the object or text that a provider sent as its error, also inside the SDK's error about an unknown shape. */
function findReport(error: unknown): unknown {
  if (typeof error === "string" && error.trim() !== "") return { message: error };
  if (typeof error !== "object" || error === null) return undefined;
  if (!(error instanceof Error)) return error;
  const { value, data, text } = error as { value?: unknown; data?: unknown; text?: unknown };
  const report = [value, data, typeof text === "string" ? tryParseJson(text) : undefined].find(
    (candidate) => typeof candidate === "object" && candidate !== null,
  );
  return report !== undefined && readReason(JSON.stringify(report)) !== "" ? report : undefined;
}

function readReason(body: string): string {
  // Gemini wraps its error in a list.
  const first = tryParseJson(body);
  const { message } = parseServiceFault(Array.isArray(first) ? JSON.stringify(first[0]) : body);
  const upstream = readUpstream(first);
  // A gateway may pass the JSON of its upstream on as a text.
  const inner = typeof first === "string" && first !== body ? first : upstream;
  return (inner ? readReason(inner) || message : message) || readCode(first);
}

/** Returns the code of an error without words: "rate limit exceeded", "code 429". */
function readCode(body: unknown): string {
  const { error = body } = (body ?? {}) as { error?: unknown };
  const { code, type } = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
  const word = [code, type].find((one) => typeof one === "string" && one !== "");
  if (word) return String(word).replaceAll("_", " ");
  return typeof code === "number" ? `code ${code}` : "";
}

/** OpenRouter's own sentence is "Provider returned error"; the provider's is in `error.metadata.raw`. */
function readUpstream(body: unknown): string | undefined {
  const error = (body as { error?: unknown } | null)?.error ?? body;
  const raw = (error as { metadata?: { raw?: unknown } } | null)?.metadata?.raw;
  if (typeof raw === "string") return /^\s*[[{<"]/.test(raw) ? raw : JSON.stringify({ message: raw });
  return typeof raw === "object" && raw !== null ? JSON.stringify(raw) : undefined;
}

/** Gemini reports the wait in its body as `"retryDelay": "34s"`, OpenAI and Groq as "try again in 7m12.5s". */
function readRetryDelay(body: string): number | null {
  const match = /"retryDelay":\s*"()(\d{1,6})(?:\.\d+)?s"|try again in (?:(\d{1,4})m)?(\d{1,6})(?:\.\d+)?s\b/i.exec(
    body,
  );
  if (!match) return null;
  return (Number(match[1] || match[3] || 0) * 60 + Number(match[2] ?? match[4])) * 1_000;
}

function toWait(waitMs: number | null): { waitMs?: number } {
  return waitMs === null ? {} : { waitMs };
}
