import type { LanguageModelMiddleware } from "ai";
import { isRecord, tryParseJson } from "#protocol/parse-json";
import { repairArguments } from "../calls/loose-json.ts";
import { correctToolName } from "./tool-names.ts";

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
        for (const each of isKnown ? [call] : splitCall(call, tools)) controller.enqueue(each);
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
    const given = use.parameters ?? use.arguments ?? use.input ?? {};
    const toolName = correctToolName(String(name), tools);
    if (!tools.includes(toolName)) return [];
    const text = typeof given === "string" ? repairArguments(given) : JSON.stringify(given);
    return [{ ...call, toolCallId: `${call.toolCallId}_${index + 1}`, toolName, input: text }];
  });
  return calls.length > 0 && calls.length === uses.length ? calls : [call];
}
