import { marked } from "marked";
import { clean } from "#protocol/clean";
import { steady } from "../cells.ts";
import type { Look } from "../look.ts";
import { blockTexts, CODE_INDENT } from "./block.ts";
import { withoutLinks } from "./link.ts";
import { itemText, proseText } from "./part.ts";
import { opened, stepped } from "./scan.ts";
import { newest, type Stream } from "./stream.ts";
import { fits, hard } from "./wrap.ts";

/** Longest text that is laid out again and again while it grows. */
const LONGEST = 1_500;

/**
 * The last rows of what is not final: at most `rows`, none wider than `look.width`, the first one empty where a blank line would stand
 * before. It costs the same however long the text is.
 *
 * @param rest what follows the lines that were read, as it came
 */
export function tailRows(stream: Stream, rest: string, look: Look, rows: number): string[] {
  const size = Math.min(LONGEST, rows * look.width);
  const { lines, isAll } = newest(stream, size);
  const partial = unfinished(rest.slice(-size));
  const text = [...lines, ...(partial === "" ? [] : [partial])].join("\n");
  if (text.trim() === "") return [];
  const isPlain = isProse(stream, partial) && !DEFINITION.test(text);
  const laid = isPlain ? (proseText(text, look) ?? "").split("\n") : laidOut(stream, text, look);
  const shown = fitted(laid, look.width);
  const all = stream.begun && !stream.shown && isAll ? ["", ...shown] : shown;
  return all.slice(-rows);
}

/** The name of a link for elsewhere, which is not shown. */
const DEFINITION = /^ {0,3}\[[^\]]*\]:/m;

/** Nearly all that streams is a paragraph, and to look for other blocks in it costs more than all the rest. */
function isProse({ mode, held }: Stream, partial: string): boolean {
  if (mode === null) return opened(partial)?.is === "paragraph";
  if (mode.is !== "paragraph") return false;
  return partial === "" || stepped(mode, partial, held?.line ?? "").does === "goes on";
}

function laidOut(stream: Stream, text: string, look: Look): string[] {
  const { mode, parts, given } = stream;
  if (mode?.is === "fence") {
    const code = text.split("\n").slice(parts === 0 && stream.held ? 1 : 0);
    return code.map((line) => CODE_INDENT + line);
  }
  const lines = text.split("\n");
  if (mode?.is === "item") return (itemText({ parts, given, lines }, mode, look) ?? "").split("\n");
  return blockTexts(marked.lexer(text), look).join("\n\n").split("\n");
}

function fitted(rows: string[], width: number): string[] {
  return rows
    .map((row) => steady(row).replaceAll("\t", "    "))
    .flatMap((row) => withoutLinks(fits(row, width) ? row : hard(row, width)).split("\n"));
}

/** The end of it may be half of a character or of a control sequence. */
function unfinished(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what begins a control sequence
  return clean(text.replace(/(?:[\x1b\x9b\x9d\x90][^\x07\x1b]{0,64}|[\ud800-\udbff\u200c\u200d]+)$/, ""));
}
