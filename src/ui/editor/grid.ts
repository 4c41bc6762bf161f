import stringWidth from "string-width";
import { clean } from "#protocol/clean";
import type { Draft } from "./draft.ts";
import { getFoldLabel } from "./fold.ts";
import { segmentLine } from "./graphemes.ts";

/** Width of a row in cells, and the prompt before the text in the first row. */
export type GridOptions = { width: number; prompt: string };

/** A row of the terminal, with the positions where the cursor can be. */
export type GridRow = { text: string; cells: number; stops: { at: number; column: number }[] };

/**
 * Lays out the rows of a draft. A long line breaks exactly at the width, even inside a word, so that rows can be
 * counted; wide characters are never split. Rows after the first are indented by the prompt's width. After a full row the cursor goes to the next row, which is added if needed.
 */
export function layOutGrid(draft: Draft, { width, prompt }: GridOptions): GridRow[] {
  const cells = stringWidth(prompt);
  const rows: GridRow[] = [{ text: prompt, cells, stops: [] }];
  // A narrow window has no room for an indent.
  const frame = { width, indent: cells * 4 > width ? 0 : cells };
  let start = 0;
  for (const line of draft.text.split("\n")) {
    if (start > 0) rows.push(createRow(frame));
    for (const { at, text } of segmentLine(line)) addCharacter(rows, frame, start + at, toPieces(text, draft.folds));
    addEnd(rows, frame, start + line.length, draft.cursor);
    start += line.length + 1;
  }
  return rows;
}

/** Returns the row and column of an index in the text. */
export function findCell(rows: GridRow[], offset: number): { row: number; column: number } {
  const row = rows.findIndex(({ stops }) => stops.some((stop) => stop.at === offset));
  return { row: Math.max(0, row), column: rows[row]?.stops.find((stop) => stop.at === offset)?.column ?? 0 };
}

const TAB_STOP = 4;
/** A tab, which takes one or more cells. */
const TAB: DisplayPiece = { text: "\t", cells: 1 };
/** Replacement for a character that fits into no row. */
const TOO_WIDE: DisplayPiece = { text: "?", cells: 1 };

/** Width of the rows, and cells before the text of every row but the first. */
type Frame = { width: number; indent: number };

function createRow({ indent }: Frame): GridRow {
  return { text: " ".repeat(indent), cells: indent, stops: [] };
}

function toPieces(character: string, folds: readonly string[]): DisplayPiece[] {
  if (character === "\t") return [TAB];
  const label = getFoldLabel(character, folds);
  return label === null ? toDisplayPieces(character) : Array.from(label, (text) => ({ text, cells: 1 }));
}

function addCharacter(rows: GridRow[], frame: Frame, offset: number, pieces: DisplayPiece[]): void {
  const { width } = frame;
  for (const [n, piece] of pieces.entries()) {
    const { text, cells } = piece.cells > width ? TOO_WIDE : piece;
    if (getLastRow(rows).cells + cells > width) rows.push(createRow(frame));
    const row = getLastRow(rows);
    if (n === 0) row.stops.push({ at: offset, column: row.cells });
    const filled = piece === TAB ? Math.min(TAB_STOP - (row.cells % TAB_STOP), width - row.cells) : cells;
    row.text += piece === TAB ? " ".repeat(filled) : text;
    row.cells += filled;
  }
}

/** Adds the end of a line, where the cursor can be too. */
function addEnd(rows: GridRow[], frame: Frame, offset: number, cursor: number): void {
  const { width } = frame;
  const { cells } = getLastRow(rows);
  if (cells >= width && cursor === offset) rows.push(createRow(frame));
  const row = getLastRow(rows);
  if (row.cells < width) row.stops.push({ at: offset, column: row.cells });
}

function getLastRow(rows: GridRow[]): GridRow {
  return rows.at(-1) ?? createRow({ width: 0, indent: 0 });
}

/** A part of a row that is never split, and its width in cells. */
type DisplayPiece = { text: string; cells: number };

/**
 * Returns how a character is displayed, in pieces that may be on different rows; the draft keeps the character itself.
 * Terminals disagree on the width of emoji sequences, so their parts are shown separately. Invisible characters are
 * shown as `U+200B` or on a dotted circle.
 */
function toDisplayPieces(grapheme: string): DisplayPiece[] {
  const cachedPieces = pieceCache.get(grapheme);
  if (cachedPieces) return cachedPieces;
  const pieces = toDisplayTexts(grapheme).map((text) => ({ text, cells: stringWidth(text) }));
  if (pieceCache.size >= MAX_CACHED) pieceCache.clear();
  pieceCache.set(grapheme, pieces);
  return pieces;
}

/** Cache, because every key lays out the draft and a text has few different characters. */
const pieceCache = new Map<string, DisplayPiece[]>();
const MAX_CACHED = 4_000;

function toDisplayTexts(grapheme: string): string[] {
  if (/^[\x20-\x7e]$/.test(grapheme)) return [grapheme];
  const safe = clean(grapheme, { lines: false });
  if (safe !== grapheme) return Array.from(safe, makeVisible);
  return [makeVisible(EMOJI.test(grapheme) ? grapheme.replace(JOINING, "") : grapheme)];
}

const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Component}/u;

/** Joiners, variation selectors, tags, and skin tones after an emoji that can have one. */
const JOINING = /[\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}]|(?<=\p{Emoji_Modifier_Base}\ufe0f?)\p{Emoji_Modifier}/gu;

function makeVisible(text: string): string {
  return stringWidth(text) === 0 ? `\u25cc${text}` : text;
}
