import { Problem } from "#protocol/errors";
import { toWireName } from "#protocol/tool-names";
import type { AnswerEnd, Call } from "../events.ts";
import { OTHER_MODEL, TOOLS_HINT } from "./model-problem.ts";

/** Creates the error for an answer without text and calls. */
export function emptyAnswerProblem(label: string, end: AnswerEnd): Problem {
  if (end === "length")
    return new Problem("MODEL_FAILED", `${label} reached its output limit before it answered.`, { hint: SHORTER_HINT });
  return new Problem("MODEL_FAILED", `${label} returned an empty answer.`);
}

/** Creates the error for an answer that ends at the model's output limit. Scripts read its text from `details.text`. */
export function cutAnswerProblem(label: string, text: string): Problem {
  return new Problem("MODEL_FAILED", `The answer is incomplete: ${label} reached its output limit.`, {
    hint: SHORTER_HINT,
    details: { finish_reason: "length", text },
  });
}

/** Returns the problem of a message that may not be used at all: stopped by a filter, refused, or broken off. */
export function findUnusableEnd(label: string, { end, text }: { end: AnswerEnd; text: string }): Problem | undefined {
  if (end === "filter") return filteredProblem(label, text);
  if (end === "refusal") return refusedProblem(label, text);
  return end === "broken" ? brokenAnswerProblem(label, text) : undefined;
}

/** Creates the error for an answer that the provider's filter stopped. */
function filteredProblem(label: string, text: string): Problem {
  return new Problem("MODEL_FAILED", `The answer was stopped by the content filter of the provider of ${label}.`, {
    hint: `Rephrase the request, or ${OTHER_MODEL}.`,
    details: { finish_reason: "content_filter", text },
  });
}

/** Creates the error for a refusal. Its text, if any, is in `details.text`. */
function refusedProblem(label: string, text: string): Problem {
  return new Problem("MODEL_FAILED", `${label} refused to answer.`, {
    hint: `Rephrase the request, or ${OTHER_MODEL}.`,
    details: { finish_reason: "refusal", text },
  });
}

/** Creates the error for a stream that ended without a reason. Its text may be a part of the answer. */
function brokenAnswerProblem(label: string, text: string): Problem {
  return new Problem("MODEL_FAILED", `The answer of ${label} ended before it was complete.`, {
    details: { finish_reason: "error", text },
  });
}

/** Creates the error for a call that the output limit cut. It is never run, even if its JSON looks complete. */
export function cutCallProblem({ toolName }: Call): Problem {
  return new Problem(
    "INVALID_REQUEST",
    `Your output limit cut this message, so ${toolName} was not run. Make one call at a time, with shorter text.`,
    { hint: "" },
  );
}

/** Creates the error for an answer that is a tool call in the model's own notation. */
export function textCallProblem(label: string): Problem {
  return new Problem("MODEL_FAILED", `${label} writes its tool calls as text, so kay cannot run them.`, {
    hint: TOOLS_HINT,
  });
}

/** Whether an answer has nothing to read: white space, invisible characters, or marks that end an answer. */
export function isBlank(text: string): boolean {
  return text.replace(END_MARK, "").replace(/[\p{C}\p{Z}\s]/gu, "") === "";
}

/** Marks of Llama, Qwen, Mistral, Gemma, Phi and DeepSeek that a server should have removed. */
const END_MARK =
  /<\|(?:im_end|im_start|eot_id|eom_id|end|end_of_text|endoftext|return)\|>|<\/?s>|<end_of_turn>|<｜end▁of▁sentence｜>/g;

/** Whether an answer is a tool call in a notation of open models. Notations without marks count only for these tools. */
export function isTextCall(text: string, tools: string[]): boolean {
  if (MARK.test(text)) return true;
  const names = new Set(tools.flatMap((name) => [name, toWireName(name)]));
  const hasToolName = [...text.matchAll(JSON_NAME)].some(([, name, key]) => names.has(name ?? key ?? ""));
  if (hasToolName && JSON_INPUT.test(text) && /[}\]](?:\s*```)?\s*$/.test(text)) return true;
  return [...text.matchAll(CALL)].some(([, ...captures]) =>
    names.has(captures.find((name) => name !== undefined) ?? ""),
  );
}

/** Marks of Hermes, Llama, Mistral, Harmony, DeepSeek, Kimi, Phi, Cohere, Gemma, Cline and Anthropic's old notation, at the start of a line. */
const MARK =
  /^[ \t]*(?:<\|?(?:\w+[_:])?tool_?(?:calls?|use)\b|<function(?:=|_calls?>| name=)|<(?:antml:)?invoke name=|<use_mcp_tool>|\[TOOL_CALLS\]|TOOL_CALLS?:|<\|(?:start|channel|python_tag|tool_calls?_\w+|START_ACTION)\|>|<｜(?:tool▁calls?▁|DSML｜)|to=functions\.|functools\[|```tool_code)/im;

/** A tool as a value, `"name": "jira__search"`, or as the only key, `{"jira__search": {`. */
const JSON_NAME =
  /"(?:name|tool|tool_name|function|action)"\s*:\s*"([\w.-]{1,100})"|^(?:```(?:json)?\s*)?\s*\{\s*"([\w.-]{1,100})"\s*:\s*\{/g;

const JSON_INPUT =
  /"(?:arguments|parameters|args|input|tool_input|action_input)"\s*:|^(?:```(?:json)?\s*)?\s*\{\s*"[\w.-]{1,100}"\s*:\s*\{/;

/** A line that is a call: `jira__search(…)`, `[jira__search(…)]`, `jira__search {…}`, `<jira__search>`, `Action: jira__search`. */
const CALL =
  /^[ \t[]*(?:print\()?(?:default_api\.|functions\.)?([\w.-]{1,100})(?:\([^\n]*\)\]?|[ \t]*\{[^\n]*\})[ \t]*$|^[ \t]*<([\w.-]{1,100})>|^[ \t]*Action:[ \t]*([\w.-]{1,100})[ \t]*$/gm;

const SHORTER_HINT = "Ask for a shorter answer, or for less at once.";
