import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell } from "../markdown.ts";
import { placed } from "../resource.ts";
import { defineTool } from "../service.ts";
import { findConversation, namedConversation, shownConversation } from "./channels.ts";
import { callsEverybody, post, quoted } from "./outgoing.ts";

const Input = z.object({
  channel: describe(z.string(), "Channel such as #general, or a person: @name, full name or e-mail address."),
  text: describe(z.string(), "The message, as text or Markdown."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.slack.dev/reference/methods/chat.postMessage/ and …/conversations.open/ */
export const sendMessage = defineTool({
  name: "slack.send_message",
  description: "Send a message to a Slack channel, or directly to a person.",
  access: "write",
  input: Input,
  examples: [
    "send {text} to {channel}",
    "send a message to {channel}: {text}",
    "send a message to {channel} saying {text}",
    "post {text} in {channel}",
    "post in {channel}: {text}",
    "post to {channel}: {text}",
    "write to {channel}: {text}",
    "tell {channel} that {text}",
    "message {channel}: {text}",
    "send {channel} a message: {text}",
    "say {text} in {channel}",
  ],
  summary: ({ channel, text }: Input) => `Send to ${shownConversation(channel)}: ${quoted(text)}`,
  resource: ({ channel }: Input) => placed("to", namedConversation(channel)),
  modeOf: ({ text }: Input) => (callsEverybody(text) ? "confirm_before_execution" : undefined),
  async run(input, context) {
    const place = await findConversation(context, input.channel, true);
    const { ts, url } = await post(context, place, input.text);
    return {
      data: { channel: place.name, ts, url },
      text: [`Sent to ${cell(place.name)}.`, url].filter(Boolean).join("\n\n"),
      url,
    };
  },
});
