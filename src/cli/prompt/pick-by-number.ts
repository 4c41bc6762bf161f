import type { Choice } from "#ui/picker/picker";
import { toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { promptLine, writeNotice } from "./line.ts";

/** Prints a numbered list and asks for a number or a name. Returns null for an empty answer. */
export async function pickByNumber(
  kay: Kay,
  question: string,
  choices: readonly Choice[],
  multiple: boolean,
): Promise<string[] | null> {
  for (const [index, { label, note = "" }] of choices.entries())
    writeNotice(kay, `${String(index + 1).padStart(4)}  ${toLine(label)}${note === "" ? "" : `  ${toLine(note)}`}`);
  for (;;) {
    const typed = await promptLine(kay, `${question} Number or name: `, kay.signal);
    if (typed === "") return null;
    const words = multiple ? typed.split(/[\s,]+/).filter(Boolean) : [typed];
    const chosen = words.map((word) => findChoice(choices, word));
    const unknown = words.find((_, index) => chosen[index] === undefined);
    if (unknown === undefined) return [...new Set(chosen.flatMap((each) => each?.value ?? []))];
    writeNotice(kay, `${JSON.stringify(toLine(unknown))} is not in the list.`);
  }
}

function findChoice(choices: readonly Choice[], typed: string): Choice | undefined {
  const word = typed.toLowerCase();
  return (
    choices[Number(typed) - 1] ??
    choices.find(({ value, label }) => [value, label].some((each) => each.toLowerCase() === word))
  );
}
