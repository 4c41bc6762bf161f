import { APICallError } from "ai";
import { parseServiceFault } from "#connectors/http/errors";
import { parseRetryAfter } from "#net/retry-after";

/** What a provider reported, in the answer to a request or in the middle of its stream. */
export type ModelFault = {
  /** HTTP status; absent when nothing answered. */
  status?: number;
  /** The provider's own sentence, without its period. */
  reason: string;
  /** Everything that was reported, to recognize kinds of errors. */
  text: string;
  /** How long the provider asks to wait, in ms. */
  waitMs?: number;
  /** The request was accepted, and the error came in the stream. */
  isStreamed: boolean;
};

/** Reads a provider's error. Undefined for an error that no provider reported. */
export function readModelFault(error: unknown): ModelFault | undefined {
  const root = findRootError(error);
  if (APICallError.isInstance(root)) return readApiError(root);
  const reported = findReport(root);
  if (reported === undefined) return undefined;
  const text = JSON.stringify(reported);
  return { reason: readReason(text), text, isStreamed: true, ...toWait(readRetryDelay(text)) };
}

/** Whether the connection ended before the answer did. */
export function isConnectionLost(error: unknown): boolean {
  const root = findRootError(error);
  const { name = "", message = "", code = "" } = root instanceof Error ? (root as Error & { code?: string }) : {};
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_BODY_TIMEOUT/.test(String(code))) return true;
  return /^(?:terminated|network error|socket hang up|fetch failed)$|other side closed/i.test(message)
    ? name !== "AbortError"
    : /ended without a finish reason|stream (?:ended|closed) (?:before|unexpectedly)/i.test(message);
}

/** Returns the provider's error inside the SDK's retry error. */
export function findRootError(error: unknown): unknown {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (APICallError.isInstance(current)) return current;
    const inner = (current as { lastError?: unknown }).lastError ?? current.cause;
    if (inner === undefined) break;
    current = inner;
  }
  return current;
}

function readApiError({
  statusCode,
  message,
  responseBody = "",
  responseHeaders = {},
  data,
}: APICallError): ModelFault {
  // An error that opens a stream has an HTTP status of its own making and no body.
  const body = responseBody || JSON.stringify(data ?? "") || "";
  const waitMs = parseRetryAfter(responseHeaders, Number.NaN) ?? readRetryDelay(body);
  return {
    ...(statusCode === undefined ? {} : { status: statusCode }),
    reason: readReason(body),
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
  const sent = [value, data, parse(text)].find((each) => typeof each === "object" && each !== null);
  return sent !== undefined && readReason(JSON.stringify(sent)) !== "" ? sent : undefined;
}

function readReason(body: string): string {
  // Gemini wraps its error in a list.
  const first = parse(body);
  return parseServiceFault(Array.isArray(first) ? JSON.stringify(first[0]) : body).message;
}

/** Gemini reports the wait in its body: `"retryDelay": "34s"`. */
function readRetryDelay(body: string): number | null {
  const seconds = /"retryDelay":\s*"(\d{1,6})(?:\.\d+)?s"/.exec(body)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

function toWait(waitMs: number | null): { waitMs?: number } {
  return waitMs === null ? {} : { waitMs };
}

function parse(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
