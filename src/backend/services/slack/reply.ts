import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell } from "../markdown.ts";
import { placed } from "../resource.ts";
import { defineTool } from "../service.ts";
import { findConversation, namedConversation, shownConversation } from "./channels.ts";
import { findMessage, shownMessage } from "./message.ts";
import { callsEverybody, post, quoted } from "./outgoing.ts";

const Input = z.object({
  channel: describe(z.string(), "Channel such as #general, or a person for direct messages: @name or e-mail address."),
  message: describe(
    z.optional(z.string()),
    "Which message to reply to: its address or ts, or some of its words; the newest one when left out.",
  ),
  text: describe(z.string(), "The reply, as text or Markdown."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.slack.dev/reference/methods/chat.postMessage/, `thread_ts`. */
export const reply = defineTool({
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
    `Reply in ${shownConversation(channel)} to ${shownMessage(message)}: ${quoted(text)}`,
  resource: ({ channel }: Input) => placed("in", namedConversation(channel)),
  modeOf: ({ text }: Input) => (callsEverybody(text) ? "confirm_before_execution" : undefined),
  async run(input, context) {
    const place = await findConversation(context, input.channel, false);
    const message = await findMessage(context.http, place, input.message);
    const { ts, url } = await post(context, place, input.text, message.thread_ts ?? message.ts);
    return {
      data: { channel: place.name, thread: message.thread_ts ?? message.ts, ts, url },
      text: [`Replied in ${cell(place.name)}.`, url].filter(Boolean).join("\n\n"),
      url,
    };
  },
});
