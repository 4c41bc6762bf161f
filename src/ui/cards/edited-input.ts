import type { InteractionRequest } from "#protocol/interactions";
import { isRecord, tryParseJson } from "#protocol/json";

/** Returns the input of a call: the fields of its preview, exactly as they would be sent. */
export function getInput({ preview }: InteractionRequest): Record<string, unknown> {
  return Object.fromEntries((preview?.fields ?? []).map(({ name, value }) => [name, value]));
}

/** Whether the user may change the input. */
export function isEditable({ editable, preview }: InteractionRequest): boolean {
  return editable === true && (preview?.fields.length ?? 0) > 0;
}

/** Formats an input as text to edit. */
export function formatInput(input: Record<string, unknown>): string {
  return `${JSON.stringify(input, null, 2)}\n`;
}

/** Parses edited text; undefined if it is not a JSON object. */
export function parseInput(text: string): Record<string, unknown> | undefined {
  const value = tryParseJson(text);
  return isRecord(value) ? value : undefined;
}

/** Error for edited text that is not valid. */
export const INVALID_INPUT_TEXT = "Not a valid JSON object.";

/** Parses a retyped value. Text stays text; any other value must be JSON of the same kind. */
export function parseRetyped(value: unknown, text: string): { value: unknown } | { error: string } {
  if (typeof value === "string") return { value: text };
  const json = tryParseJson(text);
  if (json !== undefined && getKind(json) === getKind(value)) return { value: json };
  return { error: `It must be ${Array.isArray(value) ? "a JSON array" : `a JSON ${typeof value}`}.` };
}

function getKind(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value;
}
