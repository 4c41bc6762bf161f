import * as z from "zod/mini";
import { escapeCell, formatCount, formatMarkdownTable, truncateText } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { callReadMethod } from "./call.ts";
import { toMarkdown } from "./content.ts";
import { loadNames, Message, toIsoTime } from "./message.ts";
import { findPerson } from "./people.ts";

const Input = z.object({
  text: withDescription(z.string(), "Words to search for. Slack's search modifiers are allowed."),
  channel: withDescription(z.optional(z.string()), "Only in this channel, such as #general."),
  from: withDescription(z.optional(z.string()), "Only by this user: me, @name, name or email address."),
  limit: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(100))),
    "Maximum number of messages. Default: 20.",
  ),
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
export const searchMessagesTool = defineTool({
  name: "slack.search_messages",
  description: "Search messages in Slack by words, channel and author, newest first.",
  access: "read",
  input: Input,
  examples: [
    "search messages for {text} in {channel}",
    "find messages about {text} in {channel}",
    "search slack for {text} in {channel}",
    "search slack for {text}",
    "find messages about {text}",
    "find messages from {from} about {text}",
    "what did {from} say about {text}",
    "who wrote about {text} in {channel}",
  ],
  summary: (input: Input) => `Search Slack for ${describeSearch(input)}`,
  async run(input, context) {
    const limit = input.limit ?? 20;
    const query = { query: await getQuery(input, context), count: limit, sort: "timestamp", sort_dir: "desc" };
    const request = { query, answer: Matches, scope: "search:read" };
    const { messages } = await callReadMethod(context.http, "search.messages", request);
    const matches = messages.matches.slice(0, limit);
    const total = messages.total ?? matches.length;
    const names = await loadNames(context.http, matches);
    const shown = matches.map((match) => ({
      channel: getPlace(match, names.users),
      author: (match.user && names.users.get(match.user)) || match.username || "someone",
      time: toIsoTime(match.ts),
      text: toMarkdown(match, names),
      ts: match.ts,
      url: match.permalink ?? undefined,
    }));
    return {
      data: { messages: shown, more: total > matches.length },
      text: formatResult(shown, total, escapeCell(describeSearch(input))),
      ...(typeof context.metadata.url === "string" ? { url: context.metadata.url } : {}),
    };
  },
});

type Shown = { channel: string; author: string; time: string; text: string };

function formatResult(shown: Shown[], total: number, what: string): string {
  if (shown.length === 0) return `No ${what.replace(/^messages?/, "messages")}.`;
  const found = `${formatCount(total, "message")}${what.replace(/^messages/, "")}`;
  const head = total > shown.length ? `The newest ${shown.length} of ${found}:` : `${found}:`;
  const rows = shown.map(({ channel, author, time, text }) => [
    channel,
    author,
    time.slice(0, 16).replace("T", " "),
    truncateText(text.replace(/\s+/g, " "), 200),
  ]);
  return `${head}\n\n${formatMarkdownTable(["Channel", "Author", "Time (UTC)", "Message"], rows)}`;
}

async function getQuery({ text, channel, from }: Input, context: ToolContext): Promise<string> {
  const author = from?.trim() ? await findPerson(context, from, "read") : undefined;
  return [
    text.trim(),
    channel?.trim() ? `in:#${channel.trim().replace(/^#/, "")}` : "",
    author ? `from:<@${author.id}>` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

function describeSearch({ text, channel, from }: Input): string {
  const about = text.trim() ? ` about “${text.trim()}”` : "";
  const where = channel?.trim() ? ` in #${channel.trim().replace(/^#/, "")}` : "";
  const who = from?.trim() ? ` from ${from.trim()}` : "";
  return `messages${about}${where}${who}`;
}

/** Returns where a message was found. The channel name of a direct message is the other user's ID. */
function getPlace({ channel }: Match, users: Map<string, string>): string {
  const name = channel?.name ?? "";
  if (/^[UW][A-Z0-9]{7,}$/.test(name)) return users.has(name) ? `@${users.get(name)}` : "direct message";
  return name ? `#${name}` : "";
}
