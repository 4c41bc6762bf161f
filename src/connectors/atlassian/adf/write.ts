import { lexer, type Token, type Tokens } from "marked";
import { Problem } from "#protocol/errors";
import { hasExtraCells } from "#protocol/markdown-table";
import type { AdfDocument, AdfNode } from "./inline.ts";
import { toInlineNodes, toLiteralNodes } from "./inline.ts";

/** Longest description or comment that Jira accepts, in characters. */
const TEXT_LIMIT = 32_767;

/**
 * Converts text or Markdown to a document for Jira. Returns `undefined` for empty text, so that the field is omitted.
 *
 * @param field the name of the text in errors: "description"
 * @throws Problem INVALID_REQUEST when it is longer than Jira accepts
 */
export function toAdf(text: string | undefined, field: string): AdfDocument | undefined {
  const length = text?.length ?? 0;
  if (length > TEXT_LIMIT) {
    const [has, most] = [length, TEXT_LIMIT].map((number) => number.toLocaleString("en-US"));
    throw new Problem("INVALID_REQUEST", `The ${field} has ${has} characters; Jira accepts at most ${most}.`, {
      hint: "Shorten it, or split it into several comments.",
      details: { field },
    });
  }
  const content = getContent(text ?? "");
  return content.length > 0 ? { type: "doc", version: 1, content } : undefined;
}

/** Markdown that is nested too deeply is converted to plain paragraphs. */
function getContent(text: string): AdfNode[] {
  try {
    return blocks(lexer(text, { gfm: true }));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return text.split(/\n\s*\n/).flatMap((part) => paragraph(toLiteralNodes(part.trim())));
  }
}

function blocks(tokens: Token[]): AdfNode[] {
  return tokens.flatMap(block);
}

function block(token: Token): AdfNode[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return nonEmpty({ type: "heading", attrs: { level: token.depth }, content: toInlineNodes(token.tokens ?? []) });
    case "code":
      return [codeBlock(token as Tokens.Code)];
    case "blockquote":
      return nonEmpty({ type: "blockquote", content: plainBlocks(blocks(token.tokens ?? [])) });
    case "list":
      return [list(token as Tokens.List)];
    case "table":
      return tableBlocks(token as Tokens.Table);
    case "hr":
      return [{ type: "rule" }];
    case "paragraph":
    case "text":
      return paragraph(toInlineNodes(token.tokens ?? [token]));
    default:
      return paragraph(toLiteralNodes(token.raw.trim()));
  }
}

/** Converts a code block, the only place where ADF expects line breaks inside a text node. */
function codeBlock({ text, lang }: Tokens.Code): AdfNode {
  const language = lang?.trim().split(/\s/)[0];
  return {
    type: "codeBlock",
    ...(language ? { attrs: { language } } : {}),
    ...(text === "" ? {} : { content: [{ type: "text", text }] }),
  };
}

function list({ ordered, start, items }: Tokens.List): AdfNode {
  const content = items.map((item): AdfNode => ({ type: "listItem", content: listItem(item) }));
  if (!ordered) return { type: "bulletList", content };
  return { type: "orderedList", ...(start && start !== 1 ? { attrs: { order: start } } : {}), content };
}

/** Converts a list item. ADF requires a paragraph first. */
function listItem({ tokens, task, checked }: Tokens.ListItem): AdfNode[] {
  const content = plainBlocks(blocks(tokens.filter(({ type }) => type !== "checkbox")));
  const mark: AdfNode[] = task ? [{ type: "text", text: checked ? "☑ " : "☐ " }] : [];
  const [first, ...rest] = content;
  if (first?.type !== "paragraph") return [{ type: "paragraph", content: mark }, ...content];
  return [{ ...first, content: [...mark, ...(first.content ?? [])] }, ...rest];
}

function tableBlocks(token: Tokens.Table): AdfNode[] {
  return hasExtraCells(token) ? paragraph(toLiteralNodes(token.raw.trim())) : [table(token)];
}

function table({ header, rows }: Tokens.Table): AdfNode {
  const row = (type: string, cells: Tokens.TableCell[]): AdfNode => ({
    type: "tableRow",
    content: cells.map((cell) => ({
      type,
      content: [{ type: "paragraph", content: toInlineNodes(cell.tokens) }],
    })),
  });
  return { type: "table", content: [row("tableHeader", header), ...rows.map((cells) => row("tableCell", cells))] };
}

/**
 * Reduces blocks to those that lists and quotes may contain. Headings, quotes, tables and rules keep only their text.
 */
function plainBlocks(nodes: AdfNode[]): AdfNode[] {
  return nodes.flatMap((node) => {
    if (node.type === "heading") return [{ type: "paragraph", content: node.content ?? [] }];
    if (node.type === "blockquote") return plainBlocks(node.content ?? []);
    if (node.type === "table") return (node.content ?? []).map(rowParagraph);
    return node.type === "rule" ? [] : [node];
  });
}

function rowParagraph(row: AdfNode): AdfNode {
  const cells = (row.content ?? []).map((cell) => cell.content?.[0]?.content ?? []);
  const separator: AdfNode = { type: "text", text: " | " };
  return { type: "paragraph", content: cells.flatMap((cell, index) => (index > 0 ? [separator, ...cell] : cell)) };
}

function paragraph(content: AdfNode[]): AdfNode[] {
  return nonEmpty({ type: "paragraph", content });
}

function nonEmpty(node: AdfNode): AdfNode[] {
  return node.content?.length ? [node] : [];
}
