import { Problem } from "#protocol/errors";
import type { Choice, PickerPlace } from "#ui/picker/picker";
import { toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { canPrompt, promptLine, writeNotice } from "./question.ts";

/** Whether the user can choose from a list: kay can prompt, and prints for a user. */
export function canPick(kay: Kay): boolean {
  return canPrompt(kay) && !kay.flags.json;
}

/** Lets the user choose from a list on the terminal. @throws Problem CANCELLED when nothing is chosen */
export async function pickOne(kay: Kay, question: string, choices: readonly Choice[]): Promise<string> {
  const [value] = (await pickSome(kay, question, choices, false)) ?? [];
  if (value === undefined) throw new Problem("CANCELLED", "Nothing was chosen.");
  return value;
}

/**
 * Lets the user choose one or several from a list. Returns null if nothing is chosen.
 *
 * @param place where the list opens; changes as the user moves
 */
export async function pickSome(
  kay: Kay,
  question: string,
  choices: readonly Choice[],
  multiple = true,
  place?: PickerPlace,
): Promise<string[] | null> {
  if (kay.flags.plain) return pickByNumber(kay, question, choices, multiple);
  return (await import("./pick-on-terminal.ts")).pickOnTerminal(kay, question, choices, multiple, place);
}

/** Builds the error for a missing argument where the user cannot choose, in the words of the parser. */
export function missingArgumentProblem(command: string, argument: string): Problem {
  return new Problem("USAGE", `Missing required argument '${argument}'.`, { hint: `Run \`kay help ${command}\`.` });
}

/** Prints a numbered list and asks for a number or a name. Returns null for an empty answer. */
async function pickByNumber(
  kay: Kay,
  question: string,
  choices: readonly Choice[],
  multiple: boolean,
): Promise<string[] | null> {
  for (const [index, { label, note = "" }] of choices.entries())
    writeNotice(kay, `${String(index + 1).padStart(4)}  ${toLine(label)}${note === "" ? "" : `  ${toLine(note)}`}`);
  for (;;) {
    const reply = await promptLine(kay, `${question} Number or name: `, kay.signal);
    if (reply === "") return null;
    const words = multiple ? reply.split(/[\s,]+/).filter(Boolean) : [reply];
    const picks = words.map((word) => findChoice(choices, word));
    const unknown = words.find((_, index) => picks[index] === undefined);
    if (unknown === undefined) return [...new Set(picks.flatMap((choice) => choice?.value ?? []))];
    writeNotice(kay, `${JSON.stringify(toLine(unknown))} is not in the list.`);
  }
}

function findChoice(choices: readonly Choice[], reply: string): Choice | undefined {
  const word = reply.toLowerCase();
  return (
    choices[Number(reply) - 1] ??
    choices.find(({ value, label }) => [value, label].some((name) => name.toLowerCase() === word))
  );
}
