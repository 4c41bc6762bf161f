import type { Token, Tokens } from "marked";
import { losesCells } from "#protocol/markdown-table";
import type { Look } from "../look.ts";
import { highlighted } from "./highlight.ts";
import { boxText, inline } from "./inline.ts";
import { columnsOf, headLine, rowText } from "./table.ts";
import { wrap } from "./wrap.ts";

/** Blocks of Markdown, as `marked` lexes them, one below the other. */
export function blockTexts(tokens: Token[], look: Look): string[] {
  return tokens.filter((token) => token.type !== "space").map((token) => blockText(token, look));
}

/** Before each line of code. */
export const CODE_INDENT = "    ";

/** One block; "" for what shows nothing. */
function blockText(token: Token, look: Look): string {
  switch (token.type) {
    case "table":
      return tableText(token as Tokens.Table, look);
    case "heading":
      return look.paint("bold", wrap(inline(token, look), look.width));
    case "list":
      return listText(token as Tokens.List, look);
    case "code":
      return indented(
        highlighted(token.text.trimEnd().split("\n"), languageOf(token.lang), [], look).lines,
        CODE_INDENT,
      );
    case "blockquote": {
      const inner = blockTexts(token.tokens ?? [], narrower(look, 2)).join("\n");
      return indented(inner.split("\n"), look.plain ? "> " : "│ ");
    }
    case "hr":
      return look.plain ? "---" : look.paint("dim", "─".repeat(Math.min(look.width, 40)));
    default:
      return wrap(inline(token, look).trimEnd(), look.width);
  }
}

/** The name of a language behind a fence: ` ```ts title=x ` is `ts`. */
export function languageOf(info: string | undefined): string {
  return /^[\w+#-]*/.exec(info?.trim() ?? "")?.[0].toLowerCase() ?? "";
}

function tableText(token: Tokens.Table, look: Look): string {
  if (losesCells(token)) return wrap(token.raw.trim(), look.width);
  const columns = columnsOf(token, look);
  const head = headLine(columns, look);
  return [...(head === null ? [] : [head]), ...token.rows.map((row) => rowText(columns, row, look))].join("\n");
}

function listText(token: Tokens.List, look: Look): string {
  const first = typeof token.start === "number" ? token.start : 1;
  return token.items
    .map((item, index) => {
      const mark = token.ordered ? `${first + index}. ` : "- ";
      const [box] = item.tokens;
      const hasBox = box?.type === "checkbox";
      const texts = blockTexts(hasBox ? item.tokens.slice(1) : item.tokens, narrower(look, mark.length));
      const inner = (hasBox ? boxText(box.checked) : "") + texts.join("\n");
      return mark + indented(inner.split("\n"), " ".repeat(mark.length)).slice(mark.length);
    })
    .join("\n");
}

function narrower(look: Look, by: number): Look {
  return { ...look, width: Math.max(10, look.width - by) };
}

function indented(lines: string[], by: string): string {
  return lines.map((line) => by + line).join("\n");
}
