import type { Token, Tokens } from "marked";
import { hasExtraCells } from "#protocol/markdown";
import { lexMarkdown } from "./lex.ts";

/**
 * Converts text or Markdown to well-formed XHTML of plain elements (for Confluence's storage format and HubSpot's
 * notes). HTML in the text is escaped, and links lead only to http, https or mailto. Returns an empty string for empty
 * text.
 */
export function markdownToHtml(text: string): string {
  try {
    return renderBlocks(lexMarkdown(text));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return text
      .split(/\n\s*\n/)
      .map((part) => wrapParagraph(escapeHtml(part.trim())))
      .join("");
  }
}

function renderBlocks(tokens: Token[]): string {
  return tokens.map(renderBlock).join("");
}

function renderBlock(token: Token): string {
  switch (token.type) {
    case "space":
      return "";
    case "heading":
      return wrapElement(`h${token.depth}`, renderInlines(token.tokens ?? []));
    case "code":
      return wrapElement("pre", escapeHtml(token.text));
    case "blockquote":
      return wrapElement("blockquote", renderBlocks(token.tokens ?? []));
    case "list":
      return renderList(token as Tokens.List);
    case "table":
      return hasExtraCells(token as Tokens.Table)
        ? wrapParagraph(escapeHtml(token.raw.trim()))
        : renderTable(token as Tokens.Table);
    case "hr":
      return "<hr/>";
    case "paragraph":
    case "text":
      return wrapParagraph(renderInlines(token.tokens ?? [token]));
    default:
      return wrapParagraph(escapeHtml(token.raw.trim()));
  }
}

function renderList({ ordered, start, items }: Tokens.List): string {
  const content = items.map(({ tokens, task, checked }) => {
    const mark = task ? (checked ? "☑ " : "☐ ") : "";
    const inner = tokens.filter(({ type }) => type !== "checkbox");
    return wrapElement(
      "li",
      mark +
        inner
          .map((token) => (token.type === "text" ? renderInlines(token.tokens ?? [token]) : renderBlock(token)))
          .join(""),
    );
  });
  const list = wrapElement(ordered ? "ol" : "ul", content.join(""));
  return ordered && Number(start) !== 1 ? list.replace("<ol>", `<ol start="${Number(start)}">`) : list;
}

function renderTable({ header, rows }: Tokens.Table): string {
  const renderRow = (name: string, cells: Tokens.TableCell[]) =>
    wrapElement("tr", cells.map(({ tokens }) => `<${name}>${renderInlines(tokens)}</${name}>`).join(""));
  return wrapElement(
    "table",
    wrapElement("tbody", renderRow("th", header) + rows.map((cells) => renderRow("td", cells)).join("")),
  );
}

function renderInlines(tokens: Token[]): string {
  return tokens.map(renderInline).join("");
}

const MARKS: Record<string, string | undefined> = { strong: "strong", em: "em", del: "s" };

function renderInline(token: Token): string {
  const renderInner = () =>
    "tokens" in token && token.tokens
      ? renderInlines(token.tokens)
      : renderLines("text" in token ? String(token.text) : token.raw);
  const mark = MARKS[token.type];
  if (mark) return wrapElement(mark, renderInner());
  switch (token.type) {
    case "codespan":
      return wrapElement("code", escapeHtml(token.text));
    case "br":
      return "<br/>";
    case "link":
      return SAFE.test(token.href)
        ? `<a href="${escapeHtml(token.href)}">${renderInner()}</a>`
        : renderLines(token.raw);
    case "escape":
    case "text":
      return renderInner();
    default:
      return renderLines(token.raw);
  }
}

/** Keeps the text's line breaks. */
function renderLines(text: string): string {
  return escapeHtml(text).replace(/\n/g, "<br/>");
}

function wrapParagraph(content: string): string {
  return wrapElement("p", content);
}

function wrapElement(name: string, content: string): string {
  return content.trim() === "" ? "" : `<${name}>${content}</${name}>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

const SAFE = /^(https?:\/\/|mailto:)/i;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
