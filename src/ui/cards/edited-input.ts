import type { InteractionRequest } from "#protocol/events";

/** What a call would be given: the fields of its preview, exactly as they would be sent. */
export function getInput({ preview }: InteractionRequest): Record<string, unknown> {
  return Object.fromEntries((preview?.fields ?? []).map(({ name, value }) => [name, value]));
}

/** Whether a person may change what is sent. */
export function isEditable({ editable, preview }: InteractionRequest): boolean {
  return editable === true && (preview?.fields.length ?? 0) > 0;
}

/** An input as the text that is edited. */
export function formatInput(input: Record<string, unknown>): string {
  return `${JSON.stringify(input, null, 2)}\n`;
}

/** The input that an edited text is, or undefined where it is no JSON object. */
export function parseInput(text: string): Record<string, unknown> | undefined {
  const value = parse(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** What an editor brought back, where it is not that. */
export const INVALID_INPUT_TEXT = "That is no JSON object.";

/** A new value in the place of another, from what was typed: a text stays a text, every other value is JSON of the same kind. */
export function parseRetyped(value: unknown, typed: string): { value: unknown } | { error: string } {
  if (typeof value === "string") return { value: typed };
  const given = parse(typed);
  if (given !== undefined && getKind(given) === getKind(value)) return { value: given };
  return { error: `It must be ${Array.isArray(value) ? "a list" : `a ${typeof value}`}, as JSON.` };
}

function getKind(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
