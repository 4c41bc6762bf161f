import * as z from "zod/mini";
import { isRecord } from "#protocol/json";
import { catchInvalid } from "../input-text.ts";
import { formatMarkdownTable, splitMargins, toOneLine } from "../markup/markdown.ts";
import { escapeMarkdown, formatLink, mrkdwnToMarkdown, type Names, toIsoTime } from "./mrkdwn-read.ts";

type Node = Record<string, unknown>;

/** Levels of nesting that are read. Slack's own blocks have fewer. */
const DEEPEST = 12;

/** Parts of interactive elements that are not part of the message's text. */
const UNSEEN = new Set(["placeholder", "options", "option_groups", "confirm", "accessibility_label"]);

/**
 * Converts the blocks of a message to Markdown. Of a block that kay does not know, it takes every text; one without
 * text is named. Source: https://docs.slack.dev/reference/block-kit/blocks/
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
  if (Array.isArray(value)) return value.flatMap((item) => collectTexts(item, names, depth + 1));
  if (!isRecord(value)) return [];
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
  return inner.flatMap(([, value]) => collectTexts(value, names, depth + 1));
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
  return escapeMarkdown(toText(isRecord(text) ? text.text : text)).trim();
}

function addBold(text: string): string {
  const line = toOneLine(text);
  return line === "" ? "" : `**${line}**`;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function toNodes(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

const Text = catchInvalid(z.nullish(z.string()), undefined);
const Style = z.nullish(
  z.looseObject({
    bold: z.nullish(z.boolean()),
    italic: z.nullish(z.boolean()),
    strike: z.nullish(z.boolean()),
    code: z.nullish(z.boolean()),
  }),
);
const Inline = z.looseObject({
  type: Text,
  text: Text,
  url: Text,
  name: Text,
  user_id: Text,
  channel_id: Text,
  usergroup_id: Text,
  skin_tone: catchInvalid(z.nullish(z.number()), undefined),
  range: Text,
  fallback: Text,
  value: Text,
  timestamp: catchInvalid(z.nullish(z.number()), undefined),
  style: catchInvalid(Style, undefined),
});

/** The parts of a rich text block: sections, quotes and code of inline elements, and lists of sections. */
const Part = z.looseObject({
  type: Text,
  style: Text,
  indent: catchInvalid(z.nullish(z.number()), undefined),
  offset: catchInvalid(z.nullish(z.number()), undefined),
  elements: z.nullish(z.array(z.unknown())),
});

/** Deepest list that Slack shows. */
const DEEPEST_INDENT = 8;

/**
 * Converts a rich text block to Markdown: what Slack's own input field writes. Source:
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
function richTextToMarkdown(block: Record<string, unknown>, names: Names): string {
  const parts = Array.isArray(block.elements) ? block.elements : [];
  return parts
    .map((part) => formatPart(part, names))
    .join("")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function formatPart(value: unknown, names: Names): string {
  const part = Part.safeParse(value);
  if (!part.success) return "";
  const { type, style, indent, offset, elements } = part.data;
  const list = elements ?? [];
  if (type === "rich_text_list") {
    const margin = "  ".repeat(Math.min(Math.max(indent ?? 0, 0), DEEPEST_INDENT));
    const items = list.map((item, index) => {
      const mark = style === "ordered" ? `${(offset ?? 0) + index + 1}. ` : "- ";
      return `${margin}${mark}${formatPart(item, names).trim()}\n`;
    });
    return `\n${items.join("")}`;
  }
  if (type === "rich_text_preformatted") {
    const code = list.map((item) => getPlainText(item, names)).join("");
    return `\n\`\`\`\n${code}\n\`\`\`\n`;
  }
  const text = list.map((item) => formatInline(item, names)).join("");
  return type === "rich_text_quote" ? `\n${text.replace(/^/gm, "> ")}\n\n` : text;
}

function formatInline(value: unknown, names: Names): string {
  const element = Inline.safeParse(value);
  if (!element.success) return "";
  const { type, text, url, style } = element.data;
  if (type === "link") return addStyle(formatLink(escapeMarkdown(text ?? ""), url ?? ""), { ...style, code: false });
  const plainText = getPlainText(element.data, names);
  return addStyle(style?.code ? plainText : escapeMarkdown(plainText), style);
}

/** Returns the words of an element without marks. */
function getPlainText(value: unknown, { users, channels, groups }: Names): string {
  const element = Inline.safeParse(value);
  if (!element.success) return "";
  const {
    type,
    text,
    url,
    name,
    user_id,
    channel_id,
    usergroup_id,
    skin_tone,
    range,
    fallback,
    value: color,
    timestamp,
  } = element.data;
  if (type === "user") return `@${users.get(user_id ?? "") ?? user_id ?? ""}`;
  if (type === "channel") return `#${channels?.get(channel_id ?? "") ?? channel_id ?? ""}`;
  if (type === "usergroup" || type === "team") return `@${groups?.get(usergroup_id ?? "") ?? "group"}`;
  if (type === "broadcast") return `@${range ?? ""}`;
  if (type === "emoji") return `:${name ?? ""}:${skin_tone ? `:skin-tone-${skin_tone}:` : ""}`;
  const content = text || fallback || url || color;
  if (content || type === "text") return content ?? "";
  if (timestamp) return toIsoTime(String(timestamp)).slice(0, 16).replace("T", " ");
  return type ? `(${type.replaceAll("_", " ")})` : "";
}

/** Keeps spaces outside the marks, where Markdown requires them. */
function addStyle(text: string, style: z.output<typeof Style>): string {
  const { before, words, after } = splitMargins(text);
  if (words === "") return text;
  let marked = style?.code ? `\`${words.replaceAll("`", "'")}\`` : words;
  if (style?.italic) marked = `_${marked}_`;
  if (style?.bold) marked = `**${marked}**`;
  if (style?.strike) marked = `~~${marked}~~`;
  return before + marked + after;
}
