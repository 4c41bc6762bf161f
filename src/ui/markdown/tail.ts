import { marked } from "marked";
import { clean } from "#protocol/clean";
import { steady } from "../cells.ts";
import type { Look } from "../look.ts";
import { blockTexts, CODE_INDENT } from "./block.ts";
import { withoutLinks } from "./link.ts";
import { itemText } from "./part.ts";
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
  const shown = fitted(laidOut(stream, text, look), look.width);
  const all = stream.begun && !stream.shown && isAll ? ["", ...shown] : shown;
  return all.slice(-rows);
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
