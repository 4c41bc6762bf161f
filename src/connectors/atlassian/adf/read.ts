import { encodeLinkTarget, splitMargins } from "../../markup/markdown.ts";
import type { AdfMark, AdfNode } from "./inline.ts";

/** Maximum nesting that is read, so that reading a hostile document ends. */
const MAX_DEPTH = 60;

/**
 * Converts a description or comment to Markdown. Accepts a document tree, plain text or nothing. Unknown nodes
 * contribute their text; one without text is named. Source: https://go.atlassian.com/adf-json-schema
 */
export function toMarkdown(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return isNode(value) ? formatBlocks(getContent(value), 0).trim() : "";
}

function formatBlocks(nodes: AdfNode[], depth: number): string {
  return groupNodes(nodes)
    .map((group) =>
      isInline(group[0])
        ? group
            .map((node) => formatInline(node, depth))
            .join("")
            .trim()
        : formatBlock(group[0], depth),
    )
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

/** Groups adjacent inline nodes. Each block is a separate group. */
function groupNodes(nodes: AdfNode[]): AdfNode[][] {
  const result: AdfNode[][] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (isInline(node) && last && isInline(last[0])) last.push(node);
    else result.push([node]);
  }
  return result;
}

function formatBlock(node: AdfNode | undefined, depth: number): string {
  if (!node) return "";
  if (depth > MAX_DEPTH) return "…";
  const formatInner = () => formatBlocks(getContent(node), depth + 1);
  switch (node.type) {
    case "heading":
      return (
        formatInner() && `${"#".repeat(Math.min(6, Math.max(1, Number(node.attrs?.level) || 1)))} ${formatInner()}`
      );
    case "bulletList":
    case "decisionList":
      return formatList(node, () => "- ", depth);
    case "orderedList":
      return formatList(node, (index) => `${(Number(node.attrs?.order) || 1) + index}. `, depth);
    case "taskList":
      return formatList(node, (_, item) => (item.attrs?.state === "DONE" ? "- [x] " : "- [ ] "), depth);
    case "codeBlock":
      return formatCode(node);
    case "blockquote":
    case "panel":
      return indentLines(formatInner(), "> ", "> ");
    case "rule":
      return "---";
    case "table":
      return formatTable(node, depth);
    case "expand":
    case "nestedExpand":
      return [getAttribute(node, "title") && `**${getAttribute(node, "title")}**`, formatInner()]
        .filter(Boolean)
        .join("\n\n");
    case "media":
      return formatMedia(node);
    default:
      return formatInner() || node.text || formatLeaf(node);
  }
}

function formatMedia(node: AdfNode): string {
  const [words, url] = [getAttribute(node, "alt"), getAttribute(node, "url")];
  return url ? `[${words || "image"}](${encodeLinkTarget(url)})` : `[${words || "attachment"}]`;
}

/** Nodes without content that are not named. */
const MAY_BE_EMPTY =
  /^(?:doc|text|paragraph|heading|section|caption|placeholder|.*(?:List|Item|Row|Cell|Header|Column|Section|Single|Group|Frame)|table)$/;

/** Formats a node without content: its text, its address, or its kind in parentheses. */
function formatLeaf(node: AdfNode): string {
  const data = node.attrs?.data as { url?: unknown; name?: unknown } | undefined;
  const words = [getAttribute(node, "text"), getAttribute(node, "url"), data?.url, data?.name];
  const word = words.find((text) => typeof text === "string" && text !== "");
  if (word !== undefined) return String(word);
  if (MAY_BE_EMPTY.test(node.type)) return "";
  const kind = node.type.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const key = getAttribute(node, "extensionKey");
  return key ? `(${kind}: ${key})` : `(${kind})`;
}

