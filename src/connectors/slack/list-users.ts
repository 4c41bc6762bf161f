import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { formatMarkdownTable } from "../markup/markdown.ts";
import { isPartialName } from "../match.ts";
import { withDescription } from "../tool.ts";
import { getUserName, listPeople, type User } from "./people.ts";

const Input = z.object({
  name: withDescription(z.optional(z.string()), "Name, handle or email address of a user. Default: all users."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.slack.dev/reference/methods/users.list/ */
export const listUsersTool = defineListTool({
  name: "slack.list_users",
  description: "List the people of the Slack workspace, or find one by name.",
  input: Input,
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
  summary: ({ name }: Input) => (name?.trim() ? `Find ${name.trim()} in Slack` : "List the people in Slack"),
  async run(input, context, list) {
    const name = input.name?.trim().replace(/^@/, "") ?? "";
    const { people, more } = await listPeople(context.http, list, (user) => name === "" || matchesName(user, name));
    const called = name === "" ? "" : ` called “${name}”`;
    return {
      data: { people: people.map(toUserData), more },
      text: formatList(list, {
        count: people.length,
        words: `${people.length === 1 ? "person" : "people"}${called}`,
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
  return names.some((one) => isPartialName(name, one ?? ""));
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
