import { APICallError } from "ai";
import { parseServiceFault } from "#connectors/http/errors";
import { toOwnFaultProblem } from "#connectors/http/own-fault";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { redactSecrets } from "#protocol/redact";
import type { AnswerEnd, Call } from "./events.ts";

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
    return new Problem(code, withReason(describeApiError(label, cause), code, cause), { cause: error });
  }
  const name = cause instanceof Error ? cause.name : "";
  const why = /timeout|abort/i.test(name) ? "did not answer in time" : "gave an answer that could not be read";
  return new Problem("MODEL_FAILED", `${label} ${why}.`, { cause: error });
}

/** The answer has no words and no calls. */
export function emptyAnswerProblem(label: string, end: AnswerEnd): Problem {
  if (end === "length")
    return new Problem("MODEL_FAILED", `${label} reached its output limit before it answered.`, { hint: SHORTER_HINT });
  return new Problem("MODEL_FAILED", `${label} returned an empty answer.`);
}

/** The answer ends at the model's output limit. The words that came are in `details.text`, since a script sees no other. */
export function cutAnswerProblem(label: string, text: string): Problem {
  return new Problem("MODEL_FAILED", `The answer is incomplete: ${label} reached its output limit.`, {
    hint: SHORTER_HINT,
    details: { finish_reason: "length", text },
  });
}

/** The provider stopped the answer. */
export function filteredProblem(label: string, text: string): Problem {
  return new Problem("MODEL_FAILED", `The answer was stopped by the content filter of the provider of ${label}.`, {
    hint: "Rephrase the request, or choose another model with `kay config set model`.",
    details: { finish_reason: "content_filter", text },
  });
}

/** A call that the output limit cut looks whole when its JSON happens to be: it is never run. */
export function cutCallProblem({ toolName }: Call): Problem {
  return new Problem(
    "INVALID_REQUEST",
    `Your output limit cut this message, so ${toolName} was not run. Make one call at a time, with shorter text.`,
    { hint: "" },
  );
}

const SHORTER_HINT = "Ask for a shorter answer, or for less at once.";

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

/** Adds the provider's own sentence, which often says what to do: cleaned, cut, and without anything like a key. */
function withReason(sentence: string, code: string, { statusCode = 0, responseBody = "" }: APICallError): string {
  if (code === "CONTEXT_TOO_LONG" || statusCode === 401 || statusCode === 403) return sentence;
  const reason = redactSecrets(cleanLine(parseServiceFault(responseBody).message, 200)).replace(/[.\s]+$/, "");
  return reason ? `${sentence.replace(/\.$/, "")}: ${reason}.` : sentence;
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

/** The answer is a tool call in the model's own notation. */
export function textCallProblem(label: string): Problem {
  return new Problem("MODEL_FAILED", `${label} writes its tool calls as text, so kay cannot run them.`, {
    hint: "Choose a model that supports tool calling. `kay model --test` checks it.",
  });
}

/** Whether an answer is a tool call in one of the notations of open models (Hermes, Llama, Mistral, Harmony). */
export function isTextCall(text: string): boolean {
  return /^\s*(?:<\|?tool_call|<function=|\[TOOL_CALLS\]|<\|(?:channel|python_tag)\|>)/.test(text);
}
