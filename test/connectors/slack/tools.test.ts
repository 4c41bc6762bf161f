import { expect, test } from "vitest";
import { slack } from "#connectors/slack/slack";
import { contextOver, createRunner, type Expected, httpOver, outside, summarize } from "../support/outside.ts";

const API = "https://slack.com/api";
const TEAM = { url: "https://acme.slack.com", workspace: "Acme", team_id: "T1", user_id: "U0ANNANN1" };

/** A member as returned by `users.list`. */
function member(id: string, name: string, real_name: string, more: Record<string, unknown> = {}) {
  const profile = {
    real_name,
    display_name: name,
    title: "Engineer",
    email: `${name}@example.com`,
    image_72: "https://a.test/72",
  };
  return { id, team_id: "T1", name, real_name, deleted: false, is_bot: false, tz: "Europe/Berlin", profile, ...more };
}
const ANN = member("U0ANNANN1", "ann", "Ann Archer");
const BOB = member("U0BOBBOB2", "bob", "Bob Builder");
const BOBBY = member("U0BOBBOB3", "bobby", "Bob Brown");
const GONE = member("U0GONEGO4", "gone", "Bob Gone", { deleted: true });
const BOT = member("U0BOTBOT5", "bot", "Bob Bot", { is_bot: true });

function channel(id: string, name: string, more: Record<string, unknown> = {}) {
  const topic = { value: `About ${name}`, creator: "", last_set: 0 };
  return {
    id,
    name,
    is_channel: true,
    is_private: false,
    is_member: true,
    is_archived: false,
    num_members: 3,
    topic,
    ...more,
  };
}
const GENERAL = channel("C0GENERAL1", "general");
const RANDOM = channel("C0RANDOM02", "random", { is_member: false });

const LIST = `GET ${API}/conversations.list?types=public_channel%2Cprivate_channel&exclude_archived=true&limit=999`;
const listing: Expected = {
  request: LIST,
  json: { ok: true, channels: [GENERAL, RANDOM], response_metadata: { next_cursor: "" } },
};
const people: Expected = {
  request: `GET ${API}/users.list?limit=200`,
  json: { ok: true, members: [ANN, BOB, BOBBY, GONE, BOT], response_metadata: { next_cursor: "" } },
};
const info = (user: typeof ANN): Expected => ({
  request: `GET ${API}/users.info?user=${user.id}`,
  json: { ok: true, user },
});
const createPostReply = (channelId: string): Omit<Expected, "request"> => ({
  json: { ok: true, channel: channelId, ts: "1700000000.000100", message: { type: "message", text: "x" } },
});

const run = createRunner(slack, TEAM);

function refusal(name: string, input: Record<string, unknown>, ...expected: Expected[]) {
  return run(name, input, ...expected).catch(({ code, message, hint }) => ({ code, message, hint }));
}

const summary = (name: string, input: Record<string, unknown>) => summarize(slack, name, input);

test("the account and workspace, in the guide's field names", async () => {
  const world = outside(
    {
      request: `POST ${API}/auth.test`,
      body: {},
      json: {
        ok: true,
        url: "https://acme.slack.com/",
        team: "Acme",
        user: "ann",
        team_id: "T1",
        user_id: "U0ANNANN1",
      },
    },
    info(ANN),
  );
  expect(await slack.identify(httpOver(world, slack).http)).toEqual({
    accountId: "T1:U0ANNANN1",
    user: {
      account_id: "T1:U0ANNANN1",
      name: "Ann Archer",
      email: "ann@example.com",
      username: "ann",
      avatar_url: "https://a.test/72",
    },
    metadata: TEAM,
  });
  expect(world.asked[0]?.headers["content-type"]).toBe("application/json; charset=utf-8");
});

test("channels are listed over their pages, as a table for people and trimmed data for models", async () => {
  const result = await run(
    "slack.list_channels",
    {},
    { request: LIST, json: { ok: true, channels: [GENERAL], response_metadata: { next_cursor: "bmV4dDox" } } },
    { request: `${LIST}&cursor=bmV4dDox`, json: { ok: true, channels: [RANDOM] } },
  );
  expect(result.text).toBe(
    [
      "2 channels:",
      "",
      "| Channel | About | Members | Notes |",
      "| --- | --- | --- | --- |",
      "| #general | About general | 3 |  |",
      "| #random | About random | 3 | not joined |",
    ].join("\n"),
  );
  expect(result.data).toMatchObject({
    channels: [
      { id: "C0GENERAL1", channel: "#general", joined: true, url: "https://acme.slack.com/archives/C0GENERAL1" },
      { id: "C0RANDOM02", channel: "#random", joined: false },
    ],
    more: false,
  });
});

