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
  let left = 0;
  for (const { key, words: text } of choices) {
    const words = normalizeWidth(text);
    const cells = stringWidth(`${key} ${words}`);
    const last = rows.at(-1);
    if (last && cells + GAP.length <= left) {
      last.push({ text: GAP }, { text: key, style: "bold" }, { text: ` ${words}` });
      left -= cells + GAP.length;
    } else {
      const [first = "", ...rest] = wrapCells(`${key} ${words}`, cells > width ? width - INDENT.length : width);
      rows.push([{ text: key, style: "bold" }, { text: first.slice(key.length) }]);
      for (const each of rest) rows.push([{ text: INDENT + each }]);
      left = rest.length > 0 ? 0 : width - stringWidth(first);
    }
  }
  return rows;
}

/**
 * Lays out choices in one or two rows, each with its first telling word if they fit, otherwise only the keys, otherwise the
 * first few.
 */
export function layOutChoicesShort(choices: KeyChoice[], width: number): Row[] {
  const named = choices.map(({ key, words }) => ({
    key,
    word: ` ${
      normalizeWidth(words)
        .replace(/^this /, "")
        .split(/[\s,:]/, 1)[0] ?? ""
    }`,
  }));
  const first = takeFitting(named, width);
  const rest = named.slice(first.length);
  if (rest.length === 0) return [toShortRow(first)];
  if (countCells(rest) <= width && countCells(first) <= width) return [first, rest].map(toShortRow);
  const bare = named.map(({ key }) => ({ key, word: "" }));
  return [toShortRow(countCells(bare) <= width ? bare : first)];
}

function toShortRow(named: NamedKey[]): Row {
  return named.flatMap(
    ({ key, word }, index): Row => [{ text: index > 0 ? SHORT_GAP : "" }, { text: key, style: "bold" }, { text: word }],
  );
}

type NamedKey = { key: string; word: string };

function takeFitting(named: NamedKey[], width: number): NamedKey[] {
  const most = named.findLastIndex((_, index) => countCells(named.slice(0, index + 1)) <= width);
  return named.slice(0, Math.max(1, most + 1));
}

function countCells(named: NamedKey[]): number {
  return stringWidth(named.map(({ key, word }) => key + word).join(SHORT_GAP));
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
