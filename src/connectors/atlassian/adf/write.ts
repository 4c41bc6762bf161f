import type { Token, Tokens } from "marked";
import { hasExtraCells } from "#protocol/markdown";
import { checkLength } from "../../input-text.ts";
import { lexMarkdown } from "../../markup/lex.ts";
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
  const hint = "Shorten it, or split it into several comments.";
  checkLength(text ?? "", TEXT_LIMIT, { service: "Jira", noun: field, field, hint });
  const content = getContent(text ?? "");
  return content.length > 0 ? { type: "doc", version: 1, content } : undefined;
}

/** Markdown that is nested too deeply is converted to plain paragraphs. */
function getContent(text: string): AdfNode[] {
  try {
    return toBlocks(lexMarkdown(text));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return text.split(/\n\s*\n/).flatMap((part) => buildParagraphs(toLiteralNodes(part.trim())));
  }
}

function toBlocks(tokens: Token[]): AdfNode[] {
  return tokens.flatMap(toBlock);
}

function toBlock(token: Token): AdfNode[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return withoutEmpty({
        type: "heading",
        attrs: { level: token.depth },
        content: toInlineNodes(token.tokens ?? []),
      });
    case "code":
      return [toCodeBlock(token as Tokens.Code)];
    case "blockquote":
      return withoutEmpty({ type: "blockquote", content: toPlainBlocks(toBlocks(token.tokens ?? [])) });
    case "list":
      return [toList(token as Tokens.List)];
    case "table":
      return toTableBlocks(token as Tokens.Table);
    case "hr":
      return [{ type: "rule" }];
    case "paragraph":
    case "text":
      return buildParagraphs(toInlineNodes(token.tokens ?? [token]));
    default:
      return buildParagraphs(toLiteralNodes(token.raw.trim()));
  }
}

/** Converts a code block, the only place where ADF expects line breaks inside a text node. */
function toCodeBlock({ text, lang }: Tokens.Code): AdfNode {
  const language = lang?.trim().split(/\s/)[0];
  return {
    type: "codeBlock",
    ...(language ? { attrs: { language } } : {}),
    ...(text === "" ? {} : { content: [{ type: "text", text }] }),
  };
}

function toList({ ordered, start, items }: Tokens.List): AdfNode {
  const content = items.map((item): AdfNode => ({ type: "listItem", content: toListItem(item) }));
  if (!ordered) return { type: "bulletList", content };
  return { type: "orderedList", ...(start && start !== 1 ? { attrs: { order: start } } : {}), content };
}

/** Converts a list item. ADF requires a paragraph first. */
function toListItem({ tokens, task, checked }: Tokens.ListItem): AdfNode[] {
  const content = toPlainBlocks(toBlocks(tokens.filter(({ type }) => type !== "checkbox")));
  const mark: AdfNode[] = task ? [{ type: "text", text: checked ? "☑ " : "☐ " }] : [];
  const [first, ...rest] = content;
  if (first?.type !== "paragraph") return [{ type: "paragraph", content: mark }, ...content];
  return [{ ...first, content: [...mark, ...(first.content ?? [])] }, ...rest];
}

function toTableBlocks(token: Tokens.Table): AdfNode[] {
  return hasExtraCells(token) ? buildParagraphs(toLiteralNodes(token.raw.trim())) : [toTable(token)];
}

function toTable({ header, rows }: Tokens.Table): AdfNode {
  const createRow = (type: string, cells: Tokens.TableCell[]): AdfNode => ({
    type: "tableRow",
    content: cells.map((cell) => ({
      type,
      content: [{ type: "paragraph", content: toInlineNodes(cell.tokens) }],
    })),
  });
  return {
    type: "table",
    content: [createRow("tableHeader", header), ...rows.map((cells) => createRow("tableCell", cells))],
  };
}

/**
 * Reduces blocks to those that lists and quotes may contain. Headings, quotes, tables and rules keep only their text.
 */
function toPlainBlocks(nodes: AdfNode[]): AdfNode[] {
  return nodes.flatMap((node) => {
    if (node.type === "heading") return [{ type: "paragraph", content: node.content ?? [] }];
    if (node.type === "blockquote") return toPlainBlocks(node.content ?? []);
    if (node.type === "table") return (node.content ?? []).map(toRowParagraph);
    return node.type === "rule" ? [] : [node];
  });
}

function toRowParagraph(row: AdfNode): AdfNode {
  const cells = (row.content ?? []).map((cell) => cell.content?.[0]?.content ?? []);
  const separator: AdfNode = { type: "text", text: " | " };
  return { type: "paragraph", content: cells.flatMap((cell, index) => (index > 0 ? [separator, ...cell] : cell)) };
}

function buildParagraphs(content: AdfNode[]): AdfNode[] {
  return withoutEmpty({ type: "paragraph", content });
}

function withoutEmpty(node: AdfNode): AdfNode[] {
  return node.content?.length ? [node] : [];
}
