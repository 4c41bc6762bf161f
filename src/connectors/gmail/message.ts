import { type ChildNode, isTag, isText } from "domhandler";
import { parseDocument } from "htmlparser2";
import * as z from "zod/mini";
import { clean } from "#protocol/clean";
import { escapeCell, formatMarkdownTable } from "../markup/markdown.ts";
import type { ToolContext } from "../service.ts";
import { parseMailboxes } from "./addresses.ts";
import { decodeBytes, decodeHeader, toOneLine } from "./encoded-words.ts";

const Header = z.looseObject({ name: z.string(), value: z.nullish(z.string()) });

/** A part of a message. Its own parts are read when they are come to, since schemas do not nest endlessly. */
const Part = z.looseObject({
  mimeType: z.nullish(z.string()),
  filename: z.nullish(z.string()),
  headers: z.nullish(z.array(Header)),
  body: z.nullish(z.looseObject({ size: z.nullish(z.number()), data: z.nullish(z.string()) })),
  parts: z.nullish(z.array(z.unknown())),
});
type Part = z.output<typeof Part>;

/** A message as Gmail gives it. Source: Gmail API v1, "users.messages". */
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

/** A header of a message, read; empty when it has none. What is encoded is cleaned only once it is decoded. */
export function getHeader(message: Message, name: string): string {
  const found = message.payload?.headers?.find((one) => one.name.toLowerCase() === name.toLowerCase());
  return toOneLine(clean(decodeHeader(found?.value ?? "")));
}

/** The text of a message: its plain part, else its HTML as text. */
export function getBodyText({ payload }: Message): string {
  const parts = payload ? leaves(payload).filter(({ filename }) => !filename) : [];
  const plain = parts.filter(({ mimeType }) => mimeType === "text/plain").map(formatPart);
  if (plain.some((text) => text.trim() !== "")) return plain.join("\n\n").trim();
  return parts
    .filter(({ mimeType }) => mimeType === "text/html")
    .map((part) => clean(htmlToText(formatPart(part))))
    .join("\n\n")
    .trim();
}

/** Files that come with a message. */
export function listAttachments({ payload }: Message): { name: string; type: string; bytes: number }[] {
  const files = payload ? leaves(payload).filter(({ filename }) => Boolean(filename)) : [];
  return files.map(({ filename, mimeType, body }) => ({
    name: toOneLine(clean(decodeHeader(filename ?? ""))),
    type: mimeType ?? "",
    bytes: body?.size ?? 0,
  }));
}

/** A message trimmed for a model. */
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
    excerpt: entities(message.snippet ?? ""),
    url: buildThreadUrl(message.threadId, context),
  };
}

/** Messages as a table for a person. */
export function formatMessageTable(messages: Message[]): string {
  const rows = messages.map((message) => [
    getSenderName(message),
    (message.labelIds ?? []).includes("UNREAD") ? `${getSubject(message)} (unread)` : getSubject(message),
    getDate(message).slice(0, 16).replace("T", " "),
    entities(message.snippet ?? "").slice(0, 80),
    message.id,
  ]);
  return formatMarkdownTable(["From", "Subject", "Date (UTC)", "Text", "ID"], rows);
}

export function getSubject(message: Message): string {
  return getHeader(message, "Subject") || "(no subject)";
}

/** Name of whom it is from, or the address. */
export function getSenderName(message: Message): string {
  const [from] = parseMailboxes(getHeader(message, "From"));
  return from?.name || from?.address || "somebody";
}

/** When Gmail got it, in ISO 8601. */
export function getDate({ internalDate }: Message): string {
  return new Date(Number(internalDate ?? 0)).toISOString();
}

/** Where a person reads a conversation. */
export function buildThreadUrl(thread: string, context: Pick<ToolContext, "http" | "metadata">): string {
  return buildMailUrl(`all/${encodeURIComponent(thread)}`, context);
}

/** A place in Gmail, in the account that is connected. */
export function buildMailUrl(place: string, { http, metadata }: Pick<ToolContext, "http" | "metadata">): string {
  const account = typeof metadata.email === "string" ? `?authuser=${encodeURIComponent(metadata.email)}` : "";
  return `${http.endpoints.web}/mail/u/${account}#${place}`;
}

/** "**Subject** from Ana". */
export function formatMessageLine(message: Message): string {
  return `**${escapeCell(getSubject(message))}** from ${escapeCell(getSenderName(message))}`;
}

function leaves(part: Part): Part[] {
  if (!part.parts?.length) return [part];
  return part.parts.flatMap((inner) => {
    const parsed = Part.safeParse(inner);
    return parsed.success ? leaves(parsed.data) : [];
  });
}

/** Gmail mostly gives UTF-8, whatever the part says it was; what is not valid UTF-8, or is of a 7-bit charset, is read as the part says. */
function formatPart(part: Part): string {
  const bytes = Buffer.from(part.body?.data ?? "", "base64url");
  const type = part.headers?.find(({ name }) => name.toLowerCase() === "content-type")?.value ?? "";
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1] ?? "utf-8";
  const shifted = /^(iso-2022|hz-)/i.test(charset) && bytes.includes(0x1b);
  const text = shifted ? undefined : decodeBytes(bytes, "utf-8", true);
  return clean((text ?? decodeBytes(bytes, charset) ?? "").replace(/\r\n?/g, "\n"));
}

/** Excerpts come with the five entities of HTML. */
function entities(text: string): string {
  const known: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => known[entity] ?? entity);
}

/** HTML of a mail as plain text: blocks on lines of their own, links with their address, nothing of styles and scripts. */
function htmlToText(html: string): string {
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
