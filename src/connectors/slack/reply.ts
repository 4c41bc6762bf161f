import * as z from "zod/mini";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { findConversation, formatConversation, formatConversationPlace, listDestinations } from "./channels.ts";
import { describeMessage, findMessage, formatMessageRef } from "./message.ts";
import { mentionsEverybody, postMessage } from "./outgoing.ts";

const Input = z.object({
  channel: withDescription(
    z.string(),
    "Channel such as #general, or a user for direct messages: @name or email address.",
  ),
  message: withDescription(
    z.optional(z.string()),
    "Message to reply to: its URL or ts, or some of its words. Default: the newest message.",
  ),
  text: withDescription(z.string(), "The reply, as text or Markdown."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.slack.dev/reference/methods/chat.postMessage/, `thread_ts`. */
export const replyTool = defineTool({
  name: "slack.reply",
  description: "Reply to a Slack message in its thread.",
  access: "write",
  input: Input,
  examples: [
    "reply in {channel}: {text}",
    "reply to the last message in {channel}: {text}",
    "reply to {message} in {channel}: {text}",
    "answer in {channel}: {text}",
    "reply to {message} in {channel} saying {text}",
  ],
  summary: ({ channel, message, text }: Input) =>
    `Reply in ${formatConversation(channel)} to ${formatMessageRef(message)}: ${quoteText(text, 500)}`,
  resource: ({ channel }: Input) => formatPlace("in", formatConversationPlace(channel)),
  object: ({ message }: Input) => formatMessageRef(message),
  placeIsTarget: true,
  destinations: ({ channel }: Input) => listDestinations(channel),
  chooseMode: ({ text }: Input) => (mentionsEverybody(text) ? "confirm_before_execution" : undefined),
  describeTarget: async (input, context) =>
    describeMessage(context, await findConversation(context, input.channel, "change"), input.message),
  async run(input, context) {
    const place = await findConversation(context, input.channel, "change");
    const message = await findMessage(context.http, place, input.message, "change");
    const { ts, url } = await postMessage(context, place, input.text, message.thread_ts ?? message.ts);
    return {
      data: { channel: place.name, thread: message.thread_ts ?? message.ts, ts, url },
      text: [`Replied in ${escapeCell(place.name)}.`, url].filter(Boolean).join("\n\n"),
      url,
    };
  },
});
