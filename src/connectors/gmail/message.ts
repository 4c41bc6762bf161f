import * as z from "zod/mini";
import { escapeCell, formatMarkdownTable } from "../markup/markdown.ts";
import { quoteTitle } from "../place.ts";
import { formatMinute } from "../time.ts";
import type { ToolContext } from "../tool.ts";
import { parseMailboxes } from "./addresses.ts";
import { getPartHeader, Part } from "./part.ts";

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

/** Returns a decoded header, or an empty string. */
export function getHeader({ payload }: Message, name: string): string {
  return payload ? getPartHeader(payload, name) : "";
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

/** Formats messages as a table, with dates in `zone`. */
export function formatMessageTable(messages: Message[], zone = "UTC"): string {
  const rows = messages.map((message) => [
    getSenderName(message),
    (message.labelIds ?? []).includes("UNREAD") ? `${getSubject(message)} (unread)` : getSubject(message),
    formatMinute(getDate(message), zone),
    decodeEntities(message.snippet ?? "").slice(0, 80),
    message.id,
  ]);
  return formatMarkdownTable(["From", "Subject", `Date (${zone})`, "Text", "ID"], rows);
}

export function getSubject(message: Message): string {
  return getHeader(message, "Subject") || "(no subject)";
}

/** Returns the name of the sender, or the address. */
export function getSenderName(message: Message): string {
  const [from] = parseMailboxes(getHeader(message, "From"));
  return from?.name || from?.address || "unknown";
}

/** Describes a message for the approval of a call that names it by its ID. */
export function describeMessage(message: Message): string {
  return `${quoteTitle(getSubject(message))} from ${getHeader(message, "From") || "unknown"} (message ${message.id})`;
}

/** Returns when Gmail received a message, in ISO 8601, or an empty string. */
export function getDate({ internalDate }: Message): string {
  const time = new Date(Number(internalDate || Number.NaN));
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
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

/** Decodes the five HTML entities that excerpts contain. */
function decodeEntities(text: string): string {
  const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
}
