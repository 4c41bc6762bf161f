import { clean } from "#protocol/clean";
import { normalizeWidth } from "../screen/cells.ts";
import type { Look } from "../style.ts";
import { CODE_INDENT, renderBlocks } from "./block.ts";
import { loadHighlighting } from "./highlight.ts";
import { lexBlocks } from "./lex.ts";
import { stripLinks } from "./link.ts";
import { renderListItem, renderProse } from "./part.ts";
import { openBlock, scanLine } from "./scan.ts";
import { getTail, type MarkdownStream } from "./stream.ts";
import { fitsRow, wrapHard } from "./wrap.ts";

/** Longest text that is laid out again on every update. */
const MAX_LENGTH = 1_500;

/**
 * Renders the last rows of the text that is not final: at most `rows`, none wider than `look.width`. The first is empty
 * if a blank line belongs above. The cost does not depend on the length of the text.
 *
 * @param rest raw text after the lines that were read
 */
export function renderTail(stream: MarkdownStream, rest: string, look: Look, rows: number): string[] {
  const size = Math.min(MAX_LENGTH, rows * look.width);
  const { lines, isAll } = getTail(stream, size);
  const partial = stripUnfinished(rest.slice(-size));
  const text = [...lines, ...(partial === "" ? [] : [partial])].join("\n");
  if (text.trim() === "") return [];
  const isPlain = isProse(stream, partial) && !DEFINITION.test(text);
  const laid = isPlain ? (renderProse(text, look) ?? "").split("\n") : renderLines(stream, text, look);
  const visible = fitRows(laid, look.width);
  const all = stream.begun && !stream.hasOutput && isAll ? ["", ...visible] : visible;
  return all.slice(-rows);
}

/** A link reference definition, which is not shown. */
const DEFINITION = /^ {0,3}\[[^\]]*\]:/m;

/** Most streamed text is a paragraph, and lexing other blocks costs more than everything else. */
function isProse({ mode, pending }: MarkdownStream, partial: string): boolean {
  if (mode === null) return openBlock(partial)?.is === "paragraph";
  if (mode.is !== "paragraph") return false;
  return partial === "" || scanLine(mode, partial, pending?.line ?? "").does === "continues";
}

function renderLines(stream: MarkdownStream, text: string, look: Look): string[] {
  const { mode, parts, state } = stream;
  if (mode?.is === "fence") {
    if (mode.fence.info !== "") void loadHighlighting();
    const code = text.split("\n").slice(parts === 0 && stream.pending ? 1 : 0);
    return code.map((line) => CODE_INDENT + line);
  }
  const lines = text.split("\n");
  if (mode?.is === "item") return (renderListItem({ parts, state, lines }, mode, look) ?? "").split("\n");
  return renderBlocks(lexBlocks(text), look).join("\n\n").split("\n");
}

function fitRows(rows: string[], width: number): string[] {
  return rows
    .map((row) => normalizeWidth(row).replaceAll("\t", "    "))
    .flatMap((row) => stripLinks(fitsRow(row, width) ? row : wrapHard(row, width)).split("\n"));
}

/** Removes an incomplete character or control sequence at the end. */
function stripUnfinished(text: string): string {
  return clean(text.replace(UNFINISHED, ""));
}

const UNFINISHED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what begins a control sequence
  /(?:[\x1b\x9b\x9d\x90][^\x07\x1b]{0,64}|(?<![\ud800-\udbff\u200c\u200d])[\ud800-\udbff\u200c\u200d]+)$/;
