import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun, truncateText } from "../markup/markdown.ts";
import type { ServiceHttp } from "../service-http.ts";
import { addDays, formatMinute, parseCalendarTime } from "../time.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { callReadMethod } from "./call.ts";
import { toMarkdown } from "./content.ts";
import { loadNames, Message } from "./message.ts";
import { toIsoTime } from "./mrkdwn-read.ts";
import { findPerson } from "./people.ts";

const Input = z.object({
  text: withDescription(z.string(), "Words to search for; may be empty. Slack's search modifiers are allowed."),
  channel: withDescription(z.optional(z.string()), "Only in this channel, such as #general."),
  from: withDescription(z.optional(z.string()), "Only by this user: me, @name, name or email address."),
  since: withDescription(z.optional(z.string()), "Only from this day on, such as 2026-01-31."),
  before: withDescription(z.optional(z.string()), "Only before this day, such as 2026-01-31."),
});
type Input = z.output<typeof Input>;

const Match = z.extend(Message, {
  permalink: z.nullish(z.string()),
  channel: z.nullish(z.looseObject({ id: z.nullish(z.string()), name: z.nullish(z.string()) })),
});
type Match = z.output<typeof Match>;

const Matches = z.looseObject({
  messages: z.looseObject({ total: z.nullish(z.number()), matches: z.array(Match) }),
});

/** Source: https://docs.slack.dev/reference/methods/search.messages/; newest first. */
export const searchMessagesTool = defineListTool({
  name: "slack.search_messages",
  description: "Search messages in Slack by words, channel, author and day, newest first.",
  input: Input,
  limit: { usual: 20, most: 100 },
  examples: [
    "search messages for {text} in {channel}",
    "find messages about {text} in {channel}",
    "search slack for {text} in {channel}",
    "search slack for {text}",
    "find messages about {text}",
    "find messages from {from} about {text}",
    "what did {from} say about {text}",
    "who wrote about {text} in {channel}",
    "did anyone in {channel} mention {text}",
    "who said something about {text} in slack",
    "what did {from} write about {text}",
  ],
  summary: (input) => `Search Slack for ${describeSearch(input)}`,
  async run(input, context, list) {
    const { matches, total, more } = await findMatches(context.http, await getQuery(input, context), list);
    const names = await loadNames(context.http, matches);
    const results = matches.map((match) => ({
      channel: getPlace(match, names.users),
      author: (match.user && names.users.get(match.user)) || match.username || "someone",
      time: toIsoTime(match.ts),
      text: toMarkdown(match, names),
      ts: match.ts,
      url: match.permalink ?? undefined,
    }));
    return {
      data: { messages: results, more },
      text: formatResult(results, { total, more }, escapeCell(describeSearch(input)), list, context.timeZone),
      ...(typeof context.metadata.url === "string" ? { url: context.metadata.url } : {}),
    };
  },
});

type Shown = { channel: string; author: string; time: string; text: string };

/** Reads matches over their pages, which Slack numbers: a cursor is a number and the size of the pages. */
async function findMatches(http: ServiceHttp, query: string, list: ListRequest) {
  let total = 0;
  const { items, more } = await readPages(async (cursor, size) => {
    const [page = 1, count = Math.min(100, size)] = cursor?.split("/").map(Number) ?? [];
    const requestBody = { query, count, page: page > 1 ? page : undefined, sort: "timestamp", sort_dir: "desc" };
    const request = { query: requestBody, answer: Matches, scope: "search:read" };
    const { messages } = await callReadMethod(http, "search.messages", request);
    total = messages.total ?? messages.matches.length;
    const isLast = messages.matches.length === 0 || page * count >= total;
    return { items: messages.matches, next: isLast ? undefined : `${page + 1}/${count}` };
  }, list);
  return { matches: items, total, more };
}

function formatResult(
  results: Shown[],
  { total, more }: { total: number; more: boolean },
  search: string,
  list: ListRequest,
  zone = "UTC",
): string {
  const rows = results.map(({ channel, author, time, text }) => [
    channel,
    author,
    formatMinute(time, zone),
    truncateText(text.replace(/\s+/g, " "), 200),
  ]);
  const words = `${formatNoun(total, "message")}${search.replace(/^messages/, "")}`;
  const items = () => formatMarkdownTable(["Channel", "Author", `Time (${zone})`, "Message"], rows);
  return formatList(list, { count: results.length, words, more, total, order: "newest", items });
}

async function getQuery(input: Input, context: ToolContext): Promise<string> {
  const { text, channel, from } = input;
  const author = from?.trim() ? await findPerson(context, from, "read") : undefined;
  const { since, before } = parseDays(input);
  const query = [
    text.trim(),
    channel?.trim() ? `in:#${channel.trim().replace(/^#/, "")}` : "",
    author ? `from:<@${author.id}>` : "",
    since ? `after:${addDays(since, -1)}` : "",
    before ? `before:${before}` : "",
  ]
    .filter(Boolean)
    .join(" ");
  if (query !== "") return query;
  throw new Problem("INVALID_REQUEST", "Specify words, a channel, a user or a day to search for.", {
    details: { field: "text" },
  });
}

/** Slack searches by days: `after:` and `before:` exclude the day that they name. Of a time, the whole day counts. */
function parseDays({ since, before }: Input): { since?: string; before?: string } {
  const parse = (day: string | undefined, field: string) => (day?.trim() ? parseCalendarTime(day, field) : undefined);
  const [first, last] = [parse(since, "since"), parse(before, "before")];
  return {
    ...(first ? { since: "date" in first ? first.date : first.dateTime.slice(0, 10) } : {}),
    ...(last ? { before: "date" in last ? last.date : addDays(last.dateTime.slice(0, 10), 1) } : {}),
  };
}

function describeSearch(input: Input): string {
  const { text, channel, from } = input;
  const { since, before } = parseDays(input);
  const about = text.trim() ? ` about “${text.trim()}”` : "";
  const where = channel?.trim() ? ` in #${channel.trim().replace(/^#/, "")}` : "";
  const who = from?.trim() ? ` from ${from.trim()}` : "";
  return `messages${about}${where}${who}${since ? ` since ${since}` : ""}${before ? ` before ${before}` : ""}`;
}

/** Returns where a message was found. The channel name of a direct message is the other user's ID. */
function getPlace({ channel }: Match, users: Map<string, string>): string {
  const name = channel?.name ?? "";
  if (/^[UW][A-Z0-9]{7,}$/.test(name)) return users.has(name) ? `@${users.get(name)}` : "direct message";
  return name ? `#${name}` : "";
}
