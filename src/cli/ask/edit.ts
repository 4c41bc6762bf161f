import { formatInput, INVALID_INPUT_TEXT, parseInput, parseRetyped } from "#ui/cards/edited-input";
import { toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { promptLine, writeNotice } from "../prompt/question.ts";

/**
 * Lets the user change a call: as JSON in an editor if one is set, otherwise field by field.
 * @returns the whole input to send
 */
export async function editInput(
  kay: Kay,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  let text = formatInput(input);
  for (;;) {
    const edited = await kay.editText(text);
    if (edited === null) return editFields(kay, input, signal);
    const value = parseInput(edited);
    if (value) return value;
    writeNotice(kay, `✗ ${INVALID_INPUT_TEXT}`);
    const again = await promptLine(kay, "Press Enter to edit it again, or k to keep the previous input: ", signal);
    if (again.toLowerCase() === "k") return input;
    text = edited;
  }
}

async function editFields(
  kay: Kay,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  writeNotice(kay, "Type a new value, or press Enter to keep the one in brackets.");
  const edited: [string, unknown][] = [];
  for (const [name, value] of Object.entries(input)) {
    const old = typeof value === "string" ? value : JSON.stringify(value);
    edited.push([name, await promptValue(kay, name, value, old, signal)]);
  }
  return Object.fromEntries(edited);
}

/** A text stays a text; other values are edited as JSON. */
async function promptValue(kay: Kay, name: string, value: unknown, old: string, signal: AbortSignal): Promise<unknown> {
  for (;;) {
    const reply = await promptLine(kay, `  ${toLine(name)} [${toLine(old)}]: `, signal);
    if (reply === "") return value;
    const input = parseRetyped(value, reply);
    if ("value" in input) return input.value;
    writeNotice(kay, `  ✗ ${input.error}`);
  }
}
