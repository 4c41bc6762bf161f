import stringWidth from "string-width";
import { truncateCells } from "../screen/cells.ts";
import { toLine } from "../text/words.ts";
import { listMatches, type Picker } from "./picker.ts";

/** Rows of a picker: the question with its filter, and the choices around the current one. No row is too wide. */
export type PickerLayout = {
  question: string;
  /** Cell of the cursor in the question. */
  column: number;
  rows: { text: string; chosen: boolean }[];
  hint: string;
};

/** Lays out a picker with at most `maxRows` choices. */
export function layOutPicker(picker: Picker, { width, maxRows }: { width: number; maxRows: number }): PickerLayout {
  const matches = listMatches(picker);
  const start = Math.max(0, Math.min(picker.at - Math.floor(maxRows / 2), matches.length - maxRows));
  const digits = String(picker.choices.length).length;
  const lead = digits + 2 + (picker.multiple ? 2 : 0);
  const labels = Math.max(0, ...picker.choices.map(({ label }) => stringWidth(toLine(label))));
  const visible = matches.slice(start, start + Math.max(1, maxRows));
  const rows = visible.map(({ choice, number }, index) => {
    const mark = picker.multiple ? (picker.marked.includes(choice.value) ? "● " : "○ ") : "";
    const text = `${String(number).padStart(digits)}  ${mark}${formatChoice(choice, labels, width - lead)}`;
    return { text: truncateCells(text, width), chosen: start + index === picker.at };
  });
  const filter = truncateCells(toLine(picker.filter), width - 2);
  const question = truncateCells(toLine(picker.question), width - 2 - stringWidth(filter));
  const prompt = `${question} ${filter}`;
  return {
    question: prompt,
    column: stringWidth(prompt),
    rows: rows.length > 0 ? rows : [{ text: "No match. Press Backspace to see more.", chosen: false }],
    hint: formatHint(picker, { count: matches.length, shown: rows.length }, width),
  };
}

/** Puts the note behind a column of labels. If both are too long, the label gets the larger part. */
function formatChoice({ label, note = "" }: { label: string; note?: string }, labels: number, width: number): string {
  const side = toLine(note);
  const room = Math.min(labels, Math.max(Math.floor(width * LABEL_SHARE), width - stringWidth(side) - GAP));
  const name = truncateCells(toLine(label), side === "" ? width : room);
  return side === "" ? name : `${name}${" ".repeat(Math.max(0, room - stringWidth(name)) + GAP)}${side}`;
}

function formatHint(
  { choices, multiple }: Picker,
  { count, shown: visible }: { count: number; shown: number },
  width: number,
): string {
  const counted =
    count < choices.length ? `${count} of ${choices.length} · ` : visible < count ? `${count} in all · ` : "";
  const keys = ["enter choose", ...(multiple ? ["tab several"] : []), "type to filter", "esc cancel"];
  const hint = joinHints(keys, width);
  return truncateCells(counted.length + stringWidth(hint) <= width ? counted + hint : hint, width);
}

/** Joins hints as far as they fit into the width, without cutting one. */
export function joinHints(hints: string[], width: number): string {
  return hints.reduce((text, hint) => (stringWidth(`${text} · ${hint}`) > width ? text : `${text} · ${hint}`));
}

const GAP = 2;
/** The part of a row that a long label gets. */
const LABEL_SHARE = 0.6;
