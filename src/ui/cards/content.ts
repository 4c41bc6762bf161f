import stringWidth from "string-width";
import { clean } from "#protocol/clean";
import { wrapCells } from "../screen/cells.ts";
import type { Style } from "../style.ts";
import { toLine } from "../text/words.ts";
import type { CardUiBase } from "./card-action.ts";
import { type CursorCell, type KeyChoice, layOutChoices, layOutChoicesShort, type Row, wrapRows } from "./row.ts";
import { splitAtCursor, type TextInput } from "./text-input.ts";

/**
 * Content of a card: a title, a body that scrolls, and the keys below it. `focus` is the row of the body to keep in
 * view. While text is typed, the cursor is in the body or in the keys.
 */
export type CardContent = {
  title: string;
  tone?: Style;
  /** Expiry of the card, in ISO 8601. */
  until?: string;
  body: { rows: Row[]; focus?: number; cursor?: CursorCell };
  keys: KeyHints;
};

/** Keys that can be pressed. `short` shows them in one or two rows, for small windows. */
export type KeyHints = { rows: Row[]; short: Row[]; cursor?: CursorCell };

/** Lays out why the last answer was rejected. */
export function layOutError(message: string | undefined, width: number): Row[] {
  return message ? wrapRows(`✗ ${toLine(message)}`, width, "red") : [];
}

/** Lays out the keys of a card, or a note while its answer is being sent. */
export function layOutKeys({ sent }: CardUiBase, choices: KeyChoice[], width: number): KeyHints {
  const rows = sent ? wrapRows("Sending your answer…", width, "dim") : layOutChoices(choices, width);
  return {
    rows,
    short: sent ? [[{ text: "Sending …", style: "dim" }]] : layOutChoicesShort(choices, width - SHORT_INDENT),
  };
}

/** Adds a note below the keys. It must fit into one row. */
export function addKeyNote(keys: KeyHints, note: string | null, width: number): KeyHints {
  if (note === null) return keys;
  return {
    ...keys,
    rows: [...keys.rows, ...wrapRows(note, width, "bold")],
    short: [[{ text: note, style: "bold" }]],
  };
}

/** Cells before the short keys, for the scroll arrows. */
export const SHORT_INDENT = 3;

/** Lays out a field for the reason to deny, with the cursor in it. */
export function layOutReason(why: TextInput, width: number): KeyHints {
  const label = wrapRows("Reason (optional):", width);
  const field = layOutTyping(why, width, "> ");
  const keys = layOutChoices(WHY, width);
  return {
    rows: [...label, ...field.rows, ...keys],
    short: layOutChoicesShort(WHY, width - SHORT_INDENT),
    cursor: moveDown(field.cursor, label.length),
  };
}

const WHY = [
  { key: "enter", words: "deny" },
  { key: "esc", words: "back" },
];

/** Lays out text that is being typed, indented behind `prompt`, and finds its cursor. */
export function layOutTyping(typing: TextInput, width: number, prompt: string): { rows: Row[]; cursor: CursorCell } {
  const { before, after } = splitAtCursor(typing);
  const room = Math.max(1, width - prompt.length);
  // A mark reserves one cell for the cursor and shows where it is after wrapping.
  const marked = `${clean(before).replaceAll(MARK, " ")}${MARK}${clean(after).replaceAll(MARK, " ")}`;
  const lines = wrapCells(marked, room);
  const row = lines.findIndex((line) => line.includes(MARK));
  const column = stringWidth(lines[row]?.split(MARK)[0] ?? "");
  const rows = lines.map(
    (line, index): Row => [
      { text: index === 0 ? prompt : " ".repeat(prompt.length) },
      { text: line.replace(MARK, "") },
    ],
  );
  return { rows, cursor: { row: Math.max(0, row), column: column + prompt.length } };
}

/** Moves a position down by some rows. */
function moveDown(spot: CursorCell, rows: number): CursorCell {
  return { ...spot, row: spot.row + rows };
}

/** A character of one cell that never occurs in the text. */
const MARK = "\u2588";
