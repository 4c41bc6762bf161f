import stringWidth from "string-width";
import { normalizeWidth, truncateCells, wrapCells } from "../screen/cells.ts";
import type { Style } from "../style.ts";

/** One line of a card: pieces of text with their styles. */
export type Row = Span[];
export type Span = { text: string; style?: Style };

/** A position in rows, in cells. */
export type CursorCell = { row: number; column: number };

/** Wraps clean text into rows of this width, all in one style. */
export function wrapRows(text: string, width: number, style?: Style): Row[] {
  return wrapCells(text, width).map((line) => [{ text: line, ...(style ? { style } : {}) }]);
}

/** A key and its effect. */
export type KeyChoice = { key: string; words: string };

/** Lays out choices side by side as far as they fit, without splitting any. */
export function layOutChoices(choices: KeyChoice[], width: number): Row[] {
  const rows: Row[] = [];
  let room = 0;
  for (const { key, words: text } of choices) {
    const words = normalizeWidth(text);
    const cells = stringWidth(`${key} ${words}`);
    const last = rows.at(-1);
    if (last && cells + GAP.length <= room) {
      last.push({ text: GAP }, { text: key, style: "bold" }, { text: ` ${words}` });
      room -= cells + GAP.length;
    } else {
      const [first = "", ...rest] = wrapCells(`${key} ${words}`, cells > width ? width - INDENT.length : width);
      rows.push([{ text: key, style: "bold" }, { text: first.slice(key.length) }]);
      for (const word of rest) rows.push([{ text: INDENT + word }]);
      room = rest.length > 0 ? 0 : width - stringWidth(first);
    }
  }
  return rows;
}

/**
 * Lays out choices in one or two rows: each with its first distinctive word if they fit, otherwise only the keys,
 * otherwise the first few.
 */
export function layOutChoicesShort(choices: KeyChoice[], width: number): Row[] {
  const hints = choices.map(({ key, words }) => ({
    key,
    word: ` ${
      normalizeWidth(words)
        .replace(/^this /, "")
        .split(/[\s,:]/, 1)[0] ?? ""
    }`,
  }));
  const first = takeFitting(hints, width);
  const rest = hints.slice(first.length);
  if (rest.length === 0) return [toShortRow(first)];
  if (countCells(rest) <= width && countCells(first) <= width) return [first, rest].map(toShortRow);
  const keysOnly = hints.map(({ key }) => ({ key, word: "" }));
  return [toShortRow(countCells(keysOnly) <= width ? keysOnly : first)];
}

function toShortRow(keys: NamedKey[]): Row {
  return keys.flatMap(
    ({ key, word }, index): Row => [{ text: index > 0 ? SHORT_GAP : "" }, { text: key, style: "bold" }, { text: word }],
  );
}

type NamedKey = { key: string; word: string };

function takeFitting(keys: NamedKey[], width: number): NamedKey[] {
  const most = keys.findLastIndex((_, index) => countCells(keys.slice(0, index + 1)) <= width);
  return keys.slice(0, Math.max(1, most + 1));
}

function countCells(keys: NamedKey[]): number {
  return stringWidth(keys.map(({ key, word }) => key + word).join(SHORT_GAP));
}

/** Cuts or pads a row to exactly `width` cells. */
export function fitRow(row: Row, width: number): Row {
  let indent = width;
  const spans: Row = [];
  for (const span of row) {
    const text = truncateCells(span.text, indent);
    if (text !== "") spans.push({ ...span, text });
    indent -= stringWidth(text);
    if (text !== span.text) break;
  }
  return indent > 0 ? [...spans, { text: " ".repeat(indent) }] : spans;
}

const GAP = "   ";
const SHORT_GAP = "  ";
const INDENT = "  ";
