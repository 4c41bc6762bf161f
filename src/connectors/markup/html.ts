import { lexer, type Token, type Tokens } from "marked";
import { hasExtraCells } from "#protocol/markdown-table";

/**
 * Converts text or Markdown to well-formed XHTML of plain elements (for Confluence's storage format and HubSpot's
 * notes). HTML in the text is escaped, and links lead only to http, https or mailto. Returns an empty string for empty
 * text.
 */
export function markdownToHtml(text: string): string {
  try {
    return blocks(lexer(text, { gfm: true }));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return text
      .split(/\n\s*\n/)
      .map((part) => paragraph(escapeHtml(part.trim())))
      .join("");
  }
}

function blocks(tokens: Token[]): string {
  return tokens.map(block).join("");
}

function block(token: Token): string {
  switch (token.type) {
    case "space":
      return "";
    case "heading":
      return element(`h${token.depth}`, inlines(token.tokens ?? []));
    case "code":
      return element("pre", escapeHtml(token.text));
    case "blockquote":
      return element("blockquote", blocks(token.tokens ?? []));
    case "list":
      return list(token as Tokens.List);
    case "table":
      return hasExtraCells(token as Tokens.Table)
        ? paragraph(escapeHtml(token.raw.trim()))
        : table(token as Tokens.Table);
    case "hr":
      return "<hr/>";
    case "paragraph":
    case "text":
      return paragraph(inlines(token.tokens ?? [token]));
    default:
      return paragraph(escapeHtml(token.raw.trim()));
  }
}

function list({ ordered, items }: Tokens.List): string {
  const content = items.map(({ tokens, task, checked }) => {
    const mark = task ? (checked ? "☑ " : "☐ ") : "";
    const inner = tokens.filter(({ type }) => type !== "checkbox");
    return element(
      "li",
      mark + inner.map((token) => (token.type === "text" ? inlines(token.tokens ?? [token]) : block(token))).join(""),
    );
  });
  return element(ordered ? "ol" : "ul", content.join(""));
}

function table({ header, rows }: Tokens.Table): string {
  const row = (name: string, cells: Tokens.TableCell[]) =>
    element("tr", cells.map(({ tokens }) => `<${name}>${inlines(tokens)}</${name}>`).join(""));
  return element("table", element("tbody", row("th", header) + rows.map((cells) => row("td", cells)).join("")));
}

function inlines(tokens: Token[]): string {
  return tokens.map(inline).join("");
}

const MARKS: Record<string, string | undefined> = { strong: "strong", em: "em", del: "s" };

function inline(token: Token): string {
  const inner = () =>
    "tokens" in token && token.tokens ? inlines(token.tokens) : lines("text" in token ? String(token.text) : token.raw);
  const mark = MARKS[token.type];
  if (mark) return element(mark, inner());
  switch (token.type) {
    case "codespan":
      return element("code", escapeHtml(token.text));
    case "br":
      return "<br/>";
    case "link":
      return SAFE.test(token.href) ? `<a href="${escapeHtml(token.href)}">${inner()}</a>` : inner();
    case "escape":
    case "text":
      return inner();
    default:
      return lines(token.raw);
  }
}

/** Keeps the text's line breaks. */
function lines(text: string): string {
  return escapeHtml(text).replace(/\n/g, "<br/>");
}

function paragraph(content: string): string {
  return element("p", content);
}

function element(name: string, content: string): string {
  return content.trim() === "" ? "" : `<${name}>${content}</${name}>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

const SAFE = /^(https?:\/\/|mailto:)/i;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
