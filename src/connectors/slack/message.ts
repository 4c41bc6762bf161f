import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { escapeCell, formatCount, toOneLine, truncateText } from "../markup/markdown.ts";
import type { Purpose } from "../match.ts";
import { quoteTitle } from "../place.ts";
import type { ServiceHttp } from "../service-http.ts";
import { formatMinute } from "../time.ts";
import type { ToolContext } from "../tool.ts";
import { readAllItems } from "./call.ts";
import type { Conversation } from "./channels.ts";
import { CONTENT, listContentUsers, toMarkdown } from "./content.ts";
import { type Names, toIsoTime } from "./mrkdwn-read.ts";
import { loadUserNames } from "./people.ts";

/** A message. Source: https://docs.slack.dev/reference/events/message/ */
export const Message = z.looseObject({
  ts: z.string(),
  user: z.nullish(z.string()),
  username: z.nullish(z.string()),
  user_profile: z.nullish(z.looseObject({ real_name: z.nullish(z.string()), display_name: z.nullish(z.string()) })),
  ...CONTENT,
  thread_ts: z.nullish(z.string()),
  reply_count: z.nullish(z.number()),
  reactions: z.nullish(z.array(z.looseObject({ name: z.string(), count: z.nullish(z.number()) }))),
  bot_profile: z.nullish(z.looseObject({ name: z.nullish(z.string()) })),
});
export type Message = z.output<typeof Message>;

/** Number of newest messages searched for one that is named by its words. */
const MAX_SEARCHED = 100;

/** Loads the names of all authors and mentioned users. */
export async function loadNames(http: ServiceHttp, messages: Message[]): Promise<Names> {
  const ids = messages.flatMap((message) => [...(message.user ? [message.user] : []), ...listContentUsers(message)]);
  const users = await loadUserNames(http, ids);
  // Messages of other organizations (Slack Connect) carry their author, whom the workspace may not know.
  for (const { user, user_profile: profile } of messages) {
    const name = profile?.real_name || profile?.display_name;
    if (user && name && !users.has(user)) users.set(user, name);
  }
  if (ids.includes(SLACKBOT)) users.set(SLACKBOT, "Slackbot");
  return { users };
}

/** Slack's own user, which no workspace lists. */
const SLACKBOT = "USLACKBOT";

function getAuthorName({ user, username, bot_profile }: Message, { users }: Names): string {
  return (user && users.get(user)) || username || bot_profile?.name || user || "someone";
}

/** Converts a message to data for the model. */
export function toMessageData(message: Message, names: Names, url: string): Record<string, unknown> {
  return {
    ts: message.ts,
    author: getAuthorName(message, names),
    time: toIsoTime(message.ts),
    text: toMarkdown(message, names),
    ...(message.reply_count ? { replies: message.reply_count } : {}),
    ...(message.reactions?.length ? { reactions: getReactions(message) } : {}),
    url,
  };
}

/** Formats a message: author, time in `zone`, text, replies and reactions. */
export function formatMessage(message: Message, names: Names, zone = "UTC"): string {
  const more = [
    message.subtype === "thread_broadcast" ? "reply in a thread" : "",
    message.reply_count ? formatCount(message.reply_count, "reply", "replies") : "",
    ...getReactions(message),
  ].filter(Boolean);
  const head = `**${escapeCell(getAuthorName(message, names))}**, ${formatMinute(toIsoTime(message.ts), zone)} ${zone}`;
  return [head, toMarkdown(message, names), more.length > 0 ? `(${more.join(", ")})` : ""].filter(Boolean).join("\n\n");
}

/** Returns the web page of a message, the same URL as from `chat.getPermalink`. */
export function buildMessageUrl(
  { metadata }: Pick<ToolContext, "metadata">,
  channel: string,
  { ts, thread_ts: thread }: Pick<Message, "ts" | "thread_ts">,
): string | undefined {
  const page = buildChannelUrl({ metadata }, channel);
  if (page === undefined) return undefined;
  const url = `${page}/p${ts.replace(".", "")}`;
  return thread && thread !== ts ? `${url}?thread_ts=${thread}&cid=${encodeURIComponent(channel)}` : url;
}

export function buildChannelUrl({ metadata }: Pick<ToolContext, "metadata">, channel: string): string | undefined {
  return typeof metadata.url === "string" ? `${metadata.url}/archives/${encodeURIComponent(channel)}` : undefined;
}

/** Describes a message before it is looked up: "the newest message", "the message that says “on it”". */
export function formatMessageRef(text: string | undefined): string {
  const name = text?.trim() ?? "";
  if (isNewest(name)) return "the newest message";
  return getTs(name) ? `the message ${name}` : `the message that says “${truncateText(name.replace(/\s+/g, " "), 80)}”`;
}

