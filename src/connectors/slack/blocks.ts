import { formatMarkdownTable } from "../markup/markdown.ts";
import { escapeMarkdown, formatLink, mrkdwnToMarkdown, type Names } from "./mrkdwn-read.ts";
import { richTextToMarkdown } from "./rich-text.ts";

type Node = Record<string, unknown>;

/** Levels of nesting that are read. Slack's own blocks have fewer. */
const DEEPEST = 12;

/** Parts of interactive elements that are not part of the message's text. */
const UNSEEN = new Set(["placeholder", "options", "option_groups", "confirm", "accessibility_label"]);

/**
 * Converts the blocks of a message to Markdown. Of a block that kay does not know, it takes every text; one without text is named. Source:
 * https://docs.slack.dev/reference/block-kit/blocks/
 */
export function blocksToMarkdown(blocks: unknown, names: Names): string {
  return toNodes(blocks)
    .map((block) => formatBlock(block, names))
    .filter(Boolean)
    .join("\n\n");
}

function formatBlock(block: Node, names: Names): string {
  const { type } = block;
  if (type === "divider") return "";
  if (type === "header") return addBold(collectTexts(block.text, names, 0).join(" "));
  if (type === "markdown") return toText(block.text).trim();
  if (type === "table") return formatTable(block, names);
  const texts = collectTexts(block, names, 0);
  if (texts.length > 0) return texts.join(type === "context" ? " · " : "\n");
  return `(${toText(type).replaceAll("_", " ") || "unknown"} block)`;
}

/** Collects the texts of a block in their order. Elements with an address become links. */
function collectTexts(value: unknown, names: Names, depth: number): string[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => collectTexts(one, names, depth + 1));
  if (!isNode(value)) return [];
  const { type, text, url, value: target } = value;
  if (type === "rich_text") return [richTextToMarkdown(value, names)].filter(Boolean);
  if (type === "mrkdwn") return [mrkdwnToMarkdown(toText(text), names)].filter(Boolean);
  if (type === "plain_text" || type === "raw_text") return [escapeMarkdown(toText(text)).trim()].filter(Boolean);
  if (type === "image") return [`(image: ${formatPlain(value.title) || escapeMarkdown(toText(value.alt_text))})`];
  if (type === "button") return [formatLink(formatPlain(text), toText(url ?? target))].filter(Boolean);
  if (type === "video")
    return [formatLink(formatPlain(value.title), toText(value.title_url)), formatPlain(value.description)].filter(
      Boolean,
    );
  const inner = Object.entries(value).filter(([key]) => !UNSEEN.has(key));
  return inner.flatMap(([, one]) => collectTexts(one, names, depth + 1));
}

function formatTable({ rows }: Node, names: Names): string {
  const cells = (Array.isArray(rows) ? rows : []).map((row: unknown) =>
    toNodes(row).map((cell) => collectTexts(cell, names, 0).join(" ")),
  );
  const width = Math.max(0, ...cells.map((row) => row.length));
  const [head, ...rest] = cells.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? ""));
  return head ? formatMarkdownTable(head, rest) : "";
}

/** Returns the words of a text object, which some fields give as a plain string. */
function formatPlain(text: unknown): string {
  return escapeMarkdown(toText(isNode(text) ? text.text : text)).trim();
}

function addBold(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line === "" ? "" : `**${line}**`;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function toNodes(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
