import type { Tokens } from "marked";
import { hasExtraCells } from "#protocol/markdown";
import type { Look } from "../style.ts";
import { CODE_INDENT, getProseWidth, parseLanguage, renderBlocks } from "./block.ts";
import { type CodeContext, highlightLines } from "./highlight.ts";
import { renderInline } from "./inline.ts";
import { lexBlocks, lexInline } from "./lex.ts";
import type { BlockMode, Fence } from "./scan.ts";
import { layOutColumns, renderRow, type TableColumns } from "./table.ts";
import { wrapText } from "./wrap.ts";

/** The state of a block between its parts. */
export type RenderedState = {
  /** Context of the next line of code. */
  context: CodeContext;
  /** For a table: its first two lines and its columns; null if it is shown as typed. */
  table: { head: string; columns: TableColumns | null } | null;
  /** Open fence in a list item. */
  fence: Fence | null;
};

export const INITIAL_RENDERED: RenderedState = { context: [], table: null, fence: null };

/**
 * Lines of a block: all of them, or those after `parts` earlier parts. `isClosed` if the last line is the closing
 * fence.
 */
export type BlockPart = { mode: BlockMode; parts: number; state: RenderedState; lines: string[]; isClosed: boolean };

/** Renders a part of a block; the text is null if it shows nothing. */
export function renderPart(part: BlockPart, look: Look): { text: string | null; state: RenderedState } {
  const { mode, parts, state, lines, isClosed } = part;
  if (mode.is === "fence") return formatCode(part, mode.fence, look);
  if (mode.is === "table") return formatTable(part, look);
  if (mode.is === "item") return { text: renderListItem(part, mode, look), state: { ...state, fence: mode.fence } };
  const source = (mode.is === "quote" ? lines.map(markAsQuote) : lines).join("\n");
  if (mode.is === "paragraph" && parts > 0 && !isClosed) return { text: renderProse(source, look), state };
  const text = renderBlocks(lexBlocks(source), look).join("\n\n");
  return { text: text === "" ? null : text, state };
}

/** Renders a list item, or a later part of one. */
export function renderListItem(
  { parts, state, lines }: Pick<BlockPart, "parts" | "state" | "lines">,
  mode: Extract<BlockMode, { is: "item" }>,
  look: Look,
): string | null {
  if (parts === 0) {
    const tokens = lexBlocks(lines.join("\n"));
    const [first] = tokens;
    if (first?.type === "list" && first.ordered) first.start = mode.number;
    return renderBlocks(tokens, look).join("\n\n") || null;
  }
  const { fence } = state;
  const inner = lines.map((line) => line.slice(Math.min(mode.content, line.length - line.trimStart().length)));
  const source = [...(fence ? [fence.mark.repeat(fence.length) + fence.info] : []), ...inner].join("\n");
  const width = mode.bullet === "." || mode.bullet === ")" ? `${mode.number}. `.length : 2;
  const text = renderBlocks(lexBlocks(source), { ...look, width: Math.max(10, look.width - width) }).join("\n");
  return text === "" ? null : text.replace(/^/gm, " ".repeat(width));
}

/** Marks a line as a quotation, if it is not marked already. */
function markAsQuote(line: string): string {
  return /^ {0,3}>/.test(line) ? line : `> ${line}`;
}

/** Renders a paragraph, or a part of one. Its lines never start another kind of block. */
export function renderProse(source: string, look: Look): string | null {
  const text = wrapText(renderInline({ tokens: lexInline(source) }, look), getProseWidth(look));
  return text === "" ? null : text;
}

function formatCode(
  { parts, state, lines, isClosed }: BlockPart,
  fence: Fence,
  look: Look,
): ReturnType<typeof renderPart> {
  const code = lines
    .slice(parts === 0 ? 1 : 0, isClosed ? -1 : undefined)
    .map((line) => line.slice(Math.min(fence.indent, /^ */.exec(line)?.[0].length ?? 0)));
  if (code.length === 0) return { text: null, state };
  const highlight = highlightLines(code, parseLanguage(fence.info), state.context, look);
  return {
    text: highlight.lines.map((line) => CODE_INDENT + line).join("\n"),
    state: { ...state, context: highlight.context },
  };
}

function formatTable({ parts, state, lines }: BlockPart, look: Look): ReturnType<typeof renderPart> {
  const source = lines.join("\n");
  if (state.table && parts > 0) return { text: formatRows(state.table, source, look), state };
  const tokens = lexBlocks(source);
  const [token] = tokens;
  const isTable = token?.type === "table" && !hasExtraCells(token as Tokens.Table);
  const columns = isTable ? layOutColumns(token as Tokens.Table, look) : null;
  const text = renderBlocks(tokens, look).join("\n\n");
  return { text, state: { ...state, table: { head: lines.slice(0, 2).join("\n"), columns } } };
}

/** Renders more rows of a table with fixed columns. */
function formatRows({ head, columns }: NonNullable<RenderedState["table"]>, source: string, look: Look): string {
  const [token] = lexBlocks(`${head}\n${source}`);
  if (!columns || token?.type !== "table" || hasExtraCells(token as Tokens.Table)) return wrapText(source, look.width);
  return (token as Tokens.Table).rows.map((row) => renderRow(columns, row, look)).join("\n");
}
