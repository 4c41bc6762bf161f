import { marked, type Token, type Tokens } from "marked";
import wrapAnsi from "wrap-ansi";
import { losesCells } from "#protocol/markdown-table";
import type { Look } from "./look.ts";
import { layOut } from "./table.ts";

/**
 * Markdown for a terminal: tables laid out to its width, headings, lists, code and links as text. What is not Markdown stays as it is.
 * The text must be clean already (`#protocol/clean`).
 */
export function renderMarkdown(text: string, look: Look): string {
  return blocks(marked.lexer(text), look).join("\n\n");
}

/** One block of it, as `marked` lexes it. */
export function renderBlock(token: Token, look: Look): string {
  switch (token.type) {
    case "table":
      if (losesCells(token as Tokens.Table)) return wrapAnsi(token.raw.trim(), look.width, { hard: !look.plain });
      return table(token as Tokens.Table, look);
    case "heading":
      return look.paint("bold", inline(token, look));
    case "list":
      return list(token as Tokens.List, look);
    case "code":
      return indent(token.text, "    ");
    case "blockquote":
      return indent(
        blocks(token.tokens ?? [], { ...look, width: Math.max(10, look.width - 2) }).join("\n"),
        look.plain ? "> " : "│ ",
      );
    case "hr":
      return look.plain ? "---" : look.paint("dim", "─".repeat(Math.min(look.width, 40)));
    default:
      return wrapAnsi(inline(token, look), look.width, { hard: !look.plain });
  }
}

function blocks(tokens: Token[], look: Look): string[] {
  return tokens.filter((token) => token.type !== "space").map((token) => renderBlock(token, look));
}

function table(token: Tokens.Table, look: Look): string {
  const plain = (cell: Tokens.TableCell) => inline(cell, { ...look, paint: (_, text) => text });
  const { header, lines } = layOut(
    token.header.map((cell) => plain(cell).toUpperCase()),
    token.rows.map((row) => row.map(plain)),
    look.plain ? 0 : look.width,
  );
  return (header === null ? lines : [look.paint("dim", header), ...lines]).join("\n");
}

function list(token: Tokens.List, look: Look): string {
  const first = Number(token.start) || 1;
  return token.items
    .map((item, index) => {
      const mark = token.ordered ? `${first + index}. ` : "- ";
      const inner = { ...look, width: Math.max(10, look.width - mark.length) };
      return mark + indent(blocks(item.tokens, inner).join("\n"), " ".repeat(mark.length)).trimStart();
    })
    .join("\n");
}

/** Text with its emphasis; marks that mean nothing on a terminal are left out. */
function inline(token: { text?: string; raw?: string; tokens?: Token[] }, look: Look): string {
  if (!token.tokens) return plainText(token.text ?? token.raw ?? "");
  return token.tokens.map((part) => span(part, look)).join("");
}

function span(token: Token, look: Look): string {
  if (token.type === "strong") return look.paint("bold", inline(token, look));
  if (token.type === "em") return look.paint("dim", inline(token, look));
  if (token.type === "codespan") return look.paint("cyan", plainText(token.text));
  if (token.type === "br") return "\n";
  if (token.type === "link" || token.type === "image") {
    const label = inline(token, look);
    return label === token.href ? look.paint("underline", label) : `${label} (${token.href})`;
  }
  return inline(token, look);
}

/** marked escapes for HTML what a terminal shows as it is. */
function plainText(text: string): string {
  const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

function indent(text: string, by: string): string {
  return text
    .split("\n")
    .map((line) => by + line)
    .join("\n");
}
