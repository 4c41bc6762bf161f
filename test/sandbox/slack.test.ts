import { expect, test } from "vitest";
import { parseSeed } from "#sandbox/seed";
import { SLACK, sandbox } from "./stand-in.ts";

const SCOPES =
  "channels:read,channels:history,groups:read,groups:history,im:read,im:history,im:write,chat:write,reactions:write,search:read,users:read,users:read.email";
const [DANA, SAM, GENERAL, RELEASES, INCIDENTS] = [
  "U0DANADEM1",
  "U0SAMSAMP2",
  "C0GENERAL1",
  "C0RELEASE3",
  "C0INCIDEN5",
];

async function signIn(scope = SCOPES, account?: string, world = sandbox()) {
  const { call, token, refresh } = await world.signIn("slack", scope, account);
  const api = async (method: string, args: Record<string, string> = {}) =>
    (await call(`/api/${method}?${new URLSearchParams(args)}`)).body;
  const post = async (method: string, json: Record<string, unknown>) =>
    (await call(`/api/${method}`, { method: "POST", json })).body;
  return { call, api, post, token, refresh, world };
}

test("a code returns the user's tokens in authed_user, a refresh returns them beside it and spends its token", async () => {
  const world = sandbox();
  const first = (await world.tokens("slack", "chat:write,users:read")).body;
  expect(first).toEqual({
    ok: true,
    app_id: expect.any(String),
    enterprise: null,
    is_enterprise_install: false,
    authed_user: {
      id: DANA,
      access_token: expect.stringMatching(/^xoxe\.xoxp-1-/),
      refresh_token: expect.stringMatching(/^xoxe-1-/),
      token_type: "user",
      scope: "chat:write,users:read",
      expires_in: 43_200,
    },
  });
  const again = () =>
    world.exchange("slack", { grant_type: "refresh_token", refresh_token: first.authed_user.refresh_token });
  expect((await again()).body).toMatchObject({ ok: true, access_token: expect.any(String), token_type: "user" });
  const spent = await again();
  expect([spent.status, spent.body]).toEqual([200, { ok: false, error: "invalid_refresh_token" }]);
  const refused = await world.exchange("slack", { grant_type: "authorization_code", code: "x", redirect_uri: "y" });
  expect([refused.status, refused.body]).toEqual([200, { ok: false, error: "invalid_code" }]);
});

test("failures have status 200: no token, a wrong one, a missing scope, an unknown method", async () => {
  const { call, world } = await signIn("users:read");
  const ask = async (path: string, token?: string) => {
    const { status, body } = await (token === undefined ? world.ask("slack", path) : call(path, { token }));
    return [status, body];
  };
  expect(await ask("/api/auth.test")).toEqual([200, { ok: false, error: "not_authed" }]);
  expect(await ask("/api/auth.test", "xoxp-other")).toEqual([200, { ok: false, error: "invalid_auth" }]);
  const { body, headers } = await call("/api/chat.postMessage", { method: "POST", json: {} });
  expect(body).toEqual({ ok: false, error: "missing_scope", needed: "chat:write", provided: "users:read" });
  expect([headers.get("x-oauth-scopes"), headers.get("x-accepted-oauth-scopes")]).toEqual(["users:read", "chat:write"]);
  expect((await call("/api/admin.everything")).body).toMatchObject({ ok: false, error: "unknown_method" });
});

test("the account, and the people with their addresses only with the scope", async () => {
  const { api } = await signIn();
  expect(await api("auth.test")).toEqual({
    ok: true,
    url: `${SLACK}/`,
    team: "Kay Demo",
    user: "dana",
    team_id: "T0KAYDEMO1",
    user_id: DANA,
    is_enterprise_install: false,
  });
  expect((await api("users.info", { user: SAM })).user).toMatchObject({
    real_name: "Sam Sample",
    profile: { email: "sam@example.com" },
  });
  expect((await api("users.lookupByEmail", { email: "SAM@example.com" })).user.id).toBe(SAM);
  expect(await api("users.info", { user: "U0NOBODY00" })).toEqual({ ok: false, error: "user_not_found" });
  const limited = await signIn("users:read");
  expect((await limited.api("users.info", { user: SAM })).user.profile).not.toHaveProperty("email");
});

test("channels are listed by type and page, and private ones only to their members", async () => {
  const { api } = await signIn();
  const names = (body: { channels: { name: string }[] }) => body.channels.map(({ name }) => name);
  expect(names(await api("conversations.list", { exclude_archived: "true" }))).toEqual([
    "general",
    "engineering",
    "releases",
    "random",
  ]);
  expect(names(await api("conversations.list", { types: "private_channel" }))).toEqual(["incidents"]);
  const first = await api("conversations.list", { limit: "3" });
  const second = await api("conversations.list", { limit: "3", cursor: first.response_metadata.next_cursor });
  expect([names(first), names(second), second.response_metadata.next_cursor]).toEqual([
    ["general", "engineering", "releases"],
    ["random", "old-website"],
    "",
  ]);
  expect(await api("conversations.list", { cursor: "x" })).toEqual({ ok: false, error: "invalid_cursor" });
  const mia = await signIn(SCOPES, "Mia Chen");
  expect(names(await mia.api("conversations.list", { types: "public_channel,private_channel" }))).not.toContain(
    "incidents",
  );
  expect(await mia.api("conversations.history", { channel: INCIDENTS })).toEqual({
    ok: false,
    error: "channel_not_found",
  });
  const few = await signIn("channels:read");
  expect(await few.api("conversations.list", { types: "im" })).toMatchObject({
    error: "missing_scope",
    needed: "im:read",
  });
  expect(await few.api("conversations.history", { channel: GENERAL })).toMatchObject({ needed: "channels:history" });
});

