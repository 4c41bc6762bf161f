import * as z from "zod/mini";
import { formatCount, formatMarkdownTable, truncateText } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { type Channel, listChannels } from "./channels.ts";
import { buildChannelUrl } from "./message.ts";

const Input = z.object({
  name: withDescription(z.optional(z.string()), "Part of the name, to list only matching channels."),
  limit: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(200))),
    "Maximum number of results. Default: 50.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.slack.dev/reference/methods/conversations.list/ */
export const listChannelsTool = defineTool({
  name: "slack.list_channels",
  description: "List the channels of the Slack workspace that this account can see.",
  access: "read",
  input: Input,
  mentions: [{ input: { limit: 100 }, list: "channels", name: "{channel}", note: "{about}" }],
  examples: [
    "list channels",
    "which channels are there in slack",
    "list slack channels",
    "show all channels",
    "find channels called {name}",
  ],
  summary: ({ name }: Input) => `List Slack channels${name?.trim() ? ` with “${name.trim()}” in their name` : ""}`,
  async run(input, context) {
    const limit = input.limit ?? 50;
    const part = input.name?.trim().replace(/^#/, "").toLowerCase() ?? "";
    const filterMatching = (list: Channel[]) => list.filter((channel) => channel.name?.toLowerCase().includes(part));
    const { items, more } = await listChannels(context, (list) => filterMatching(list).length > limit);
    const found = filterMatching(items);
    const shown = found.slice(0, limit);
    const isMore = more || found.length > limit;
    const words = `${formatCount(shown.length, "channel")}${part ? ` with “${part}”` : ""}`;
    const head =
      shown.length === 0
        ? `No ${words.replace(/^0 /, "")}.`
        : isMore
          ? `The first ${words}; there are more:`
          : `${words}:`;
    return {
      data: { channels: shown.map((channel) => toChannelData(channel, context)), more: isMore },
      text: shown.length === 0 ? head : `${head}\n\n${formatChannelTable(shown)}`,
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
