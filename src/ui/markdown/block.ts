import type { Token, Tokens } from "marked";
import { hasExtraCells } from "#protocol/markdown";
import type { Look } from "../style.ts";
import { highlightLines } from "./highlight.ts";
import { formatCheckbox, renderInline } from "./inline.ts";
import { layOutColumns, renderHeader, renderRow } from "./table.ts";
import { wrapText } from "./wrap.ts";

/** Renders Markdown blocks, as `marked` lexes them, one below the other. */
export function renderBlocks(tokens: Token[], look: Look): string[] {
  return tokens.filter((token) => token.type !== "space").map((token) => formatBlock(token, look));
}

/** Indent of code lines. */
export const CODE_INDENT = "    ";

/** Renders one block; "" for a block that shows nothing. */
function formatBlock(token: Token, look: Look): string {
  switch (token.type) {
    case "table":
      return formatTable(token as Tokens.Table, look);
    case "heading":
      return formatHeading(token as Tokens.Heading, look);
    case "list":
      return formatList(token as Tokens.List, look);
    case "code":
      return indentLines(
        highlightLines(token.text.trimEnd().split("\n"), parseLanguage(token.lang), [], look).lines,
        CODE_INDENT,
      );
    case "blockquote": {
      const inner = renderBlocks(token.tokens ?? [], narrowLook(look, 2)).join("\n");
      return indentLines(inner.split("\n"), look.plain ? "> " : "│ ");
    }
    case "hr":
      return look.plain ? "---" : look.paint("dim", "─".repeat(Math.min(look.width, 40)));
    default:
      return wrapText(renderInline(token, look).trimEnd(), getProseWidth(look));
  }
}

/** Longer lines of prose are hard to read. Tables and code use the whole width. */
const MAX_PROSE_CELLS = 100;

/** Returns the width of a line of prose. */
export function getProseWidth({ width }: Look): number {
  return Math.min(width, MAX_PROSE_CELLS);
}

/** A title is bold and underlined, a section bold, and anything below underlined. */
function formatHeading(token: Tokens.Heading, look: Look): string {
  const text = wrapText(renderInline(token, look), getProseWidth(look));
  if (token.depth === 2) return look.paint("bold", text);
  return token.depth === 1 ? look.paint("bold", look.paint("underline", text)) : look.paint("underline", text);
}

/** Returns the language name after a fence: `ts` for ` ```ts title=x `. */
export function parseLanguage(info: string | undefined): string {
  return /^[\w+#-]*/.exec(info?.trim() ?? "")?.[0].toLowerCase() ?? "";
}

function formatTable(token: Tokens.Table, look: Look): string {
  if (hasExtraCells(token)) return wrapText(token.raw.trim(), look.width);
  const columns = layOutColumns(token, look);
  const head = renderHeader(columns, look);
  return [...(head === null ? [] : [head]), ...token.rows.map((row) => renderRow(columns, row, look))].join("\n");
}

function formatList(token: Tokens.List, look: Look): string {
  const first = typeof token.start === "number" ? token.start : 1;
  return token.items
    .map((item, index) => {
      const mark = token.ordered ? `${first + index}. ` : "- ";
      const [box] = item.tokens;
      const hasBox = box?.type === "checkbox";
      const texts = renderBlocks(hasBox ? item.tokens.slice(1) : item.tokens, narrowLook(look, mark.length));
      const inner = (hasBox ? formatCheckbox(box.checked) : "") + texts.join("\n");
      return mark + indentLines(inner.split("\n"), " ".repeat(mark.length)).slice(mark.length);
    })
    .join("\n");
}

function narrowLook(look: Look, by: number): Look {
  return { ...look, width: Math.max(10, look.width - by) };
}

function indentLines(lines: string[], by: string): string {
  return lines.map((line) => by + line).join("\n");
}
