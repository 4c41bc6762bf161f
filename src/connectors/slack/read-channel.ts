import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun } from "../markup/markdown.ts";
import { parseOptionalInstant } from "../time.ts";
import { withDescription } from "../tool.ts";
import { CHANNEL_FIELD, findConversation, formatConversation } from "./channels.ts";
import {
  buildChannelUrl,
  buildMessageUrl,
  fetchNewest,
  fetchThread,
  findMessage,
  formatMessage,
  loadNames,
  toMessageData,
} from "./message.ts";

const Input = z.object({
  channel: CHANNEL_FIELD,
  since: withDescription(z.optional(z.string()), "Only messages after this date or time, in ISO 8601."),
  thread: withDescription(z.optional(z.string()), "URL or ts of a message, to read it and its replies instead."),
});

/** Source: https://docs.slack.dev/reference/methods/conversations.history/ and …/conversations.replies/ */
export const readChannelTool = defineListTool({
  name: "slack.read_channel",
  description: "Read the newest messages of a Slack channel, a direct message or a thread.",
  input: Input,
  limit: { usual: 20, most: 100 },
  examples: [
    "read {channel}",
    "what is new in {channel}",
    "show the latest messages in {channel}",
    "what did people say in {channel}",
    "what happened in {channel}",
    "show messages from {channel}",
    "summarise {channel}",
    "catch me up on {channel}",
    "any news in {channel}",
    "read my messages with {channel}",
    "what was said in {channel} since {since}",
    "what did i miss in {channel}",
  ],
  summary: ({ channel, thread }) =>
    thread?.trim() ? `Read a thread in ${formatConversation(channel)}` : `Read ${formatConversation(channel)}`,
  async run(input, context, list) {
    const { http } = context;
    const place = await findConversation(context, input.channel, "read");
    const oldest = getMoment(input.since, context.timeZone);
    const root = input.thread?.trim() ? await findMessage(http, place, input.thread, "read") : undefined;
    const { items, more } = root
      ? await fetchThread(http, place.id, root.thread_ts ?? root.ts, list)
      : await fetchNewest(http, place.id, list, oldest);
    const messages = items.reverse();
    const names = await loadNames(http, messages);
    return {
      data: {
        channel: place.name,
        messages: messages.map((message) =>
          toMessageData(message, names, buildMessageUrl(context, place.id, message) ?? ""),
        ),
        more,
      },
      text: formatList(list, {
        count: messages.length,
        words: `${formatNoun(messages.length, "message")} in ${escapeCell(place.name)}`,
        note: ", the newest last",
        ...{ more, order: "newest" },
        items: () => messages.map((message) => formatMessage(message, names, context.timeZone)).join("\n\n"),
      }),
      url: root ? buildMessageUrl(context, place.id, root) : buildChannelUrl(context, place.id),
    };
  },
});

/** Converts a time to Slack's format: seconds since the epoch. */
function getMoment(since: string | undefined, zone: string | undefined): string | undefined {
  const instant = parseOptionalInstant(since, "since", zone);
  return instant && (Date.parse(instant) / 1000).toFixed(6);
}
