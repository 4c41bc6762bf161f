import type { LanguageModelMiddleware } from "ai";
import { isRecord, tryParseJson } from "#protocol/json";
import { repairArguments } from "../calls/loose-json.ts";

/** A part of a model's stream. */
export type StreamPart =
  Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

type ToolCall = Extract<StreamPart, { type: "tool-call" }>;

/**
 * Creates a transform that corrects the names and arguments of calls, and makes several calls of one that has them as its
 * input. The beginning of a call whose name fits no tool is left out, since it may be several.
 */
export function createCallTransform(tools: string[]): TransformStream<StreamPart, StreamPart> {
  const hidden = new Set<string>();
  return new TransformStream({
    transform(part, controller) {
      if ((part.type === "tool-input-delta" || part.type === "tool-input-end") && hidden.has(part.id)) return;
      const isCall = part.type === "tool-input-start" || part.type === "tool-call";
      if (!isCall || part.providerExecuted) return controller.enqueue(part);
      const toolName = correctToolName(part.toolName, tools);
      const isKnown = tools.includes(toolName);
      if (part.type === "tool-call") {
        const call = { ...part, toolName, input: repairArguments(part.input) };
        for (const splitPart of isKnown ? [call] : splitCall(call, tools)) controller.enqueue(splitPart);
      } else if (isKnown) controller.enqueue({ ...part, toolName });
      else hidden.add(part.id);
    },
  });
}

/**
 * Returns the calls within a call, `{"tool_uses": [{"recipient_name": "functions.jira__search", "parameters": {…}}]}`, as
 * OpenAI's models make it for `multi_tool_use.parallel`. A call with anything else in it stays as it is.
 */
function splitCall(call: ToolCall, tools: string[]): ToolCall[] {
  const input = tryParseJson(call.input);
  const uses: unknown[] = isRecord(input) ? (Object.values(input).find(Array.isArray) ?? []) : [];
  const calls = uses.filter(isRecord).flatMap((use, index) => {
    const name = use.recipient_name ?? use.tool_name ?? use.tool ?? use.name;
    const input = use.parameters ?? use.arguments ?? use.input ?? {};
    const toolName = correctToolName(String(name), tools);
    if (!tools.includes(toolName)) return [];
    const text = typeof input === "string" ? repairArguments(input) : JSON.stringify(input);
    return [{ ...call, toolCallId: `${call.toolCallId}_${index + 1}`, toolName, input: text }];
  });
  return calls.length > 0 && calls.length === uses.length ? calls : [call];
}

/**
 * Corrects a tool name that a model spells in its own way: `functions.jira__search`, `default_api:jira__search`,
 * `mcp__kay__jira__search`, `functions.jira__search:0`, `jira__search<|channel|>commentary`, `jira_search`, or the name twice, as servers that send it
 * with each piece make it. A name that fits no tool, or more than one, stays as it is.
 */
function correctToolName(name: string, names: string[]): string {
  if (names.includes(name)) return name;
  const parts = name.replace(/<\|.*$|:\d{1,3}$/s, "").split(/[^A-Za-z0-9]+/);
  for (let first = 0; first < Math.min(parts.length, MAX_PARTS); first++) {
    const letters = toLetters(parts.slice(first).join(""));
    const matches = names.filter((name) => letters === toLetters(name) || letters === toLetters(name).repeat(2));
    if (matches.length > 0) return matches.length === 1 ? (matches[0] as string) : name;
  }
  return name;
}

/** Most parts of a name: a longer one is not the name of a tool with a prefix. */
const MAX_PARTS = 12;

function toLetters(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
