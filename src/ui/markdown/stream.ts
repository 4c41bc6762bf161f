import { clean } from "#protocol/clean";
import type { Look } from "../style.ts";
import { INITIAL_RENDERED, type RenderedState, renderPart } from "./part.ts";
import { BLOCK_ENDED, type BlockMode, openBlock, scanLine } from "./scan.ts";

/**
 * Markdown that is read line by line, whole or while it comes. Each block is given out as soon as nothing that follows can change it; of
 * long ones the first lines before the last have come. What is given out depends on the text alone, never on how it was cut into pieces,
 * and only what is not final is kept.
 */
export type MarkdownStream = {
  /** The block that is being read. */
  mode: BlockMode | null;
  /** Its lines that were not given out yet, the newest first. */
  held: Held | null;
  /** Parts of it that were given out, and what the next one needs to know of them. */
  parts: number;
  given: RenderedState;
  /** Anything was given out; anything of this block. */
  begun: boolean;
  shown: boolean;
};

/** Lines as a chain, so that one more does not cost those before it. */
type Held = { line: string; above: Held | null; count: number; size: number };

/** A text that is final. `joins` is true where it goes on with the block before: no blank line stands between. */
export type RenderedPiece = { text: string; joins: boolean };

export const INITIAL_STREAM: MarkdownStream = {
  mode: null,
  held: null,
  parts: 0,
  given: INITIAL_RENDERED,
  begun: false,
  shown: false,
};

/** Lines of code, and rows of a table, that are shown together when the block ends before there are more. */
const CODE_LINES = 8;
const TABLE_ROWS = 30;
/** Lines of a paragraph after which its first ones are given out. */
const PARAGRAPH_LINES = 8;
/** Characters after which a paragraph, an item or a quotation is given out in parts. */
const LONG = 4_096;

/**
 * Read on. Lines are read when they are whole; with `isWhole` the last one is too, and every block is final.
 *
 * @param text as it came, from the first character that was not taken yet
 * @returns what is final now, and how many characters were taken
 */
export function readMarkdown(
  stream: MarkdownStream,
  text: string,
  isWhole: boolean,
  look: Look,
): { stream: MarkdownStream; pieces: RenderedPiece[]; taken: number } {
  const reader: Reader = { ...stream, pieces: [], look };
  let taken = 0;
  while (taken < text.length) {
    const end = text.indexOf("\n", taken);
    const isEnded = end >= 0 || isWhole;
    const first = isProse(reader) ? findSplit(text, taken, end < 0 ? text.length : end) : null;
    if (first === null && !isEnded) break;
    const next = first ?? (end < 0 ? text.length : end + 1);
    for (const line of clean(text.slice(taken, next).replace(/\r?\n$/, "")).split("\n")) readLine(reader, line);
    if (first !== null) give(reader);
    taken = next;
  }
  if (isWhole) endBlock(reader);
  const { pieces, look: _, ...rest } = reader;
  return { stream: rest, pieces, taken };
}

/** The newest lines that were not given out, at least `size` characters where there are so many; and whether that is all of them. */
export function getTail({ held }: MarkdownStream, size: number): { lines: string[]; isAll: boolean } {
  const lines: string[] = [];
  let [from, read] = [held, 0];
  for (; from && read < size; from = from.above) {
    lines.unshift(from.line);
    read += from.line.length + 1;
  }
  return { lines, isAll: from === null };
}

type Reader = MarkdownStream & { pieces: RenderedPiece[]; look: Look };

function readLine(reader: Reader, line: string): void {
  const step = reader.mode ? scanLine(reader.mode, line, reader.held?.line ?? "") : BLOCK_ENDED;
  if (step.does === "ended") {
    endBlock(reader);
    begin(reader, openBlock(line), line);
    return;
  }
  if (step.does === "next item") {
    give(reader);
    Object.assign(reader, { parts: 0, given: INITIAL_RENDERED });
  }
  if (step.does === "table from the line before" && reader.held) {
    const { line: names } = reader.held;
    giveAllButLast(reader);
    reader.held = null;
    endBlock(reader);
    reader.held = hold(names, null);
  }
  reader.mode = step.mode;
  reader.held = hold(line, reader.held);
  if (step.does === "ends here") endBlock(reader, true);
  else giveEarly(reader);
}