test("a repeated cursor ends the list", async () => {
  const again = { ok: true, channels: [GENERAL], response_metadata: { next_cursor: "same" } };
  const result = await run(
    "slack.list_channels",
    {},
    { request: LIST, json: again },
    { request: `${LIST}&cursor=same`, json: again },
  );
  expect(result.data).toMatchObject({ more: false });
});

test("a channel is read oldest first, with names for IDs and Markdown for mrkdwn", async () => {
  const messages = [
    {
      type: "message",
      user: BOB.id,
      ts: "1700000300.000200",
      text: "<@U0ANNANN1> *done*",
      reactions: [{ name: "+1", count: 2, users: [] }],
    },
    {
      type: "message",
      user: ANN.id,
      ts: "1700000000.000100",
      text: "Is it &lt;ready&gt;?",
      thread_ts: "1700000000.000100",
      reply_count: 1,
    },
  ];
  const result = await run(
    "slack.read_channel",
    { channel: "general", limit: 2, since: "2023-11-14" },
    listing,
    {
      request: `GET ${API}/conversations.history?channel=C0GENERAL1&limit=2&oldest=1699920000.000000`,
      json: { ok: true, messages, has_more: false },
    },
    info(ANN),
    info(BOB),
  );
  expect(result).toEqual({
    data: {
      channel: "#general",
      messages: [
        {
          ts: "1700000000.000100",
          author: "Ann Archer",
          time: "2023-11-14T22:13:20.000Z",
          text: "Is it \\<ready>?",
          replies: 1,
          url: "https://acme.slack.com/archives/C0GENERAL1/p1700000000000100",
        },
        {
          ts: "1700000300.000200",
          author: "Bob Builder",
          time: "2023-11-14T22:18:20.000Z",
          text: "@Ann Archer **done**",
          reactions: [":+1: 2"],
          url: "https://acme.slack.com/archives/C0GENERAL1/p1700000300000200",
        },
      ],
      more: false,
    },
    text: [
      "2 messages in #general, the newest last:",
      "**Ann Archer**, 2023-11-14 22:13 UTC",
      "Is it \\<ready>?",
      "(1 reply)",
      "**Bob Builder**, 2023-11-14 22:18 UTC",
      "@Ann Archer **done**",
      "(:+1: 2)",
    ].join("\n\n"),
    url: "https://acme.slack.com/archives/C0GENERAL1",
  });
});

test("a thread is read by the URL of its message", async () => {
  const root = { user: ANN.id, ts: "1700000000.000100", text: "Why?", thread_ts: "1700000000.000100", reply_count: 1 };
  const result = await run(
    "slack.read_channel",
    { channel: "#general", thread: "https://acme.slack.com/archives/C0GENERAL1/p1700000000000100" },
    listing,
    {
      request: `GET ${API}/conversations.replies?channel=C0GENERAL1&ts=1700000000.000100&limit=200`,
      json: {
        ok: true,
        messages: [root, { user: ANN.id, ts: "1700000001.000100", text: "Because.", thread_ts: root.ts }],
      },
    },
    info(ANN),
  );
  expect(result.data).toMatchObject({
    messages: [
      { text: "Why?" },
      {
        text: "Because.",
        url: "https://acme.slack.com/archives/C0GENERAL1/p1700000001000100?thread_ts=1700000000.000100&cid=C0GENERAL1",
      },
    ],
  });
});

test("direct messages are read without opening any", async () => {
  const ims: Expected = {
    request: `GET ${API}/conversations.list?types=im&limit=999`,
    json: { ok: true, channels: [{ id: "D0ANNBOB1", is_im: true, user: BOB.id }] },
  };
  const result = await run("slack.read_channel", { channel: "@bob" }, people, ims, {
    request: `GET ${API}/conversations.history?channel=D0ANNBOB1&limit=20`,
    json: { ok: true, messages: [] },
  });
  expect(result.text).toBe("No messages in @Bob Builder.");
  const none = { ...ims, json: { ok: true, channels: [] } };
  expect(await refusal("slack.read_channel", { channel: "@bob" }, people, none)).toEqual({
    code: "INVALID_REQUEST",
    message: "You and Bob Builder have no messages in Slack.",
    hint: "Send a message first.",
  });
});

