import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { formatMarkdownTable, formatNoun, truncateText } from "../markup/markdown.ts";
import { isPartialName } from "../match.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { type Channel, listChannels } from "./channels.ts";
import { buildChannelUrl } from "./message.ts";
import { getUserName, listPeople, type User } from "./people.ts";

const ListChannelsInput = z.object({
  name: withDescription(z.optional(z.string()), "Part of the name, to list only matching channels."),
});

/** Source: https://docs.slack.dev/reference/methods/conversations.list/ */
export const listChannelsTool = defineListTool({
  name: "slack.list_channels",
  description: "List the channels of the Slack workspace that this account can see.",
  input: ListChannelsInput,
  limit: { usual: 50, most: 200 },
  mentions: [{ input: { limit: 100 }, list: "channels", name: "{channel}", note: "{about}" }],
  examples: [
    "list channels",
    "which channels are there in slack",
    "list slack channels",
    "show all channels",
    "find channels called {name}",
  ],
  summary: ({ name }) => `List Slack channels${name?.trim() ? ` with “${name.trim()}” in their name` : ""}`,
  async run(input, context, list) {
    const part = input.name?.trim().replace(/^#/, "").toLowerCase() ?? "";
    const isWanted = ({ name }: Channel) => name?.toLowerCase().includes(part) ?? false;
    const { items: channels, more } = await listChannels(context, list, isWanted);
    return {
      data: { channels: channels.map((channel) => toChannelData(channel, context)), more },
      text: formatList(list, {
        count: channels.length,
        words: `${formatNoun(channels.length, "channel")}${part ? ` with “${part}”` : ""}`,
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

const ListUsersInput = z.object({
  name: withDescription(z.optional(z.string()), "Name, handle or email address of a user. Default: all users."),
});

/** Source: https://docs.slack.dev/reference/methods/users.list/ */
export const listUsersTool = defineListTool({
  name: "slack.list_users",
  description: "List the people of the Slack workspace, or find one by name.",
  input: ListUsersInput,
  limit: { usual: 50, most: 200 },
  mentions: [{ input: { limit: 100 }, list: "people", name: "{handle}", note: "{name}" }],
  examples: [
    "list people in slack",
    "list the slack users",
    "who is in slack",
    "find {name} in slack",
    "who is {name} in slack",
    "find the person {name}",
    "what is the email of {name} in slack",
  ],
  summary: ({ name }) => (name?.trim() ? `Find ${name.trim()} in Slack` : "List the people in Slack"),
  async run(input, context, list) {
    const name = input.name?.trim().replace(/^@/, "") ?? "";
    const { people, more } = await listPeople(context.http, list, (user) => name === "" || matchesName(user, name));
    const called = name === "" ? "" : ` called “${name}”`;
    return {
      data: { people: people.map(toUserData), more },
      text: formatList(list, {
        count: people.length,
        words: `${formatNoun(people.length, "person", "people")}${called}`,
        more,
        none: `No one in Slack is${called || " there"}.`,
        items: () => formatUserTable(people),
      }),
      ...(typeof context.metadata.url === "string" ? { url: context.metadata.url } : {}),
    };
  },
});

function matchesName(user: User, name: string): boolean {
  const names = [getUserName(user), user.name, user.profile?.display_name, user.profile?.email];
  return names.some((value) => isPartialName(name, value ?? ""));
}

function formatUserTable(people: User[]): string {
  const rows = people.map((user) => [
    getUserName(user),
    `@${user.name ?? user.id}`,
    user.profile?.title ?? "",
    user.profile?.email ?? "",
    user.tz ?? "",
  ]);
  return formatMarkdownTable(["Name", "Handle", "Title", "E-mail", "Time zone"], rows);
}

function toUserData(user: User): Record<string, unknown> {
  return {
    id: user.id,
    name: getUserName(user),
    handle: `@${user.name ?? user.id}`,
    title: user.profile?.title || undefined,
    email: user.profile?.email ?? undefined,
    time_zone: user.tz ?? undefined,
  };
}
