import { Lexer, marked, type Tokens } from "marked";
import { losesCells } from "#protocol/markdown-table";
import type { Look } from "../look.ts";
import { blockTexts, CODE_INDENT, languageOf } from "./block.ts";
import { type CodeContext, highlighted } from "./highlight.ts";
import { inline } from "./inline.ts";
import type { Fence, Mode } from "./scan.ts";
import { type Columns, columnsOf, rowText } from "./table.ts";
import { wrap } from "./wrap.ts";

/** What was given out of a block, as far as its next part depends on it. */
export type Given = {
  /** What the next line of code stands in. */
  context: CodeContext;
  /** Of a table: its first two lines and its columns; null where it is shown as it was typed. */
  table: { head: string; columns: Columns | null } | null;
  /** The fence that is open in an item. */
  fence: Fence | null;
};

export const NOTHING_GIVEN: Given = { context: [], table: null, fence: null };

/** Lines of a block: all of them, or those that follow `parts` others. `isClosed` where the last one is the closing fence. */
export type Part = { mode: Mode; parts: number; given: Given; lines: string[]; isClosed: boolean };

/** A part of a block as it is shown, null where it shows nothing. */
export function partText(part: Part, look: Look): { text: string | null; given: Given } {
  const { mode, parts, given, lines, isClosed } = part;
  if (mode.is === "fence") return codeText(part, mode.fence, look);
  if (mode.is === "table") return tableText(part, look);
  if (mode.is === "item") return { text: itemText(part, mode, look), given: { ...given, fence: mode.fence } };
  const source = (mode.is === "quote" ? lines.map(quoted) : lines).join("\n");
  if (mode.is === "paragraph" && parts > 0 && !isClosed) return { text: proseText(source, look), given };
  const text = blockTexts(marked.lexer(source), look).join("\n\n");
  return { text: text === "" ? null : text, given };
}

/** An item of a list, or more of one. */
export function itemText(
  { parts, given, lines }: Pick<Part, "parts" | "given" | "lines">,
  mode: Extract<Mode, { is: "item" }>,
  look: Look,
): string | null {
  if (parts === 0) {
    const tokens = marked.lexer(lines.join("\n"));
    const [first] = tokens;
    if (first?.type === "list" && first.ordered) first.start = mode.number;
    return blockTexts(tokens, look).join("\n\n") || null;
  }
  const { fence } = given;
  const inner = lines.map((line) => line.slice(Math.min(mode.content, line.length - line.trimStart().length)));
  const source = [...(fence ? [fence.mark.repeat(fence.length) + fence.info] : []), ...inner].join("\n");
  const width = mode.bullet === "." || mode.bullet === ")" ? `${mode.number}. `.length : 2;
  const text = blockTexts(marked.lexer(source), { ...look, width: Math.max(10, look.width - width) }).join("\n");
  return text === "" ? null : text.replace(/^/gm, " ".repeat(width));
}

/** A line of a quotation, also one that is not marked as such. */
function quoted(line: string): string {
  return /^ {0,3}>/.test(line) ? line : `> ${line}`;
}

/** A paragraph, or more of one: whatever its lines begin with, they begin nothing. */
export function proseText(source: string, look: Look): string | null {
  const text = wrap(inline({ tokens: Lexer.lexInline(source) }, look), look.width);
  return text === "" ? null : text;
}

function codeText({ parts, given, lines, isClosed }: Part, fence: Fence, look: Look): ReturnType<typeof partText> {
  const code = lines
    .slice(parts === 0 ? 1 : 0, isClosed ? -1 : undefined)
    .map((line) => line.slice(Math.min(fence.indent, /^ */.exec(line)?.[0].length ?? 0)));
  if (code.length === 0) return { text: null, given };
  const shown = highlighted(code, languageOf(fence.info), given.context, look);
  return {
    text: shown.lines.map((line) => CODE_INDENT + line).join("\n"),
    given: { ...given, context: shown.context },
  };
}

function tableText({ parts, given, lines }: Part, look: Look): ReturnType<typeof partText> {
  const source = lines.join("\n");
  if (given.table && parts > 0) return { text: rowsText(given.table, source, look), given };
  const tokens = marked.lexer(source);
  const [token] = tokens;
  const isTable = token?.type === "table" && !losesCells(token as Tokens.Table);
  const columns = isTable ? columnsOf(token as Tokens.Table, look) : null;
  const text = blockTexts(tokens, look).join("\n\n");
  return { text, given: { ...given, table: { head: lines.slice(0, 2).join("\n"), columns } } };
}

/** More rows of a table whose columns stand already. */
function rowsText({ head, columns }: NonNullable<Given["table"]>, source: string, look: Look): string {
  const [token] = marked.lexer(`${head}\n${source}`);
  if (!columns || token?.type !== "table" || losesCells(token as Tokens.Table)) return wrap(source, look.width);
  return (token as Tokens.Table).rows.map((row) => rowText(columns, row, look)).join("\n");
}
