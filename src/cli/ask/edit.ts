import { line } from "#ui/words";
import type { Kay } from "../kay.ts";
import { question, say } from "./question.ts";

/**
 * Let the person change what would be sent: as JSON in their editor where one is set, otherwise field by field.
 *
 * @returns the whole input as it is to be sent
 */
export async function editFields(
  kay: Kay,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  let text = `${JSON.stringify(input, null, 2)}\n`;
  for (;;) {
    const edited = await kay.edit(text);
    if (edited === null) return fieldByField(kay, input, signal);
    const value = parsed(edited);
    if (isObject(value)) return value;
    say(kay, "✗ That is no JSON object.");
    const again = await question(kay, "Enter opens it again, k keeps what was there: ", signal);
    if (again.toLowerCase() === "k") return input;
    text = edited;
  }
}

async function fieldByField(
  kay: Kay,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  say(kay, "Type a new value, or Enter to keep the one in brackets.");
  const edited: [string, unknown][] = [];
  for (const [name, value] of Object.entries(input)) {
    const old = typeof value === "string" ? value : JSON.stringify(value);
    edited.push([name, await newValue(kay, name, value, old, signal)]);
  }
  return Object.fromEntries(edited);
}

/** A text stays a text; of other values the new one is JSON. */
async function newValue(kay: Kay, name: string, value: unknown, old: string, signal: AbortSignal): Promise<unknown> {
  for (;;) {
    const typed = await question(kay, `  ${line(name)} [${line(old)}]: `, signal);
    if (typed === "") return value;
    if (typeof value === "string") return typed;
    const given = parsed(typed);
    if (given !== undefined && typeof given === typeof value) return given;
    say(kay, `  ✗ It must be ${Array.isArray(value) ? "a list" : `a ${typeof value}`}, as JSON.`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
