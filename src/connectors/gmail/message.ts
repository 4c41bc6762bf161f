import { type ChildNode, isTag, isText } from "domhandler";
import { parseDocument } from "htmlparser2";
import * as z from "zod/mini";
import { clean } from "#protocol/clean";
import { escapeCell, formatMarkdownTable } from "../markup/markdown.ts";
import type { ToolContext } from "../service.ts";
import { parseMailboxes } from "./addresses.ts";
import { decodeBytes, decodeHeader, toOneLine } from "./encoded-words.ts";

const Header = z.looseObject({ name: z.string(), value: z.nullish(z.string()) });

/** A part of a message. Nested parts are parsed on access, because the schema cannot be recursive. */
const Part = z.looseObject({
  mimeType: z.nullish(z.string()),
  filename: z.nullish(z.string()),
  headers: z.nullish(z.array(Header)),
  body: z.nullish(z.looseObject({ size: z.nullish(z.number()), data: z.nullish(z.string()) })),
  parts: z.nullish(z.array(z.unknown())),
});
type Part = z.output<typeof Part>;

/** A message as Gmail returns it. Source: Gmail API v1, "users.messages". */
export const Message = z.looseObject({
  id: z.string(),
  threadId: z.string(),
  labelIds: z.nullish(z.array(z.string())),
  snippet: z.nullish(z.string()),
  internalDate: z.nullish(z.string()),
  payload: z.nullish(Part),
});
export type Message = z.output<typeof Message>;

export const MESSAGES_PATH = "/gmail/v1/users/me/messages";
export const GMAIL_SCOPE = "gmail.modify";

/** Returns a decoded header, or an empty string. Encoded text is cleaned after decoding. */
export function getHeader(message: Message, name: string): string {
  const found = message.payload?.headers?.find((one) => one.name.toLowerCase() === name.toLowerCase());
  return toOneLine(clean(decodeHeader(found?.value ?? "")));
}

/** Returns the text of a message: its plain part, or its HTML as text. */
export function getBodyText({ payload }: Message): string {
  const parts = payload ? listLeafParts(payload).filter(({ filename }) => !filename) : [];
  const plain = parts.filter(({ mimeType }) => mimeType === "text/plain").map(formatPart);
  if (plain.some((text) => text.trim() !== "")) return plain.join("\n\n").trim();
  return parts
    .filter(({ mimeType }) => mimeType === "text/html")
    .map((part) => clean(convertHtmlToText(formatPart(part))))
    .join("\n\n")
    .trim();
}

/** Lists the attachments of a message. */
export function listAttachments({ payload }: Message): { name: string; type: string; bytes: number }[] {
  const files = payload ? listLeafParts(payload).filter(({ filename }) => Boolean(filename)) : [];
  return files.map(({ filename, mimeType, body }) => ({
    name: toOneLine(clean(decodeHeader(filename ?? ""))),
    type: mimeType ?? "",
    bytes: body?.size ?? 0,
  }));
}

/** Converts a message to data for the model. */
export function toMessageData(
  message: Message,
  context: Pick<ToolContext, "http" | "metadata">,
): Record<string, unknown> {
  const labels = message.labelIds ?? [];
  return {
    id: message.id,
    thread: message.threadId,
    from: getHeader(message, "From"),
    to: getHeader(message, "To"),
    subject: getSubject(message),
    date: getDate(message),
    unread: labels.includes("UNREAD"),
    labels,
    excerpt: decodeEntities(message.snippet ?? ""),
    url: buildThreadUrl(message.threadId, context),
  };
}

/** Formats messages as a table. */
export function formatMessageTable(messages: Message[]): string {
  const rows = messages.map((message) => [
    getSenderName(message),
    (message.labelIds ?? []).includes("UNREAD") ? `${getSubject(message)} (unread)` : getSubject(message),
    getDate(message).slice(0, 16).replace("T", " "),
    decodeEntities(message.snippet ?? "").slice(0, 80),
    message.id,
  ]);
  return formatMarkdownTable(["From", "Subject", "Date (UTC)", "Text", "ID"], rows);
}

export function getSubject(message: Message): string {
  return getHeader(message, "Subject") || "(no subject)";
}

/** Returns the name of the sender, or the address. */
export function getSenderName(message: Message): string {
  const [from] = parseMailboxes(getHeader(message, "From"));
  return from?.name || from?.address || "unknown";
}

/** Returns when Gmail received a message, in ISO 8601. */
export function getDate({ internalDate }: Message): string {
  return new Date(Number(internalDate ?? 0)).toISOString();
}

/** Returns the web page of a conversation. */
export function buildThreadUrl(thread: string, context: Pick<ToolContext, "http" | "metadata">): string {
  return buildMailUrl(`all/${encodeURIComponent(thread)}`, context);
}

/** Returns a URL in Gmail that opens the connected account. */
export function buildMailUrl(place: string, { http, metadata }: Pick<ToolContext, "http" | "metadata">): string {
  const account = typeof metadata.email === "string" ? `?authuser=${encodeURIComponent(metadata.email)}` : "";
  return `${http.endpoints.web}/mail/u/${account}#${place}`;
}

/** Formats a message as "**Subject** from Ana". */
export function formatMessageLine(message: Message): string {
  return `**${escapeCell(getSubject(message))}** from ${escapeCell(getSenderName(message))}`;
}

function listLeafParts(part: Part): Part[] {
  if (!part.parts?.length) return [part];
  return part.parts.flatMap((inner) => {
    const parsed = Part.safeParse(inner);
    return parsed.success ? listLeafParts(parsed.data) : [];
  });
}

/**
 * Decodes a part. Gmail usually returns UTF-8, whatever the part declares; other text is decoded with the declared
 * charset.
 */
function formatPart(part: Part): string {
  const bytes = Buffer.from(part.body?.data ?? "", "base64url");
  const type = part.headers?.find(({ name }) => name.toLowerCase() === "content-type")?.value ?? "";
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1] ?? "utf-8";
  const shifted = /^(iso-2022|hz-)/i.test(charset) && bytes.includes(0x1b);
  const text = shifted ? undefined : decodeBytes(bytes, "utf-8", true);
  return clean((text ?? decodeBytes(bytes, charset) ?? "").replace(/\r\n?/g, "\n"));
}

/** Decodes the five HTML entities that excerpts contain. */
function decodeEntities(text: string): string {
  const known: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => known[entity] ?? entity);
}

/** Converts the HTML of a mail to plain text: one line per block, links with their URL, no styles or scripts. */
function convertHtmlToText(html: string): string {
  return formatNodes(parseDocument(html).children)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function formatNodes(nodes: ChildNode[]): string {
  return nodes.map(formatNode).join("");
}

function formatNode(node: ChildNode): string {
  if (isText(node)) return node.data.replace(/\s+/g, " ");
  if (!isTag(node) || SILENT.has(node.name)) return "";
  if (node.name === "br") return "\n";
  const inner = formatNodes(node.children);
  if (node.name === "a") {
    const { href = "" } = node.attribs;
    return /^https?:/i.test(href) && inner.trim() !== href ? `${inner} (${href})` : inner;
  }
  if (node.name === "li") return `\n- ${inner.trim()}`;
  if (node.name === "td" || node.name === "th") return `${inner} `;
  return BLOCKS.has(node.name) ? `\n${SPACED.has(node.name) ? "\n" : ""}${inner}\n` : inner;
}

const SILENT = new Set(["style", "script", "head", "title", "template", "noscript"]);
const SPACED = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "table", "pre"]);
const BLOCKS = new Set([...SPACED, "div", "tr", "section", "article", "header", "footer", "hr"]);
