import { clean } from "#protocol/clean";
import type { Look } from "../style.ts";
import { INITIAL_RENDERED, type RenderedState, renderPart } from "./part.ts";
import { BLOCK_ENDED, type BlockMode, openBlock, scanLine } from "./scan.ts";

/**
 * Markdown that is read line by line, whole or while it arrives. Each block is emitted once later text cannot change
 * it; long blocks are emitted in parts. The output depends only on the text, never on how it was split, and only text
 * that is not final is kept.
 */
export type MarkdownStream = {
  /** The block that is being read. */
  mode: BlockMode | null;
  /** Lines of the block that were not emitted yet, newest first. */
  pending: HeldLines | null;
  /** Number of parts that were emitted, and their state for the next part. */
  parts: number;
  state: RenderedState;
  /** Whether any part of the text, and of this block, was emitted. */
  begun: boolean;
  hasOutput: boolean;
};

/** Linked list of lines, so that adding a line does not copy the others. */
type HeldLines = { line: string; above: HeldLines | null; count: number; size: number };

/** Final text. `joins` if it continues the previous block, without a blank line between them. */
export type RenderedPiece = { text: string; joins: boolean };

export const INITIAL_STREAM: MarkdownStream = {
  mode: null,
  pending: null,
  parts: 0,
  state: INITIAL_RENDERED,
  begun: false,
  hasOutput: false,
};

/** Number of lines of code or rows of a table before the first part is emitted. */
const CODE_LINES = 8;
const TABLE_ROWS = 30;
/** Number of lines of a paragraph before its first part is emitted. */
const PARAGRAPH_LINES = 8;
/** Length from which a paragraph, item or quotation is emitted in parts. */
const LONG_TEXT = 4_096;

/**
 * Reads all complete lines. With `isWhole`, the last line is complete too and all blocks are final.
 *
 * @param text text from the first character that was not taken yet
 * @returns the final pieces, and how many characters were taken
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
    if (first !== null) emit(reader);
    taken = next;
  }
  if (isWhole) endBlock(reader);
  const { pieces, look: _, ...rest } = reader;
  return { stream: rest, pieces, taken };
}

/**
 * Returns the newest lines that were not emitted, at least `size` characters if available, and whether these are all.
 */
export function getTail({ pending }: MarkdownStream, size: number): { lines: string[]; isAll: boolean } {
  const lines: string[] = [];
  let [from, read] = [pending, 0];
  for (; from && read < size; from = from.above) {
    lines.unshift(from.line);
    read += from.line.length + 1;
  }
  return { lines, isAll: from === null };
}

type Reader = MarkdownStream & { pieces: RenderedPiece[]; look: Look };

function readLine(reader: Reader, line: string): void {
  const step = reader.mode ? scanLine(reader.mode, line, reader.pending?.line ?? "") : BLOCK_ENDED;
  if (step.does === "ended") {
    endBlock(reader);
    beginBlock(reader, openBlock(line), line);
    return;
  }
  if (step.does === "starts item") {
    emit(reader);
    Object.assign(reader, { parts: 0, state: INITIAL_RENDERED });
  }
  if (step.does === "starts table" && reader.pending) {
    const { line: names } = reader.pending;
    emitAllButLast(reader);
    reader.pending = null;
    endBlock(reader);
    reader.pending = addLine(names, null);
  }
  reader.mode = step.mode;
  reader.pending = addLine(line, reader.pending);
  if (step.does === "ends") endBlock(reader, true);
  else emitEarly(reader);
}

function beginBlock(reader: Reader, mode: BlockMode | null, line: string): void {
  if (!mode) return;
  reader.mode = mode;
  reader.pending = addLine(line, null);
  if (mode.is === "line") endBlock(reader);
}

