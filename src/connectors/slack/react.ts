import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { callMethod } from "./call.ts";
import { CHANNEL_FIELD, findConversation, formatConversation, formatConversationPlace } from "./channels.ts";
import { buildMessageUrl, describeMessage, findMessage, formatMessageRef } from "./message.ts";

const Input = z.object({
  channel: CHANNEL_FIELD,
  emoji: withDescription(z.string(), "Name of the emoji without colons, or the emoji itself."),
  message: withDescription(
    z.optional(z.string()),
    "Message to react to: its URL or ts, or some of its words. Default: the newest message.",
  ),
});

/** Source: https://docs.slack.dev/reference/methods/reactions.add/ */
export const addReactionTool = defineTool({
  name: "slack.add_reaction",
  description: "React to a Slack message with an emoji.",
  access: "write",
  input: Input,
  examples: [
    "react with {emoji} in {channel}",
    "react with {emoji} to the last message in {channel}",
    "react to the last message in {channel} with {emoji}",
    "react to {message} in {channel} with {emoji}",
    "put a {emoji} on the last message in {channel}",
    "put a {emoji} on the latest message in {channel}",
    "add a {emoji} reaction in {channel}",
  ],
  summary: ({ channel, emoji, message }) =>
    `React with :${toEmojiName(emoji)}: to ${formatMessageRef(message)} in ${formatConversation(channel)}`,
  resource: ({ channel }) => formatPlace("in", formatConversationPlace(channel)),
  object: ({ message, emoji }) => `${formatMessageRef(message)}, :${toEmojiName(emoji)}:`,
  placeIsTarget: true,
  describeTarget: async (input, context) =>
    describeMessage(
      context,
      await findConversation(context, formatConversation(input.channel), "change"),
      input.message,
    ),
  async run(input, context) {
    const name = toEmojiName(input.emoji);
    const place = await findConversation(context, formatConversation(input.channel), "change");
    const message = await findMessage(context.http, place, input.message, "change");
    const body = { channel: place.id, timestamp: message.ts, name };
    const url = buildMessageUrl(context, place.id, message);
    const isNew = await callMethod(context.http, "reactions.add", {
      body,
      answer: z.unknown(),
      scope: "reactions:write",
    })
      .then(() => true)
      .catch((error: unknown) => {
        if (error instanceof Problem && error.details.service_code === "already_reacted") return false;
        throw error;
      });
    const outcome = isNew
      ? `Reacted with :${name}: in ${place.name}.`
      : `You had already reacted with :${name}: in ${place.name}.`;
    return {
      data: { channel: place.name, ts: message.ts, emoji: name, changed: isNew, url },
      text: [escapeCell(outcome), url].filter(Boolean).join("\n\n"),
      url,
    };
  },
});

/** Returns Slack's name for a typed emoji. */
function toEmojiName(text: string): string {
  const name = text.trim().replace(/^:|:$/g, "").toLowerCase();
  const knownNames = NAMES.find(([, ...others]) =>
    others.includes(name.replace(/[\u{fe0f}\u{1f3fb}-\u{1f3ff}]/gu, "")),
  );
  return knownNames?.[0] ?? name.replace(/\s+/g, "_");
}

const NAMES: [name: string, ...others: string[]][] = [
  ["+1", "👍", "thumbs up", "thumbs-up", "thumbsup", "thumbs_up", "thumb up", "like"],
  ["-1", "👎", "thumbs down", "thumbs-down", "thumbsdown", "thumbs_down"],
  ["heart", "❤", "♥"],
  ["tada", "🎉", "party"],
  ["white_check_mark", "✅", "check", "check mark", "tick"],
  ["eyes", "👀"],
  ["rocket", "🚀"],
  ["smile", "😄", "🙂", "😀"],
  ["joy", "😂"],
  ["pray", "🙏", "thanks"],
  ["fire", "🔥"],
  ["wave", "👋"],
  ["clap", "👏"],
  ["x", "❌"],
];
