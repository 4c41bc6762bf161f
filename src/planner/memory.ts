import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Field } from "./fields.ts";

/**
 * What "it", "the first one" and the like can mean: the newest result and its items, and the past calls, newest first.
 */
export type Memory = {
  items: Item[];
  asked: AskedCall[];
  result?: Item;
  /** What the last request passed on. */
  passed?: Memory;
};

/** A past call. Calls of one `step` were made together. */
export type AskedCall = { tool: string; input: Item; step?: number | undefined };

export type Item = Record<string, unknown>;

/** A call of this turn with its result. `name` is that of the tool with its account. */
export type CompletedCall = {
  id: string;
  tool: string;
  name?: string;
  input: Item;
  step?: number;
  result?: Item;
  error?: Failure;
};

/** Why a call did not work. `denied`: the user denied it. */
type Failure = { message: string; hint?: string; code?: string; denied?: boolean };

/** The calls of some messages with what came back, in their order. */
export function listCalls(messages: LanguageModelV4Prompt, toPlainName: (tool: string) => string): CompletedCall[] {
  const calls: CompletedCall[] = [];
  for (const [step, message] of messages.entries()) {
    if (message.role === "assistant") {
      for (const part of message.content) {
        if (part.type === "tool-call")
          calls.push({
            id: part.toolCallId,
            tool: toPlainName(part.toolName),
            name: part.toolName,
            input: toRecord(part.input),
            step,
          });
      }
    }
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type !== "tool-result") continue;
      const call = calls.findLast(({ id }) => id === part.toolCallId);
      if (call) Object.assign(call, getResult(part.output));
    }
  }
  return calls;
}

/** What some calls leave to refer to; the newest result that has anything counts. */
export function buildMemory(calls: CompletedCall[]): Memory {
  const ofServices = calls.filter(({ tool, error }) => error === undefined && isServiceTool(tool));
  const found = ofServices.filter((call) => call.result !== undefined);
  const { result, step } = found.at(-1) ?? {};
  // "The first one" of two lists is neither.
  const isOne = found.filter((call) => call.step !== undefined && call.step === step).length < 2;
  return {
    items: isOne ? listItems(result?.data) : [],
    // A cursor continues one list, and none with other values.
    asked: ofServices.map(({ tool, step, input: { cursor: _, ...input } }) => ({ tool, step, input })).reverse(),
    ...(result ? { result } : {}),
  };
}

/** Tools of services are named `service.verb`; others belong to the agent itself. */
export function isServiceTool(tool: string): boolean {
  return /__|\./.test(tool);
}

/** The service of a tool, with its account: the `jira` of `jira__search`. */
export function getService(tool: string): string {
  return tool.split(/__|\./)[0] ?? tool;
}

/** The value that an item has for a field: by the field's name, by the look of the value, or the item's own id. */
export function getFieldValue(item: Item, field: Field): string | number | undefined {
  const named = usable(item[field.name], field);
  if (named !== undefined) return named;
  const others =
    field.kind === "key" || field.kind === "number" ? IDS : [`${field.name}_id`, ...IDS, "full_name", "name", "title"];
  for (const name of others) {
    const value = usable(item[name], field);
    if (value !== undefined) return value;
  }
  return undefined;
}

function usable(value: unknown, field: Field): string | number | undefined {
  if (typeof value === "number") return field.kind === "number" || field.kind === "name" ? value : undefined;
  if (typeof value !== "string" || value === "") return undefined;
  if (field.kind === "number") return /^\d+$/.test(value) ? Number(value) : undefined;
  return field.kind === "key" && !field.shape?.test(value) ? undefined : value;
}

/** The things in a result's data: its longest list of objects, or the one object that it is. */
export function listItems(data: unknown, depth = 0): Item[] {
  if (Array.isArray(data)) return data.filter(isItem);
  if (!isItem(data) || depth > 2) return [];
  const lists = Object.values(data).filter((value): value is unknown[] => Array.isArray(value) && value.some(isItem));
  if (IDS.some((name) => data[name] !== undefined)) return [data];
  const list = lists.toSorted((a, b) => b.length - a.length)[0];
  if (list) return list.filter(isItem);
  const inner = Object.values(data).find(isItem);
  return inner ? listItems(inner, depth + 1) : Object.values(data).some(Array.isArray) ? [] : [data];
}

function getResult(output: { type: string; value?: unknown; reason?: string }): Partial<CompletedCall> {
  if (output.type === "json") return { result: toRecord(output.value) };
  if (output.type === "execution-denied") return { error: { message: output.reason ?? "", denied: true } };
  if (output.type === "text" && typeof output.value === "string") return { result: { text: output.value } };
  const { error } = toRecord(output.value);
  const { message, hint, code } = toRecord(error);
  const words =
    typeof message === "string" ? message : typeof output.value === "string" ? output.value : "It did not work.";
  return {
    error: {
      message: words,
      ...(typeof hint === "string" ? { hint } : {}),
      ...(typeof code === "string" ? { code } : {}),
    },
  };
}

/** An object as it is, anything else as an empty one. */
export function toRecord(value: unknown): Item {
  return isItem(value) ? value : {};
}

function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const IDS = ["key", "number", "id"];
