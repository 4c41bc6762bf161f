import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describe } from "../fields.ts";
import { cell, count } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { findConversation, shownConversation } from "./channels.ts";
import {
  channelUrl,
  findMessage,
  messageBlock,
  messageData,
  messageNames,
  messageUrl,
  newestMessages,
  threadMessages,
} from "./message.ts";

const Input = z.object({
  channel: describe(z.string(), "Channel such as #general, or a person for direct messages: @name or e-mail address."),
  since: describe(z.optional(z.string()), "Only messages after this date or moment, as ISO 8601."),
  thread: describe(z.optional(z.string()), "Address or ts of a message, to read it and its replies instead."),
  limit: describe(z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(100))), "At most so many messages; 20."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.slack.dev/reference/methods/conversations.history/ and …/conversations.replies/ */
export const readChannel = defineTool({
  name: "slack.read_channel",
  description: "Read the newest messages of a Slack channel, a direct message or a thread.",
  access: "read",
  input: Input,
  examples: [
    "read {channel}",
    "what is new in {channel}",
    "show the latest messages in {channel}",
    "what did people say in {channel}",
    "what happened in {channel}",
    "show messages from {channel}",
    "summarise {channel}",
    "read my messages with {channel}",
    "what was said in {channel} since {since}",
  ],
  summary: ({ channel, thread }: Input) =>
    thread?.trim() ? `Read a thread in ${shownConversation(channel)}` : `Read ${shownConversation(channel)}`,
  async run(input, context) {
    const { http } = context;
    const place = await findConversation(context, input.channel, false);
    const limit = input.limit ?? 20;
    const oldest = momentOf(input.since);
    const root = input.thread?.trim() ? await findMessage(http, place, input.thread) : undefined;
    const messages = root
      ? await threadMessages(http, place.id, root.thread_ts ?? root.ts, limit)
      : (await newestMessages(http, place.id, { limit, oldest })).reverse();
    const names = await messageNames(http, messages);
    const what = `${count(messages.length, "message")} in ${cell(place.name)}`;
    const head = messages.length === 0 ? `No messages in ${cell(place.name)}.` : `${what}, the newest last:`;
    return {
      data: {
        channel: place.name,
        messages: messages.map((one) => messageData(one, names, messageUrl(context, place.id, one) ?? "")),
      },
      text: [head, ...messages.map((one) => messageBlock(one, names))].join("\n\n"),
      url: root ? messageUrl(context, place.id, root) : channelUrl(context, place.id),
    };
  },
});

/** Slack's spelling of a moment: seconds since the epoch. */
function momentOf(since: string | undefined): string | undefined {
  if (!since?.trim()) return undefined;
  const time = Date.parse(since.trim());
  if (!Number.isNaN(time)) return (time / 1000).toFixed(6);
  throw new Problem("INVALID_REQUEST", `“${since}” is not a date or moment.`, {
    hint: "Write it as 2026-01-31 or 2026-01-31T09:00:00Z.",
    details: { field: "since" },
  });
}