test("messages are searched by words, channel and author", async () => {
  const match = {
    iid: "1",
    team: "T1",
    channel: { id: "C0GENERAL1", name: "general", is_channel: true },
    type: "message",
    user: BOB.id,
    username: "bob",
    ts: "1700000000.000100",
    text: "The *release* | is out",
    permalink: "https://acme.slack.com/archives/C0GENERAL1/p1700000000000100",
  };
  const query = "release in:#general from:<@U0BOBBOB2>";
  const encoded = `query=${encodeURIComponent(query).replaceAll("%20", "+")}`;
  const result = await run(
    "slack.search_messages",
    { text: "release", channel: "general", from: "bob@example.com", limit: 1 },
    {
      request: `GET ${API}/users.lookupByEmail?email=${encodeURIComponent("bob@example.com")}`,
      json: { ok: true, user: BOB },
    },
    {
      request: `GET ${decodeURI(`${API}/search.messages?${encoded}&count=1&sort=timestamp&sort_dir=desc`)}`,
      json: {
        ok: true,
        query,
        messages: { total: 3, matches: [match], paging: { count: 1, total: 3, page: 1, pages: 3 } },
      },
    },
    info(BOB),
  );
  expect(result.text).toBe(
    [
      "The newest of 3 messages about “release” in #general from bob@example.com:",
      "",
      "| Channel | Author | Time (UTC) | Message |",
      "| --- | --- | --- | --- |",
      "| #general | Bob Builder | 2023-11-14 22:13 | The **release** \\| is out |",
    ].join("\n"),
  );
  expect(result.data).toMatchObject({
    messages: [{ channel: "#general", author: "Bob Builder", url: match.permalink }],
    more: true,
  });
});

test("a message goes to a channel by its name, as mrkdwn", async () => {
  const body = { channel: "C0GENERAL1", text: "*Hello* &lt;all&gt; @nobody" };
  const result = await run(
    "slack.send_message",
    { channel: "#General", text: "**Hello** <all> @nobody" },
    listing,
    people,
    { request: `POST ${API}/chat.postMessage`, body, ...createPostReply("C0GENERAL1") },
  );
  expect(result.text).toBe("Sent to #general.\n\nhttps://acme.slack.com/archives/C0GENERAL1/p1700000000000100");
});

test("a handle in a message mentions its user, but not in code", async () => {
  const body = {
    channel: "C0GENERAL1",
    text: "<@U0BOBBOB2>, see `@bob` and @channel, <mailto:ann@example.com|ann@example.com>",
  };
  await run(
    "slack.send_message",
    { channel: "general", text: "@bob, see `@bob` and @channel, ann@example.com" },
    listing,
    people,
    { request: `POST ${API}/chat.postMessage`, body, ...createPostReply("C0GENERAL1") },
  );
});

test.each([["Bob Builder"], ["@bob"], ["<@U0BOBBOB2>"], ["bob builder"]])(
  "a message to %s goes to the direct message",
  async (name) => {
    const lookup = name.startsWith("<") ? info(BOB) : people;
    const result = await run(
      "slack.send_message",
      { channel: name, text: "hi" },
      lookup,
      {
        request: `POST ${API}/conversations.open`,
        body: { users: BOB.id },
        json: { ok: true, channel: { id: "D0ANNBOB1" } },
      },
      {
        request: `POST ${API}/chat.postMessage`,
        body: { channel: "D0ANNBOB1", text: "hi" },
        ...createPostReply("D0ANNBOB1"),
      },
    );
    expect(result.data).toMatchObject({ channel: "@Bob Builder" });
  },
);

test("a lower-case name is a channel: a user of that name gets no message, but is suggested", async () => {
  expect(await refusal("slack.send_message", { channel: "ann", text: "note" }, listing, people)).toEqual({
    code: "INVALID_REQUEST",
    message: "No channel in Slack is called “#ann”, or this account cannot see it.",
    hint: "To write to Ann Archer, use @ann.",
  });
});