/** Emits the parts of a long block that can be shown before its end. */
function emitEarly(reader: Reader): void {
  const { mode, pending, parts } = reader;
  const count = pending?.count ?? 0;
  if (mode?.is === "fence" && (parts > 0 || count > CODE_LINES)) emit(reader);
  if (mode?.is === "table" && (parts > 0 || count > TABLE_ROWS + 1)) emit(reader);
  const isLong = (pending?.size ?? 0) > LONG_TEXT;
  if (isLong && (mode?.is === "item" || mode?.is === "quote")) emit(reader);
  if (mode?.is !== "paragraph" || !pending) return;
  if (isLong || (count % PARAGRAPH_LINES === 0 && isBalanced(toLines(pending.above)))) emitAllButLast(reader);
}

/** Emits all but the last line of a paragraph, which may still become a table header or a heading. */
function emitAllButLast(reader: Reader): void {
  const last = reader.pending;
  if (!last?.above) return;
  reader.pending = last.above;
  emit(reader);
  reader.pending = addLine(last.line, null);
}

/** Emits the held lines. */
function emit(reader: Reader, isClosed = false): void {
  const { mode, parts, state, look } = reader;
  if (!mode || !reader.pending) return;
  const { text, state: next } = renderPart({ mode, parts, state, isClosed, lines: toLines(reader.pending) }, look);
  Object.assign(reader, { pending: null, parts: parts + 1, state: next });
  if (text === null) return;
  reader.pieces.push({ text, joins: reader.hasOutput });
  Object.assign(reader, { begun: true, hasOutput: true });
}

function endBlock(reader: Reader, isClosed = false): void {
  emit(reader, isClosed);
  Object.assign(reader, { mode: null, pending: null, parts: 0, state: INITIAL_RENDERED, hasOutput: false });
}

function addLine(line: string, above: HeldLines | null): HeldLines {
  return { line, above, count: (above?.count ?? 0) + 1, size: (above?.size ?? 0) + line.length + 1 };
}

function toLines(newest: HeldLines | null): string[] {
  const lines: string[] = [];
  for (let from = newest; from; from = from.above) lines.push(from.line);
  return lines.reverse();
}

/** Whether no emphasis, code or link seems to continue after these lines. */
function isBalanced(lines: string[]): boolean {
  const text = lines.join("\n");
  const countMark = (mark: string) => text.split(mark).length - 1;
  return countMark("`") % 2 === 0 && countMark("**") % 2 === 0 && countMark("[") <= countMark("]");
}

function isProse({ mode }: MarkdownStream): boolean {
  return mode === null || mode.is === "paragraph";
}

/**
 * A longer line of a paragraph is emitted in parts of about this many characters, which bounds the cost of very long
 * lines.
 */
const PART_LENGTH = 4_096;
/** Length from which a word is split. */
const LONGEST_WORD = 65_536;

/**
 * Finds the end of the first part of a very long line: after a sentence if possible, otherwise at a space. The result
 * depends only on the line, not on how much of it has arrived.
 *
 * @returns its end in `text`, or null if the line is short, not a paragraph, or cannot be split yet
 */
function findSplit(text: string, start: number, end: number): number | null {
  if (end - start <= PART_LENGTH || openBlock(text.slice(start, start + 200))?.is !== "paragraph") return null;
  const window = text.slice(start + PART_LENGTH / 2, start + PART_LENGTH);
  const sentence = /^.*(?:[.!?…] |[。！？])/s.exec(window)?.[0].length;
  const space = window.lastIndexOf(" ") + 1;
  const within = sentence ?? space;
  if (within > 0) return start + PART_LENGTH / 2 + within;
  const beyond = text.slice(start + PART_LENGTH, Math.min(end, start + LONGEST_WORD)).indexOf(" ");
  if (beyond >= 0) return start + PART_LENGTH + beyond + 1;
  if (end - start < LONGEST_WORD) return null;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(start + LONGEST_WORD - 1));
  return start + LONGEST_WORD - (isSplit ? 1 : 0);
}
