import { encodeLinkTarget } from "../markup/markdown.ts";

/** Names of the users, channels and user groups (`@devs`) that messages mention by ID. */
export type Names = { users: Map<string, string>; channels?: Map<string, string>; groups?: Map<string, string> };

/** Lists the IDs of the users that a text mentions. */
export function listMentionedUsers(text: string): string[] {
  return [...text.matchAll(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g)].map((match) => match[1] ?? "");
}

/** Returns the names that a text contains: `<#C1|general>`, `<!subteam^S1|@devs>`. Its blocks have only the IDs. */
export function readLabels(text: string): Required<Omit<Names, "users">> {
  const readMentions = (pattern: RegExp) =>
    new Map([...text.matchAll(pattern)].map(([, id = "", label = ""]) => [id, label]));
  return {
    channels: readMentions(/<#([A-Z0-9]+)\|([^<>]+)>/g),
    groups: readMentions(/<!subteam\^([A-Z0-9]+)\|@?([^<>]+)>/g),
  };
}

/**
 * Converts a Slack message (mrkdwn) to Markdown: emphasis, links, and mentions by name. Code stays unchanged. Source:
 * https://docs.slack.dev/messaging/formatting-message-text/
 */
export function mrkdwnToMarkdown(text: string, names: Names): string {
  return text
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((piece, index) => (index % 2 === 1 ? getCode(piece, names) : getProse(piece, names)))
    .join("")
    .trim();
}

/** Converts code. Markdown requires separate lines for a fence; Slack does not. */
function getCode(piece: string, names: Names): string {
  const text = unescapeMrkdwn(piece.replace(/<([^<>]+)>/g, (_, inner: string) => formatPlainReference(inner, names)));
  if (!text.startsWith("```")) return text;
  return `\n\`\`\`\n${text.slice(3, -3).replace(/^\n|\n$/g, "")}\n\`\`\`\n`;
}

function getProse(piece: string, names: Names): string {
  return piece
    .split(/(<[^<>]+>)/)
    .map((part, index) => (index % 2 === 1 ? getReference(part.slice(1, -1), names) : convertEmphasis(part)))
    .join("");
}

/** Converts the content of angle brackets: a mention, a special word, or a link with its label after a bar. */
function getReference(inner: string, names: Names): string {
  const [target = "", label] = inner.split("|", 2);
  if (/^[@#!]/.test(target)) return escapeMarkdown(formatPlainReference(inner, names));
  if (!/^(https?:\/\/|mailto:)/i.test(target)) return escapeMarkdown(unescapeMrkdwn(label ?? target));
  const url = unescapeMrkdwn(target);
  if (label === undefined || label === url || `mailto:${label}` === url) return url.replace(/^mailto:/, "");
  return `[${escapeMarkdown(unescapeMrkdwn(label)).replace(/[[\]]/g, "\\$&")}](${encodeLinkTarget(url)})`;
}

function formatPlainReference(inner: string, { users, channels }: Names): string {
  const [target = "", label] = inner.split("|", 2);
  const id = target.slice(1);
  if (target.startsWith("@")) return `@${users.get(id) ?? (label || id)}`;
  if (target.startsWith("#")) return `#${label || channels?.get(id) || id}`;
  if (target.startsWith("!subteam^")) return label ? (label.startsWith("@") ? label : `@${label}`) : "@group";
  if (target.startsWith("!date^")) return label ?? "";
  if (target.startsWith("!")) return `@${id}`;
  return label ?? target;
}

/** Converts Slack's `*bold*`, `_italic_` and `~struck~` line by line, and escapes all other Markdown syntax. */
function convertEmphasis(text: string): string {
  return escapeMarkdown(unescapeMrkdwn(text))
    .replace(/(?<![\p{L}\p{N}*])\\\*(?=\S)([^\n]{0,1000}?\S)\\\*(?![\p{L}\p{N}*])/gu, "**$1**")
    .replace(/(?<![\p{L}\p{N}_])\\_(?=\S)([^\n]{0,1000}?\S)\\_(?![\p{L}\p{N}_])/gu, "_$1_")
    .replace(/(?<![\p{L}\p{N}~])\\~(?=\S)([^\n]{0,1000}?\S)\\~(?![\p{L}\p{N}~])/gu, "~~$1~~")
    .replace(/^• /gm, "- ");
}

/** Formats a labelled link in Markdown. If a browser cannot open the address, only the label stays. */
export function formatLink(label: string, url: string): string {
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return label || escapeMarkdown(url);
  const plainLabel = label.replaceAll("\\", "");
  return plainLabel === "" || plainLabel === url
    ? url
    : `[${label.replace(/[[\]]/g, "\\$&")}](${encodeLinkTarget(url)})`;
}

/** Escapes Markdown syntax. Underscores inside words are harmless and stay. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[*~\\`]|\]\(|<(?=[a-z!/])/gi, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/^(#{1,6} )/gm, "\\$1");
}

function unescapeMrkdwn(text: string): string {
  return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
}

/** Converts the time of a message to ISO 8601 in UTC. `ts` counts seconds since the epoch. */
export function toIsoTime(ts: string): string {
  const time = new Date(Number(ts || Number.NaN) * 1000);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}
