import { APICallError } from "ai";
import { toOwnFaultProblem } from "#connectors/http/own-fault";
import { Problem } from "#protocol/errors";

/**
 * Converts a provider's failure to one sentence. The provider's own text may quote the key or the request, so it stays
 * in `cause`, for the redacted log.
 *
 * @param label the model's label, such as `OpenAI gpt-6-astra`
 */
export function toModelProblem(label: string, error: unknown): Problem {
  const cause = findRootError(error);
  const own = toOwnFaultProblem("MODEL_FAILED", label, error);
  if (own) return own;
  if (APICallError.isInstance(cause)) {
    const code = isTooLong(cause) ? "CONTEXT_TOO_LONG" : "MODEL_FAILED";
    return new Problem(code, describeApiError(label, cause), { cause: error });
  }
  const name = cause instanceof Error ? cause.name : "";
  const why = /timeout|abort/i.test(name) ? "did not answer in time" : "gave an answer that could not be read";
  return new Problem("MODEL_FAILED", `${label} ${why}.`, { cause: error });
}

function describeApiError(label: string, error: APICallError): string {
  const { statusCode: status, responseBody = "" } = error;
  if (status === undefined) return `${label} could not be reached.`;
  // Gemini answers an invalid key with HTTP 400.
  const badKey = status === 400 && /api.?key/i.test(`${error.message} ${responseBody}`);
  if (status === 401 || status === 403 || badKey) return `${label} refused the API key (HTTP ${status}).`;
  if (isTooLong(error)) return `The conversation is too long for ${label}; start a new one.`;
  if (status === 404) return `${label} is not available from its provider (HTTP 404).`;
  if (status === 429)
    return `${label} accepts no more requests for now: its rate limit or quota is exhausted (HTTP 429).`;
  if (status >= 500) return `${label} failed on the provider's side (HTTP ${status}).`;
  if (status >= 200 && status < 300) return `${label} gave an answer that could not be read.`;
  return `${label} refused the request (HTTP ${status}).`;
}

function isTooLong({ statusCode = 0, message, responseBody = "" }: APICallError): boolean {
  return statusCode >= 400 && statusCode < 500 && statusCode !== 429 && TOO_LONG.test(`${message} ${responseBody}`);
}

/** Returns the provider's error inside the SDK's retry error. */
function findRootError(error: unknown): unknown {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (APICallError.isInstance(current)) return current;
    const inner = (current as { lastError?: unknown }).lastError ?? current.cause;
    if (inner === undefined) break;
    current = inner;
  }
  return current;
}

const TOO_LONG =
  /context.?length|context.?window|too many tokens|prompt is too long|maximum context|token count.*exceed|input is too long/i;
