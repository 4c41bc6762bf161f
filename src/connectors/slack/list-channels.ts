import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { formatMarkdownTable, truncateText } from "../markup/markdown.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { type Channel, listChannels } from "./channels.ts";
import { buildChannelUrl } from "./message.ts";

const Input = z.object({
  name: withDescription(z.optional(z.string()), "Part of the name, to list only matching channels."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.slack.dev/reference/methods/conversations.list/ */
export const listChannelsTool = defineListTool({
  name: "slack.list_channels",
  description: "List the channels of the Slack workspace that this account can see.",
  input: Input,
  limit: { usual: 50, most: 200 },
  mentions: [{ input: { limit: 100 }, list: "channels", name: "{channel}", note: "{about}" }],
  examples: [
    "list channels",
    "which channels are there in slack",
    "list slack channels",
    "show all channels",
    "find channels called {name}",
  ],
  summary: ({ name }: Input) => `List Slack channels${name?.trim() ? ` with “${name.trim()}” in their name` : ""}`,
  async run(input, context, list) {
    const part = input.name?.trim().replace(/^#/, "").toLowerCase() ?? "";
    const isWanted = ({ name }: Channel) => name?.toLowerCase().includes(part) ?? false;
    const { items: channels, more } = await listChannels(context, list, isWanted);
    return {
      data: { channels: channels.map((channel) => toChannelData(channel, context)), more },
      text: formatList(list, {
        count: channels.length,
        words: `${channels.length === 1 ? "channel" : "channels"}${part ? ` with “${part}”` : ""}`,
        more,
        items: () => formatChannelTable(channels),
      }),
      ...(typeof context.metadata.url === "string" ? { url: context.metadata.url } : {}),
    };
  },
});

function formatChannelTable(list: Channel[]): string {
  const rows = list.map((channel) => [
    `#${channel.name ?? channel.id}`,
    truncateText(getAbout(channel), 80),
    channel.num_members === null || channel.num_members === undefined ? "" : String(channel.num_members),
    [channel.is_private ? "private" : "", channel.is_member ? "" : "not joined"].filter(Boolean).join(", "),
  ]);
  return formatMarkdownTable(["Channel", "About", "Members", "Notes"], rows);
}

function toChannelData(channel: Channel, context: ToolContext): Record<string, unknown> {
  return {
    id: channel.id,
    channel: `#${channel.name ?? channel.id}`,
    about: truncateText(getAbout(channel), 300),
    members: channel.num_members ?? undefined,
    private: channel.is_private ?? false,
    joined: channel.is_member ?? false,
    url: buildChannelUrl(context, channel.id),
  };
}

function getAbout({ topic, purpose }: Channel): string {
  return topic?.value || purpose?.value || "";
}
