import type { JSONValue, ModelMessage } from "ai";
import { fromWireName, toWireName } from "#protocol/tool-names";
import type { AgentTool } from "../tool.ts";
import { fitJson, fitText } from "./fit-json.ts";

/** Longest tool result on the wire, in characters. Longer ones would crowd out the conversation. */
export const MAX_RESULT_LENGTH = 40_000;

/**
 * Returns the messages as a language model gets them: each tool result once, as data or as text, and none longer than
 * `limit`. Stored messages keep both, since the offline planner and the clients use both.
 */
export function toWireMessages(
  messages: ModelMessage[],
  tools: AgentTool[],
  limit = MAX_RESULT_LENGTH,
): ModelMessage[] {
  const reads = new Set(tools.flatMap(({ name, access }) => (access === "read" ? [toWireName(name)] : [])));
  return messages.map((message) => {
    if (message.role !== "tool") return message;
    const content = message.content.map((part) => {
      if (part.type !== "tool-result") return part;
      if (part.output.type === "error-json")
        return { ...part, output: { ...part.output, value: toWireError(part.output.value, part.toolName) } };
      if (part.output.type !== "json") return part;
      const value = toWireResult(part.output.value, reads.has(part.toolName), limit);
      return { ...part, output: { ...part.output, value } };
    });
    return { ...message, content };
  });
}

/** Returns the length of the longest tool result in characters, as it goes over the wire. */
export function findLongestResult(messages: ModelMessage[]): number {
  const lengths = messages.flatMap((message) => {
    if (message.role !== "tool") return [];
    return message.content.map((part) =>
      part.type === "tool-result" && part.output.type === "json" ? JSON.stringify(part.output.value).length : 0,
    );
  });
  return Math.max(0, ...lengths);
}

function toWireResult(value: JSONValue, isRead: boolean, limit: number): JSONValue {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !("data_from" in value)) return value;
  const { text, data, url, ...rest } = value as Record<string, JSONValue>;
  if (!isRead || !hasContent(data)) {
    const link = typeof url === "string" && !(typeof text === "string" && text.includes(url)) ? { url } : {};
    return { ...rest, ...(typeof text === "string" ? { text: fitText(text, limit) } : {}), ...link };
  }
  const { value: fitted, leftOut } = fitJson(withoutEmptyFields(data), limit);
  return { ...rest, data: fitted, ...(leftOut ? { left_out: leftOut } : {}) };
}

/** A tool that cut its own answer has it only as text. */
function hasContent(data: JSONValue | undefined): data is JSONValue {
  if (typeof data !== "object") return data !== undefined && data !== "";
  if (data === null) return false;
  return !("cut" in data) && Object.keys(data).length > 0;
}

/** Drops fields without a value. Empty lists stay: they say that nothing was found. */
function withoutEmptyFields(value: JSONValue): JSONValue {
  if (Array.isArray(value)) return value.map(withoutEmptyFields);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(
    ([, fieldValue]) => fieldValue !== null && fieldValue !== undefined && fieldValue !== "",
  );
  return Object.fromEntries(entries.map(([name, fieldValue]) => [name, withoutEmptyFields(fieldValue as JSONValue)]));
}

type ErrorFields = { code?: string; integration?: string; message?: string; hint?: string };

/**
 * Returns the error of a call as a model gets it: with advice for the next call. Hints are written for a user of the
 * command line, so one about a command is passed on only as text for the user.
 */
function toWireError(value: JSONValue, toolName: string): JSONValue {
  const { error } = (value ?? {}) as { error?: ErrorFields };
  if (typeof error !== "object" || error === null) return value;
  const { hint, ...rest } = error;
  return { error: { ...rest, ...getAdvice(error, hint, fromWireName(toolName)) } };
}

function getAdvice({ code, integration }: ErrorFields, hint: string | undefined, tool: string): Record<string, string> {
  const isForModel = hint !== undefined && hint !== "" && !hint.includes("`kay ");
  switch (code) {
    case "AUTH_REQUIRED":
      return {
        hint: `Call connect_service${integration ? ` with ${integration}` : ""}, or answer without it and say so.`,
      };
    case "INVALID_REQUEST":
      return {
        hint: isForModel ? hint : `Call ${tool} again with this corrected, or ask the user for what is missing.`,
      };
    case "NOT_FOUND":
    case "UNKNOWN_SERVICE":
      return {
        hint: isForModel ? hint : "Call a tool that lists or searches to find the right name, or ask the user.",
      };
    case "OUTCOME_UNKNOWN":
      return { hint: "Do not call it again. Read whether it took effect, and tell the user." };
    default:
      return isForModel ? { hint } : hint ? { for_the_user: hint } : {};
  }
}