function formatList(node: AdfNode, marker: (index: number, item: AdfNode) => string, depth: number): string {
  return getContent(node)
    .map((item, index) => {
      if (item.type === node.type) return indentLines(formatBlock(item, depth + 1), "  ", "  ");
      const first = marker(index, item);
      return indentLines(
        formatBlocks(getContent(item), depth + 1).replace(/\n\n(?=[ \t]*(?:[-*]|\d+\.) )/g, "\n"),
        first,
        " ".repeat(first.length),
      );
    })
    .join("\n");
}

function formatCode(node: AdfNode): string {
  const code = getContent(node)
    .map((part) => part.text ?? "")
    .join("");
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${getAttribute(node, "language")}\n${code}\n${fence}`;
}

function formatTable(node: AdfNode, depth: number): string {
  const rows = getContent(node).map((row) =>
    getContent(row).map((cell) =>
      formatBlocks(getContent(cell), depth + 1)
        .replace(/(?<!\s)\s*\n\s*/g, " ")
        .replace(/\|/g, "\\|"),
    ),
  );
  const [head = [], ...rest] = rows;
  return [head, head.map(() => "---"), ...rest].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function formatInline(node: AdfNode, depth: number): string {
  switch (node.type) {
    case "text":
      return (node.marks ?? []).reduce(withMark, node.text ?? "");
    case "hardBreak":
      return "\n";
    case "mention":
      return getAttribute(node, "text") || `@${getAttribute(node, "id")}`;
    case "emoji":
      return getAttribute(node, "text") || getAttribute(node, "shortName");
    case "date":
      return formatDate(getAttribute(node, "timestamp"));
    case "status":
      return `[${getAttribute(node, "text")}]`;
    case "mediaInline":
      return formatMedia(node);
    default:
      return node.text || formatBlocks(getContent(node), depth + 1) || formatLeaf(node);
  }
}

/** Wraps text in a mark. Leading and trailing spaces stay outside, as Markdown requires. */
function withMark(text: string, mark: AdfMark): string {
  const { before, words, after } = splitMargins(text);
  return words === "" ? text : before + formatMarked(words, mark) + after;
}

function formatMarked(words: string, mark: AdfMark): string {
  if (mark.type === "code") return `\`${words}\``;
  if (mark.type === "strong") return `**${words}**`;
  if (mark.type === "em") return `_${words}_`;
  if (mark.type === "strike") return `~~${words}~~`;
  if (mark.type === "subsup")
    return (mark.attrs?.type === "sub" ? "_" : "^") + (words.length > 1 ? `(${words})` : words);
  const href = mark.type === "link" ? mark.attrs?.href : undefined;
  return typeof href !== "string" || href === words ? words : `[${words}](${encodeLinkTarget(href)})`;
}

function formatDate(timestamp: string): string {
  const time = Number(timestamp);
  return Number.isFinite(time) && Math.abs(time) < 8.64e15 ? new Date(time).toISOString().slice(0, 10) : timestamp;
}

function indentLines(text: string, first: string, others: string): string {
  return text
    .split("\n")
    .map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd())
    .join("\n");
}

const INLINE = new Set([
  "text",
  "hardBreak",
  "mention",
  "emoji",
  "date",
  "status",
  "inlineCard",
  "placeholder",
  "mediaInline",
  "inlineExtension",
  "unsupportedInline",
  "confluenceUnsupportedInline",
]);

function isInline(node: AdfNode | undefined): boolean {
  return node !== undefined && (INLINE.has(node.type) || (node.text !== undefined && node.content === undefined));
}

function getContent(node: AdfNode): AdfNode[] {
  return Array.isArray(node.content) ? node.content.filter(isNode) : [];
}

/** Returns whether a value from the service has the shape of a node. */
function isNode(value: unknown): value is AdfNode {
  if (typeof value !== "object" || value === null) return false;
  const { type, text, marks } = value as Record<string, unknown>;
  const marksFit =
    marks === undefined || (Array.isArray(marks) && marks.every((mark) => typeof mark?.type === "string"));
  return typeof type === "string" && (text === undefined || typeof text === "string") && marksFit;
}

function getAttribute(node: AdfNode, name: string): string {
  const value = node.attrs?.[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
