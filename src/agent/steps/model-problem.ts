import { findNetworkHint, toOwnFaultProblem } from "#connectors/http/own-fault";
import { formatWait } from "#net/retry-after";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { REDACTED, redactSecrets } from "#protocol/redact";
import type { ModelKey } from "../models/key.ts";
import { isConnectionLost, isTimeout, type ModelFault, readModelFault } from "./model-fault.ts";

/** A model as errors name it: its label, such as `OpenAI gpt-6-astra`, and its key. */
export type ModelSource = { label: string; key?: ModelKey };

/**
 * Converts a provider's failure to a sentence with the provider's own reason and what to do. The error itself may quote the
 * key or the request, so it stays in `cause`, for the redacted log.
 */
export function toModelProblem(model: ModelSource, error: unknown): Problem {
  const ownProblem = toOwnFaultProblem("MODEL_FAILED", model.label, error);
  if (ownProblem) return ownProblem;
  const fault = readModelFault(error);
  if (fault && isTooLong(fault)) {
    const words = `The conversation is too long for ${model.label}; start a new one.`;
    return new Problem("CONTEXT_TOO_LONG", words, { cause: error });
  }
  if (fault)
    return new Problem("MODEL_FAILED", describeFault(model, fault), { ...getHint(model, fault, error), cause: error });
  return new Problem("MODEL_FAILED", `${describeOwnError(model, error)}.`, { cause: error });
}

function describeOwnError({ label }: ModelSource, error: unknown): string {
  if (isTimeout(error)) return `${label} did not answer in time`;
  if (isConnectionLost(error)) return `The connection to ${label} was lost before its answer was complete`;
  return `${label} gave an answer that could not be read`;
}

function describeFault(model: ModelSource, fault: ModelFault): string {
  // Without the key, it cannot be removed from what the provider says about it.
  const reason = isKeyRefused(fault) && !model.key ? "" : cleanReason(fault.reason, model);
  const wait = fault.waitMs ? ` It asks to wait ${formatWait(fault.waitMs)}.` : "";
  const page = fault.page && !reason ? ` Its answer is the web page “${fault.page}”.` : "";
  return `${describeStatus(model, fault)}${reason ? `: ${reason}` : ""}.${page}${wait}`;
}

function describeStatus({ label, key }: ModelSource, fault: ModelFault): string {
  const { status, isStreamed } = fault;
  if (cannotCallTools(fault))
    return `${label} cannot call tools, which kay needs${isStreamed ? "" : ` (HTTP ${status})`}`;
  if (isStreamed) return `${label} reported an error in its answer`;
  if (OTHER_API.test(fault.text)) return `${label} answers with Chat Completions instead of OpenAI's Responses`;
  if (status === undefined) return `${label} could not be reached`;
  if (isKeyRefused(fault) && key && !key.isSet) return `${label} requires an API key (HTTP ${status})`;
  if (isKeyRefused(fault)) return `${label} refused the API key${key ? ` in ${key.variable}` : ""} (HTTP ${status})`;
  if (status === 403) return `${label} denied access (HTTP 403)`;
  if (status === 404) return `${label} is not available from its provider (HTTP 404)`;
  if (status === 429)
    return `${label} accepts no more requests for now: its rate limit or quota is exhausted (HTTP 429)`;
  if (status >= 500) return `${label} failed on the provider's side (HTTP ${status})`;
  return `${label} refused the request (HTTP ${status})`;
}

function getHint({ label, key }: ModelSource, fault: ModelFault, error: unknown): { hint?: string } {
  const network = fault.status === undefined && findNetworkHint(error);
  if (network) return { hint: network };
  if (cannotCallTools(fault)) return { hint: TOOLS_HINT };
  if (key && isKeyRefused(fault)) return { hint: `${key.isSet ? "Check" : "Set"} ${key.variable}, or ${OTHER_MODEL}.` };
  if (key && fault.status === 403) return { hint: `Check what the key in ${key.variable} may use, or ${OTHER_MODEL}.` };
  if (isUnpaid(fault)) return { hint: `Check your plan and credit at the provider, or ${OTHER_MODEL}.` };
  if (isWrongAddress(fault)) return { hint: ADDRESS_HINT };
  if (fault.status === 404 && label.startsWith("Ollama "))
    return { hint: `Run \`ollama pull ${label.slice(7)}\`, or ${OTHER_MODEL}.` };
  if (fault.status === 404)
    return { hint: "Run `kay model list` to see the models, and choose one with `kay config set model`." };
  if (fault.waitMs) return { hint: `Try again in ${formatWait(fault.waitMs)}, or ${OTHER_MODEL}.` };
  return {};
}