/**
 * Finds a message by its `ts`, its URL or some of its words, or returns the newest one. A read takes the newest message
 * that says the words. A change needs words that only one message has, since anyone can post them again.
 *
 * @throws Problem INVALID_REQUEST when there is none, or several for a change
 */
export async function findMessage(
  http: ServiceHttp,
  { id, name }: Conversation,
  text: string | undefined,
  purpose: Purpose,
): Promise<Message> {
  const query = text?.trim() ?? "";
  const ts = getTs(query);
  const thread = /[?&]thread_ts=(\d+\.\d+)/.exec(query)?.[1];
  if (ts) return { ts, ...(thread ? { thread_ts: thread } : {}) };
  const { items: messages } = await fetchNewest(http, id, isNewest(query) ? 1 : MAX_SEARCHED);
  const words = withoutEmphasis(query);
  const [match, ...more] = isNewest(query) ? messages : messages.filter((message) => hasWords(message, words));
  if (match && (more.length === 0 || purpose === "read" || isNewest(query))) return match;
  if (match) {
    const list = [match, ...more].slice(0, 5).map((message) => `${quoteTitle(getPlainText(message))} (${message.ts})`);
    throw new Problem("INVALID_REQUEST", `Several messages in ${name} contain “${query}”: ${list.join(", ")}.`, {
      hint: "Specify more of its words, or its URL.",
      details: { field: "message" },
    });
  }
  const sentence = isNewest(query) ? `${name} has no messages.` : `No message in ${name} contains “${query}”.`;
  throw new Problem("INVALID_REQUEST", sentence, { hint: "Specify the URL of the message." });
}

/** Describes the message that a call names, with its conversation, for its approval. */
export async function describeMessage(
  { http }: Pick<ToolContext, "http">,
  place: Conversation,
  text: string | undefined,
): Promise<string> {
  const match = await findMessage(http, place, text, "change");
  const message = match.text === undefined ? (await readReplies(http, place.id, match.ts, 1))[0] : match;
  if (!message) return `a message in ${place.name}`;
  const names = await loadNames(http, [message]);
  return `${quoteTitle(getPlainText(message, names))} by ${getAuthorName(message, names)} in ${place.name} (${message.ts})`;
}

/**
 * Fetches the newest messages of a conversation, newest first. Source:
 * https://docs.slack.dev/reference/methods/conversations.history/
 */
export async function fetchNewest(
  http: ServiceHttp,
  channel: string,
  size: number | ListRequest,
  oldest?: string,
): Promise<{ items: Message[]; more: boolean }> {
  const limit = typeof size === "number" ? size : size.limit;
  const list = { name: "messages", item: Message, query: { channel, limit, oldest }, scope: "channels:history" };
  return await readAllItems(http, "conversations.history", list, size);
}

/**
 * Fetches the newest replies to a message, newest first, and after the first of them the message itself. Source:
 * https://docs.slack.dev/reference/methods/conversations.replies/, which lists the oldest first
 */
export async function fetchThread(
  http: ServiceHttp,
  channel: string,
  ts: string,
  list: ListRequest,
): Promise<{ items: Message[]; more: boolean }> {
  const [root, ...replies] = await readReplies(http, channel, ts);
  const { items, more } = await readPages(async () => ({ items: replies.reverse() }), list);
  return { items: root && list.start.index === 0 ? [...items, root] : items, more };
}

async function readReplies(http: ServiceHttp, channel: string, ts: string, limit?: number): Promise<Message[]> {
  const query = { channel, ts, limit: limit ?? 200 };
  const list = { name: "messages", item: Message, query, scope: "channels:history" };
  return (await readAllItems(http, "conversations.replies", list, limit ?? (() => false))).items;
}

function isNewest(text: string): boolean {
  return /^$|^(the )?(last|latest|newest|most recent)( (message|one|post))?$/i.test(text);
}

function getTs(text: string): string | undefined {
  const linked = /^https?:\/\/[^/]+\/archives\/[A-Z0-9]+\/p(\d{10})(\d{6})/i.exec(text);
  if (linked) return `${linked[1]}.${linked[2]}`;
  return /^\d{10}\.\d{6}$/.test(text) ? text : undefined;
}

function getReactions({ reactions }: Message): string[] {
  return (reactions ?? []).map(({ name, count }) => `:${name}: ${count ?? 1}`);
}

/** Returns the beginning of a message in one line. */
function getPlainText(message: Message, names: Names = { users: new Map() }): string {
  return truncateText(toOneLine(toMarkdown(message, names)), 80);
}

/** Returns whether a message contains the words, in its text or in the blocks of an app. */
function hasWords(message: Message, words: string): boolean {
  if (withoutEmphasis(message.text ?? "").includes(words)) return true;
  return withoutEmphasis(toMarkdown({ ...message, text: "" }, { users: new Map() })).includes(words);
}

/** Removes emphasis, as users quote messages without it. */
function withoutEmphasis(text: string): string {
  return text
    .toLowerCase()
    .replace(/[*_~`]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
