import * as z from "zod/mini";
import { catchInvalid } from "../input-text.ts";
import { splitMargins } from "../markup/markdown.ts";
import { escapeMarkdown, formatLink, type Names, toIsoTime } from "./mrkdwn-read.ts";

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
export function richTextToMarkdown(block: Record<string, unknown>, names: Names): string {
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
    const before = "  ".repeat(Math.min(Math.max(indent ?? 0, 0), DEEPEST_INDENT));
    const items = list.map((item, index) => {
      const mark = style === "ordered" ? `${(offset ?? 0) + index + 1}. ` : "- ";
      return `${before}${mark}${formatPart(item, names).trim()}\n`;
    });
    return `\n${items.join("")}`;
  }
  if (type === "rich_text_preformatted") {
    const code = list.map((one) => getPlainText(one, names)).join("");
    return `\n\`\`\`\n${code}\n\`\`\`\n`;
  }
  const text = list.map((one) => formatInline(one, names)).join("");
  return type === "rich_text_quote" ? `\n${text.replace(/^/gm, "> ")}\n\n` : text;
}

function formatInline(value: unknown, names: Names): string {
  const element = Inline.safeParse(value);
  if (!element.success) return "";
  const { type, text, url, style } = element.data;
  if (type === "link") return addStyle(formatLink(escapeMarkdown(text ?? ""), url ?? ""), { ...style, code: false });
  const plain = getPlainText(element.data, names);
  return addStyle(style?.code ? plain : escapeMarkdown(plain), style);
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
  const said = text || fallback || url || color;
  if (said || type === "text") return said ?? "";
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