function begin(reader: Reader, mode: BlockMode | null, line: string): void {
  if (!mode) return;
  reader.mode = mode;
  reader.held = hold(line, null);
  if (mode.is === "line") endBlock(reader);
}

/** Of a block that is long already, what can be shown before its end. */
function giveEarly(reader: Reader): void {
  const { mode, held, parts } = reader;
  const count = held?.count ?? 0;
  if (mode?.is === "fence" && (parts > 0 || count > CODE_LINES)) give(reader);
  if (mode?.is === "table" && (parts > 0 || count > TABLE_ROWS + 1)) give(reader);
  const isLong = (held?.size ?? 0) > LONG;
  if (isLong && (mode?.is === "item" || mode?.is === "quote")) give(reader);
  if (mode?.is !== "paragraph" || !held) return;
  if (isLong || (count % PARAGRAPH_LINES === 0 && isBalanced(getLines(held.above)))) giveAllButLast(reader);
}

/** The last line of a paragraph can still become the names of a table's columns, or a heading. */
function giveAllButLast(reader: Reader): void {
  const last = reader.held;
  if (!last?.above) return;
  reader.held = last.above;
  give(reader);
  reader.held = hold(last.line, null);
}

/** What is held is final. */
function give(reader: Reader, isClosed = false): void {
  const { mode, parts, given, look } = reader;
  if (!mode || !reader.held) return;
  const { text, given: next } = renderPart({ mode, parts, given, isClosed, lines: getLines(reader.held) }, look);
  Object.assign(reader, { held: null, parts: parts + 1, given: next });
  if (text === null) return;
  reader.pieces.push({ text, joins: reader.shown });
  Object.assign(reader, { begun: true, shown: true });
}

function endBlock(reader: Reader, isClosed = false): void {
  give(reader, isClosed);
  Object.assign(reader, { mode: null, held: null, parts: 0, given: INITIAL_RENDERED, shown: false });
}

function hold(line: string, above: Held | null): Held {
  return { line, above, count: (above?.count ?? 0) + 1, size: (above?.size ?? 0) + line.length + 1 };
}

function getLines(newest: Held | null): string[] {
  const lines: string[] = [];
  for (let from = newest; from; from = from.above) lines.push(from.line);
  return lines.reverse();
}

/** Whether no emphasis, code or link seems to go on behind these lines. */
function isBalanced(lines: string[]): boolean {
  const text = lines.join("\n");
  const count = (mark: string) => text.split(mark).length - 1;
  return count("`") % 2 === 0 && count("**") % 2 === 0 && count("[") <= count("]");
}

function isProse({ mode }: MarkdownStream): boolean {
  return mode === null || mode.is === "paragraph";
}

/** A line of a paragraph is given out in parts of about so many characters, so that the longest costs no more than a long one. */
const PART = 4_096;
/** A word that is longer is broken, in spite of all. */
const LONGEST_WORD = 65_536;

/**
 * Where the first part of a very long line ends: behind a sentence if possible, else at a space. It depends on the line's characters
 * alone, not on how many have come.
 *
 * @returns its end in `text`, or null where the line is short, no paragraph, or has not shown yet where it can be parted
 */
function findSplit(text: string, start: number, end: number): number | null {
  if (end - start <= PART || openBlock(text.slice(start, start + 200))?.is !== "paragraph") return null;
  const window = text.slice(start + PART / 2, start + PART);
  const sentence = /^.*(?:[.!?…] |[。！？])/s.exec(window)?.[0].length;
  const space = window.lastIndexOf(" ") + 1;
  const within = sentence ?? space;
  if (within > 0) return start + PART / 2 + within;
  const beyond = text.slice(start + PART, Math.min(end, start + LONGEST_WORD)).indexOf(" ");
  if (beyond >= 0) return start + PART + beyond + 1;
  if (end - start < LONGEST_WORD) return null;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(start + LONGEST_WORD - 1));
  return start + LONGEST_WORD - (isSplit ? 1 : 0);
}
