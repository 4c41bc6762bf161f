import { inputIn, inputText, NO_INPUT, retyped } from "#ui/edited-input";
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
  let text = inputText(input);
  for (;;) {
    const edited = await kay.edit(text);
    if (edited === null) return fieldByField(kay, input, signal);
    const value = inputIn(edited);
    if (value) return value;
    say(kay, `✗ ${NO_INPUT}`);
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
    const given = retyped(value, typed);
    if ("value" in given) return given.value;
    say(kay, `  ✗ ${given.error}`);
  }
}
