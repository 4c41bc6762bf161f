import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { type Purpose, requireMatch } from "../match.ts";
import type { ToolContext } from "../tool.ts";
import { GMAIL_SCOPE, getDate, getSenderName, getSubject, MESSAGES_PATH, Message } from "./message.ts";

const Page = z.looseObject({
  messages: z.nullish(z.array(z.looseObject({ id: z.string(), threadId: z.string() }))),
  nextPageToken: z.nullish(z.string()),
});

/** Headers used by lists and replies. */
const HEADERS = ["From", "To", "Cc", "Reply-To", "Subject", "Message-ID", "References"];

/** Number of messages read at once. Gmail's lists contain only IDs, and each read counts against the quota. */
const AT_ONCE = 5;

/**
 * Returns the messages of a query with their headers, newest first. Source: Gmail API v1, GET …/messages and
 * …/messages/{id}.
 */
export async function findMessages(
  { http }: Pick<ToolContext, "http">,
  q: string,
  list: number | ListRequest,
): Promise<{ messages: Message[]; more: boolean }> {
  const { items: ids, more } = await readPages(async (pageToken, size) => {
    const query = { q: q || undefined, maxResults: Math.min(size, 100), pageToken };
    const page = await http.request({ path: MESSAGES_PATH, query, answer: Page, scope: GMAIL_SCOPE });
    return { items: (page.messages ?? []).map(({ id }) => id), next: page.nextPageToken };
  }, list);
  const messages: Message[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const batch = ids.slice(start, start + AT_ONCE);
    const fetched = await Promise.all(batch.map((id) => fetchMessage({ http }, id, "metadata").catch(ignoreMissing)));
    messages.push(...fetched.filter((message) => message !== undefined));
  }
  return { messages, more };
}

/** A message may be deleted after it was listed: a draft that is saved again gets another ID. */
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Problem) || error.details.service_status !== 404) throw error;
}

/** Fetches one message by ID, with its headers or in full. */
export function fetchMessage(
  { http }: Pick<ToolContext, "http">,
  id: string,
  format: "metadata" | "full",
): Promise<Message> {
  const headers = format === "metadata" ? HEADERS.map((name) => `&metadataHeaders=${name}`).join("") : "";
  const path = `${MESSAGES_PATH}/${encodeURIComponent(id)}?format=${format}${headers}`;
  return http.request({ path, answer: Message, scope: GMAIL_SCOPE });
}

/**
 * Finds a message by ID, URL, or subject. A read also takes words of the subject. Returns the newest message of a
 * conversation.
 *
 * @throws Problem INVALID_REQUEST when none matches, or several conversations do
 */
export async function findMessage(context: ToolContext, text: string, purpose: Purpose): Promise<Message> {
  const query = text.trim();
  const [, id] = /(?:^|\/)(?:msg-[af]:)?([0-9a-f]{12,20})$/.exec(query) ?? [];
  if (id) return fetchMessage(context, id, "metadata");
  const words = query.replace(/["“”()\s]+/g, " ").trim();
  if (words === "") throw noMessageProblem(query);
  const { messages } = await findMessages(context, `subject:(${words}) -in:drafts`, 10);
  return requireMatch(messages, withoutReplyPrefix(words), {
    purpose,
    noun: "message",
    field: "message",
    getName: (message) => withoutReplyPrefix(getSubject(message)),
    format: (message) =>
      `“${getSubject(message)}” from ${getSenderName(message)}, ${getDate(message).slice(0, 10)} (${message.id})`,
    getKey: ({ threadId }) => threadId,
    hints: { none: "Search for it first, and specify it by its ID.", several: "Specify it by its ID." },
  });
}

function noMessageProblem(text: string): Problem {
  return new Problem("INVALID_REQUEST", `No message has “${text}” in its subject.`, {
    hint: "Search for it first, and specify it by its ID.",
    details: { field: "message" },
  });
}

/** Removes reply prefixes from a subject. */
function withoutReplyPrefix(subject: string): string {
  return subject
    .replace(/^(?:\s*(?:re|fwd?|aw|wg)\s*:)+/i, "")
    .replace(/["“”()\s]+/g, " ")
    .trim()
    .toLowerCase();
}