/** Whether no model API answers at this address. A provider's own 404 names the model. */
function isWrongAddress({ status = 0, reason, text }: ModelFault): boolean {
  if (OTHER_API.test(text)) return true;
  const isMissing =
    status === 404 && (reason === "" || !/model|deployment|endpoints|engine/i.test(`${reason} ${text}`));
  return isMissing || status === 405 || (status >= 300 && status < 400);
}

/** The SDK's own sentence. */
const OTHER_API = /^Received a Chat Completions stream/;

const ADDRESS_HINT =
  "Check the base URL of the provider. A server with OpenAI's Chat Completions needs the provider `openai-compatible`, and its URL often ends in /v1.";

/** Creates the error for a server that answers with a web page, as it does at another address than that of its API. */
export function webPageProblem(label: string): Problem {
  return new Problem("MODEL_FAILED", `${label} answered with a web page instead of an answer.`, { hint: ADDRESS_HINT });
}

/** Creates the error for a redirect that is not followed. */
export function movedProblem(label: string, { host }: URL): Problem {
  return new Problem("MODEL_FAILED", `${label} redirected the request to ${host}, so nothing was sent there.`, {
    hint: ADDRESS_HINT,
  });
}

/** Hint for a model that fails, as the end of a sentence. */
export const OTHER_MODEL = "choose another model with `kay config set model`";

/** Hint for a model that cannot call tools. */
export const TOOLS_HINT = "Choose a model that supports tool calling. `kay model --test` checks it.";

/** Cleans and cuts the provider's sentence, and removes anything like a key. */
function cleanReason(reason: string, { key }: ModelSource): string {
  const line = cleanLine(reason, MAX_REASON_LENGTH).replace(KEY_PREFIX, REDACTED);
  return redactSecrets(key?.hide(line) ?? line).replace(/(?<![.\s])[.\s]+$/, "");
}

/** How providers' keys begin, however much of one is quoted. */
const KEY_PREFIX = /\b(?:sk|pk|gsk|hf|xai|AIza|api|key)[-_][\w*-]+/g;

const MAX_REASON_LENGTH = 300;

/** Gemini answers an invalid key with HTTP 400. */
function isKeyRefused({ status, text }: ModelFault): boolean {
  return status === 401 || ((status === 400 || status === 403) && /api.?key/i.test(text));
}

function isUnpaid({ status, text }: ModelFault): boolean {
  return status === 402 || /insufficient.?(?:quota|credit|balance|funds)|credit balance|billing/i.test(text);
}

function cannotCallTools({ status = 0, text, isStreamed }: ModelFault): boolean {
  return (isStreamed || status >= 400) && status !== 429 && NO_TOOLS.test(text);
}

/** Ollama, OpenRouter, Groq, vLLM and llama.cpp, in their words. */
const NO_TOOLS =
  /(?:not support(?:ed)?|no support for|that support|unsupported)\b.{0,40}\b(?:tools?\b|tool.?(?:use|call)|function.?call)|(?:tools?\b|tool.?(?:use|call\w*|choice)|function.?call\w*)[`'"]?.{0,40}(?:not support|unsupported|requires --)/i;

function isTooLong({ status, text }: ModelFault): boolean {
  if (status === 413) return true;
  return (status === undefined || (status >= 200 && status < 500 && status !== 429)) && TOO_LONG.test(text);
}

const TOO_LONG =
  /context.?(?:length|window|size)|too many tokens|prompt is too long|maximum context|token count.{0,200}exceed|input is too long|too large for model|n_keep|exceeds the available/i;
