import stringWidth from "string-width";
import { clean } from "#protocol/clean";
import { wrapCells } from "../screen/cells.ts";
import type { Style } from "../style.ts";
import { toLine } from "../text/words.ts";
import type { CardUiBase } from "./card-action.ts";
import { type CursorCell, type KeyChoice, layOutChoices, layOutChoicesShort, type Row, wrapRows } from "./row.ts";
import { splitAtCursor, type TextInput } from "./text-input.ts";

/**
 * What a card consists of: its title, a body that scrolls, and the keys below it. `focus` is the row of the body that has to be seen; while
 * text is typed, the cursor is in one of the two.
 */
export type CardContent = {
  title: string;
  tone?: Style;
  /** When it closes by itself (ISO 8601). */
  until?: string;
  body: { rows: Row[]; focus?: number; cursor?: CursorCell };
  keys: KeyHints;
};

/** What can be pressed; `short` is the same in one row, for where there is no more room. */
export type KeyHints = { rows: Row[]; short: Row; cursor?: CursorCell };

/** What was wrong with the last answer. */
export function layOutError(told: string | undefined, width: number): Row[] {
  return told ? wrapRows(`✗ ${toLine(told)}`, width, "red") : [];
}

/** The keys of a card, or that its answer is on its way. */
export function layOutKeys({ sent }: CardUiBase, choices: KeyChoice[], width: number): KeyHints {
  const rows = sent ? wrapRows("Sending your answer …", width, "dim") : layOutChoices(choices, width);
  return {
    rows,
    short: sent ? [{ text: "Sending …", style: "dim" }] : layOutChoicesShort(choices, width - SHORT_INDENT),
  };
}

/** Those keys, and what is said below them, which is short enough for a row. */
export function addKeyNote(keys: KeyHints, said: string | null, width: number): KeyHints {
  if (said === null) return keys;
  return {
    ...keys,
    rows: [...keys.rows, ...wrapRows(said, width, "yellow")],
    short: [{ text: said, style: "yellow" }],
  };
}

/** Cells before the keys in one row, which say where to scroll. */
export const SHORT_INDENT = 3;

/** A field for the reason of a no, with the cursor in it. */
export function layOutReason(why: TextInput, width: number): KeyHints {
  const asked = wrapRows("Why? It may stay empty.", width);
  const field = layOutTyping(why, width, "> ");
  const keys = layOutChoices(WHY, width);
  return {
    rows: [...asked, ...field.rows, ...keys],
    short: layOutChoicesShort(WHY, width - SHORT_INDENT),
    cursor: below(field.cursor, asked.length),
  };
}

const WHY = [
  { key: "enter", words: "send the no" },
  { key: "esc", words: "back" },
];

/** A text as it is typed, behind `prompt` and indented by it, and where its cursor is. */
export function layOutTyping(typing: TextInput, width: number, prompt: string): { rows: Row[]; cursor: CursorCell } {
  const { before, after } = splitAtCursor(typing);
  const room = Math.max(1, width - prompt.length);
  // A mark at the cursor's place keeps one cell for it, and is found again where the lines broke.
  const marked = `${clean(before).replaceAll(MARK, " ")}${MARK}${clean(after).replaceAll(MARK, " ")}`;
  const lines = wrapCells(marked, room);
  const row = lines.findIndex((each) => each.includes(MARK));
  const column = stringWidth(lines[row]?.split(MARK)[0] ?? "");
  const rows = lines.map(
    (each, index): Row => [
      { text: index === 0 ? prompt : " ".repeat(prompt.length) },
      { text: each.replace(MARK, "") },
    ],
  );
  return { rows, cursor: { row: Math.max(0, row), column: column + prompt.length } };
}

/** A place so many rows further down. */
function below(spot: CursorCell, rows: number): CursorCell {
  return { ...spot, row: spot.row + rows };
}

/** A character of one cell that stands in no text. */
const MARK = "\u2588";