test("an unknown or ambiguous user gets no message", async () => {
  const send = (name: string, ...expected: Expected[]) =>
    refusal("slack.send_message", { channel: name, text: "x" }, ...expected);
  const twins = { ...people, json: { ok: true, members: [BOBBY, member("U0BOBBOB9", "b2", "Bob Black")] } };
  expect(await send("@Bob", twins)).toEqual({
    code: "INVALID_REQUEST",
    message:
      "Several people in Slack match “Bob”: Bob Brown (@bobby, bobby@example.com), Bob Black (@b2, b2@example.com).",
    hint: "Use the full name, or what is in parentheses.",
  });
  expect(await send("@zoe", people)).toEqual({
    code: "INVALID_REQUEST",
    message: "No user in Slack is called “zoe”.",
    hint: "Check the name.",
  });
  expect(await send("#genral", listing)).toEqual({
    code: "INVALID_REQUEST",
    message: "No channel in Slack is called “#genral”, or this account cannot see it.",
    hint: "Did you mean #general?",
  });
});

test("a message without text, or longer than Slack accepts, is not sent", async () => {
  const send = (text: string) => refusal("slack.send_message", { channel: "#general", text }, listing);
  expect(await send(" \n ")).toMatchObject({ code: "INVALID_REQUEST", message: "The message must not be empty." });
  expect(await send("x".repeat(40_001))).toMatchObject({
    code: "INVALID_REQUEST",
    message: "The message has 40,001 characters; Slack accepts at most 40,000.",
  });
});

test("a reply goes into the thread of the message with the given words", async () => {
  const result = await run(
    "slack.reply",
    { channel: "general", message: "is it READY", text: "Yes" },
    listing,
    {
      request: `GET ${API}/conversations.history?channel=C0GENERAL1&limit=100`,
      json: {
        ok: true,
        messages: [
          { ts: "1700000300.000200", text: "other" },
          { ts: "1700000000.000100", text: "Is it ready?" },
        ],
      },
    },
    {
      request: `POST ${API}/chat.postMessage`,
      body: { channel: "C0GENERAL1", text: "Yes", thread_ts: "1700000000.000100" },
      json: { ok: true, channel: "C0GENERAL1", ts: "1700000400.000100" },
    },
  );
  expect(result.text).toBe(
    "Replied in #general.\n\nhttps://acme.slack.com/archives/C0GENERAL1/p1700000400000100?thread_ts=1700000000.000100&cid=C0GENERAL1",
  );
});

test("a reaction is added once; an existing one is not a failure", async () => {
  const newest: Expected = {
    request: `GET ${API}/conversations.history?channel=C0GENERAL1&limit=1`,
    json: { ok: true, messages: [{ ts: "1700000300.000200", text: "x" }] },
  };
  const add = {
    request: `POST ${API}/reactions.add`,
    body: { channel: "C0GENERAL1", timestamp: "1700000300.000200", name: "+1" },
  };
  const input = { channel: "general", emoji: "👍🏽" };
  expect((await run("slack.add_reaction", input, listing, newest, { ...add, json: { ok: true } })).data).toMatchObject({
    changed: true,
  });
  const again = await run("slack.add_reaction", input, listing, newest, {
    ...add,
    json: { ok: false, error: "already_reacted" },
  });
  expect([again.data, again.text.split("\n")[0]]).toEqual([
    expect.objectContaining({ changed: false }),
    "You had already reacted with :+1: in #general.",
  ]);
});

test("people are listed without bots and deactivated users, and found by part of their name", async () => {
  const all = await run("slack.list_users", {}, people);
  expect(all.text.split("\n").slice(0, 5)).toEqual([
    "3 people:",
    "",
    "| Name | Handle | Title | E-mail | Time zone |",
    "| --- | --- | --- | --- | --- |",
    "| Ann Archer | @ann | Engineer | ann@example.com | Europe/Berlin |",
  ]);
  const result = await run("slack.list_users", { name: "build" }, people);
  expect(result.data).toMatchObject({ people: [{ name: "Bob Builder", handle: "@bob" }], more: false });
  expect((await run("slack.list_users", { name: "zoe" }, people)).text).toBe("No one in Slack is called “zoe”.");
});

