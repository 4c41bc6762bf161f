import * as z from "zod/mini";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  describeConversation,
  findConversation,
  formatConversation,
  formatConversationPlace,
  listDestinations,
} from "./channels.ts";
import { mentionsEverybody, postMessage } from "./outgoing.ts";

const Input = z.object({
  channel: withDescription(z.string(), "Channel such as #general, or a user: @name, full name or email address."),
  text: withDescription(z.string(), "The message, as text or Markdown."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.slack.dev/reference/methods/chat.postMessage/ and …/conversations.open/ */
export const sendMessageTool = defineTool({
  name: "slack.send_message",
  description: "Send a message to a Slack channel or directly to a user.",
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
    "dm {channel}: {text}",
    "send {channel} a message: {text}",
    "say {text} in {channel}",
  ],
  summary: ({ channel, text }: Input) => `Send to ${formatConversation(channel)}: ${quoteText(text, 500)}`,
  resource: ({ channel }: Input) => formatPlace("to", formatConversationPlace(channel)),
  destinations: ({ channel }: Input) => listDestinations(channel),
  chooseMode: ({ text }: Input) => (mentionsEverybody(text) ? "confirm_before_execution" : undefined),
  placeIsTarget: true,
  describeTarget: ({ channel }, context) => describeConversation(context, channel),
  async run(input, context) {
    const place = await findConversation(context, input.channel, "send");
    const { ts, url } = await postMessage(context, place, input.text);
    return {
      data: { channel: place.name, ts, url },
      text: [`Sent to ${escapeCell(place.name)}.`, url].filter(Boolean).join("\n\n"),
      url,
    };
  },
});