test("history is newest first and paged, threads are oldest first", async () => {
  const { api } = await signIn();
  const first = await api("conversations.history", { channel: GENERAL, limit: "2" });
  expect([first.messages.length, first.has_more]).toEqual([2, true]);
  expect(first.messages[0].text).toContain("KAY-1");
  const rest = await api("conversations.history", {
    channel: GENERAL,
    limit: "2",
    cursor: first.response_metadata.next_cursor,
  });
  expect([rest.messages.length, rest.has_more]).toEqual([1, false]);
  const root = first.messages[1];
  expect(root).toMatchObject({ reply_count: 1, thread_ts: root.ts });
  const thread = await api("conversations.replies", { channel: GENERAL, ts: root.ts });
  expect(thread.messages.map(({ user }: { user: string }) => user)).toEqual([SAM, DANA]);
  expect((await api("conversations.history", { channel: GENERAL, oldest: root.ts })).messages).toHaveLength(1);
});

test("a message is posted, answered in its thread, reacted to once, and found", async () => {
  const { api, post, world } = await signIn();
  const message = await post("chat.postMessage", { channel: GENERAL, text: "Ship it <now>" });
  expect(message).toMatchObject({
    ok: true,
    warning: "missing_charset",
    channel: GENERAL,
    message: { user: DANA, text: "Ship it <now>" },
  });
  const reply = await post("chat.postMessage", { channel: "#general", text: "Done", thread_ts: message.ts });
  expect(reply.message.thread_ts).toBe(message.ts);
  expect(reply.ts > message.ts).toBe(true);
  const reaction = { channel: GENERAL, timestamp: message.ts, name: "rocket" };
  expect(await post("reactions.add", reaction)).toMatchObject({ ok: true });
  expect(await post("reactions.add", reaction)).toEqual({ ok: false, error: "already_reacted" });
  const [newest] = (await api("conversations.history", { channel: GENERAL, limit: "1" })).messages;
  expect(newest).toMatchObject({ reply_count: 1, reactions: [{ name: "rocket", users: [DANA], count: 1 }] });
  const results = await api("search.messages", { query: "ship in:#general from:me" });
  expect(results.messages).toMatchObject({
    total: 1,
    matches: [{ ts: message.ts, permalink: expect.stringContaining(`${SLACK}/archives/${GENERAL}/p`) }],
  });
  const page = await world.ask("slack", results.messages.matches[0].permalink);
  expect([page.status, page.text.includes("Ship it &lt;now&gt;")]).toEqual([200, true]);
});

test.each([
  [{ channel: RELEASES, text: "x" }, "not_in_channel"],
  [{ channel: "C0OLDWEBS6", text: "x" }, "is_archived"],
  [{ channel: "C0NOTHERE9", text: "x" }, "channel_not_found"],
  [{ channel: GENERAL, text: " " }, "no_text"],
  [{ channel: GENERAL, text: "x".repeat(40_001) }, "msg_too_long"],
  [{ channel: GENERAL, text: "x", thread_ts: "1.1" }, "thread_not_found"],
])("a message that cannot be posted is refused (%#)", async (json, error) => {
  const { post } = await signIn();
  expect(await post("chat.postMessage", json)).toEqual({ ok: false, error });
});

test("a direct message is opened once and visible only to its two users", async () => {
  const { api, post, world } = await signIn();
  const opened = await post("conversations.open", { users: "U0MIACHEN3" });
  expect((await post("conversations.open", { users: "U0MIACHEN3" })).channel).toEqual(opened.channel);
  await post("chat.postMessage", { channel: opened.channel.id, text: "psst" });
  const sam = await signIn(SCOPES, "Sam Sample", world);
  expect((await sam.api("search.messages", { query: "psst" })).messages.total).toBe(0);
  expect((await api("search.messages", { query: "psst" })).messages.matches[0]).toMatchObject({
    type: "im",
    channel: { name: "U0MIACHEN3" },
  });
  expect(await post("conversations.open", { users: "U0RELEASE4" })).toEqual({ ok: false, error: "cannot_dm_bot" });
});

test("a seed is filled in, and a saved world is one", async () => {
  const text =
    "slack: { users: [{ name: ada, real_name: Ada Byron }], channels: [{ name: engine, messages: [{ user: ada, text: hi, ts: -1h }] }] }";
  const world = sandbox({ seed: parseSeed(text, "world.yaml") });
  const { api } = await signIn(SCOPES, undefined, world);
  const [engine] = (await api("conversations.list")).channels;
  expect(engine).toMatchObject({ name: "engine", is_member: true, num_members: 1 });
  const { body } = await world.ask("slack", "/_sandbox/state");
  expect((await world.ask("slack", "/_sandbox/state", { method: "PUT", json: body })).status).toBeLessThan(300);
  expect((await api("conversations.history", { channel: engine.id })).messages).toMatchObject([{ text: "hi" }]);
  expect(() =>
    parseSeed("slack: { users: [{ name: a, real_name: A }], channels: [{ name: c, members: [bob] }] }", "w"),
  ).toThrow('The seed w is wrong at slack.channels[0].members[0]: there is no user "bob".');
});