test("a call is described exactly before it is made", () => {
  expect(summary("slack.send_message", { channel: "general", text: "Hello\nall" })).toBe(
    "Send to #general: “Hello all”",
  );
  expect(summary("slack.send_message", { channel: "Bob Builder", text: "hi" })).toBe("Send to Bob Builder: “hi”");
  expect(summary("slack.reply", { channel: "#general", text: "ok" })).toBe(
    "Reply in #general to the newest message: “ok”",
  );
  expect(summary("slack.reply", { channel: "#general", message: "is it ready", text: "ok" })).toBe(
    "Reply in #general to the message that says “is it ready”: “ok”",
  );
  expect(summary("slack.add_reaction", { channel: "general", emoji: "thumbs up" })).toBe(
    "React with :+1: to the newest message in #general",
  );
  expect(summary("slack.read_channel", { channel: "general" })).toBe("Read #general");
  expect(summary("slack.list_users", {})).toBe("List the people in Slack");
});

// https://docs.slack.dev/apis/slack-connect/: users of other organizations; https://docs.slack.dev/apis/web-api/rate-limits/
test.each<[string, Omit<Expected, "request">, string]>([
  ["unknown to the workspace", { json: { ok: false, error: "user_not_found" } }, "Pat Partner"],
  ["whose lookup is limited", { status: 429, headers: { "retry-after": "1" }, json: { ok: false } }, "Pat Partner"],
])("a channel is read although it has an author %s", async (_, answer, author) => {
  const profile = { real_name: "Pat Partner", display_name: "pat", team: "T9" };
  const message = { type: "message", ts: "1700000000.000100", user: "W0EXTERN9", text: "hi", user_profile: profile };
  const lookup = { request: `GET ${API}/users.info?user=W0EXTERN9`, ...answer };
  const { data } = await run(
    "slack.read_channel",
    { channel: "#general" },
    listing,
    {
      request: `GET ${API}/conversations.history?channel=C0GENERAL1&limit=20`,
      json: { ok: true, messages: [message] },
    },
    ...(answer.status === 429 ? [lookup, lookup, lookup] : [lookup]),
  );
  expect(data).toMatchObject({ messages: [{ author, text: "hi" }] });
});

// https://docs.slack.dev/reference/objects/conversation-object/, https://docs.slack.dev/apis/slack-connect/
test.each<[string, ReturnType<typeof channel> | undefined, string]>([
  ["#general", GENERAL, ""],
  ["#ops", channel("C0OPSOPS03", "ops", { is_private: true }), "#ops, a private channel"],
  [
    "ACME",
    channel("C0ACMEAC04", "acme", { is_shared: true, is_ext_shared: true, is_private: true }),
    "#acme, a channel shared with another organization",
  ],
  ["#gone", undefined, "No channel in Slack is called “#gone”, or this account cannot see it."],
])("before a message, %s is looked up", async (name, row, description) => {
  const world = outside({
    request: LIST,
    json: { ok: true, channels: [RANDOM, ...(row ? [row] : [])], response_metadata: { next_cursor: "" } },
  });
  const tool = slack.tools.find((tool) => tool.name === "slack.send_message");
  const described = tool?.describeTarget?.(
    { channel: name.toLowerCase(), text: "hi" },
    contextOver(world, slack, TEAM),
  );
  expect(await described?.catch(({ message }) => message)).toBe(description);
  world.done();
});

test("a search for days names them as Slack does, and one for nothing is refused", async () => {
  const query = "in:#general after:2026-01-30 before:2026-02-05";
  const request = `GET ${decodeURI(`${API}/search.messages?query=${encodeURIComponent(query).replaceAll("%20", "+")}&count=20&sort=timestamp&sort_dir=desc`)}`;
  const json = { ok: true, query, messages: { total: 0, matches: [] } };
  const input = { text: "", channel: "#general", since: "2026-01-31", before: "2026-02-04T09:00:00" };
  expect((await run("slack.search_messages", input, { request, json })).text).toBe(
    "No messages in #general since 2026-01-31 before 2026-02-05.",
  );
  await expect(run("slack.search_messages", { text: " " })).rejects.toThrow(
    "Specify words, a channel, a user or a day",
  );
});
