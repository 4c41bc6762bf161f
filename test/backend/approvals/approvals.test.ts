import { expect, test } from "vitest";
import {
  type GrantedCall,
  listGrants,
  noteGrantUse,
  peekApproval,
  rememberGrant,
  revokeGrant,
  revokeGrants,
  toGrantOffer,
} from "#backend/approvals/grants";
import { toAccount } from "#backend/approvals/scope";
import { createConversation } from "#backend/store/conversations";
import { insertInstallation } from "#backend/store/installations";
import type { ApprovalScope } from "#protocol/interactions";
import { NOON, useBackend } from "#test/backend";

const world = useBackend();
const DAY = 86_400_000;
const DANA = { id: '["slack","T1:U1"]', words: "Dana Demo" };
const GENERAL: GrantedCall = {
  tool: "slack.send_message",
  input: { channel: "#general", text: "hi" },
  resource: "to #general",
  account: DANA,
  access: "write",
};
const FILES: GrantedCall = { tool: "files.delete_files", input: { files: ["a,b"] }, access: "destructive" };

test("an offer says in exact words what would be saved", () => {
  const words = "slack.send_message to #general as Dana Demo";
  expect(toGrantOffer(GENERAL)).toEqual({
    tool: "slack.send_message",
    key: expect.any(String),
    exact: false,
    holdsTarget: false,
    words,
    account: "Dana Demo",
    scopes: [
      { scope: "once", words: "once" },
      { scope: "session", words: `this session: ${words}` },
      { scope: "always", words: `always, for 90 days: ${words}` },
    ],
  });
});

test("a change that cannot be undone is never offered for always, nor saved for it", async () => {
  const offer = toGrantOffer(FILES);
  expect(offer.scopes).toEqual([
    { scope: "once", words: "once" },
    { scope: "session", words: "this session: files.delete_files with exactly these arguments" },
  ]);
  const { installationId, conversationId } = await person();
  const remembered = rememberGrant(world().ports, { installationId, conversationId, scope: "always", offer });
  await expect(remembered).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect(await listGrants(world().ports, installationId)).toEqual([]);
});

test("the text of an offer stays on one line and hides nothing", () => {
  const hostile = {
    ...GENERAL,
    resource: "to #gen\u202eeral\r\n\u001b[2Jor\u200b to  all",
    account: { id: "1", words: "A\nB" },
  };
  expect(toGrantOffer(hostile).words).toBe("slack.send_message to #genU+202Eeral orU+200B to all as A B");
});

test("G05 an approval covers the same call with its arguments in any order, and no other call", async () => {
  const { installationId, conversationId, approve, asks } = await person();
  await approve(FILES, "session");
  const others: Record<string, unknown>[] = [
    { files: ["a", "b"] },
    { files: ["a,b"], force: true },
    { files: '["a,b"]' },
    { files: "a,b" },
    { files: [["a,b"]] },
    { files: ["a,b", null] },
    { Files: ["a,b"] },
    {},
  ];
  for (const input of others) expect([input, await asks({ ...FILES, input })]).toEqual([input, true]);
  expect(await asks(FILES)).toBe(false);
  const forced = { ...FILES, input: { force: true, files: ["a,b"], deep: { b: 1, a: [2] } } };
  await approve(forced, "session");
  expect(await asks({ ...FILES, input: { deep: { a: [2], b: 1 }, files: ["a,b"], force: true } })).toBe(false);
  expect(await asks({ ...FILES, input: { deep: { a: [2], b: 1 }, files: ["a,b"], force: false } })).toBe(true);
  expect(await asks({ ...FILES, tool: "files.delete_file" })).toBe(true);
  expect(await peekApproval(world().ports, { installationId, key: toGrantOffer(FILES).key })).toBeUndefined();
  expect(conversationId).toMatch(/^session_/);
});

test("G05 a resource is never mistaken for arguments, nor arguments for a resource", () => {
  const { resource: _, ...exact } = GENERAL;
  const keys = [
    toGrantOffer(GENERAL).key,
    toGrantOffer(exact).key,
    toGrantOffer({ ...exact, input: { resource: "to #general" } }).key,
    toGrantOffer({ ...GENERAL, resource: JSON.stringify(GENERAL.input) }).key,
    toGrantOffer({ ...exact, input: {} }).key,
    toGrantOffer({ ...GENERAL, resource: "{}" }).key,
    toGrantOffer({ ...exact, account: { id: "null", words: "" } }).key,
    toGrantOffer({ tool: exact.tool, input: exact.input, access: "write" }).key,
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(toGrantOffer({ ...GENERAL, resource: " " }).key).toBe(toGrantOffer(exact).key);
});

test("G06 always covers what its text says, in every session, and another channel, tool or account asks again", async () => {
  const { installationId, approve, asks, otherConversation } = await person();
  const grant = await approve(GENERAL, "always");
  expect(grant).toEqual({
    id: expect.stringMatching(/^approval_[0-9a-f]{16}$/),
    scope: "always",
    tool: "slack.send_message",
    words: "slack.send_message to #general as Dana Demo",
    account: "Dana Demo",
    created_at: new Date(NOON).toISOString(),
    expires_at: new Date(NOON + 90 * DAY).toISOString(),
    last_used_at: null,
  });
  const general = { ...GENERAL, input: { channel: "#general", text: "something else" } };
  expect(await asks(general)).toBe(false);
  expect(await asks(general, await otherConversation())).toBe(false);
  for (const other of [
    { ...GENERAL, resource: "to #random" },
    { ...GENERAL, resource: "to #General" },
    { ...GENERAL, tool: "slack.delete_message" },
    { ...GENERAL, account: { id: '["slack","T2:U1"]', words: "Dana Demo" } },
  ])
    expect(await asks(other)).toBe(true);
  const stranger = await person();
  expect(await stranger.asks(GENERAL)).toBe(true);
  const used = { ...grant, last_used_at: new Date(NOON).toISOString() };
  expect(await listGrants(world().ports, installationId)).toEqual([used]);
  expect(await revokeGrant(world().ports, installationId, grant?.id ?? "")).toEqual(used);
  expect(await asks(general)).toBe(true);
  expect(await listGrants(world().ports, installationId)).toEqual([]);
});

test("G06 another workspace of the same person is another account", () => {
  const grant = {
    provider: "slack",
    account_id: "T1:U1",
    user: { name: "Dana Demo" },
    metadata: { workspace: "acme" },
  };
  const account = toAccount(grant);
  expect(account.words).toBe("Dana Demo (acme)");
  expect(toAccount({ ...grant, metadata: { workspace: "globex" } }).id).not.toBe(account.id);
  expect(toAccount({ ...grant, account_id: "T2:U1" }).id).not.toBe(account.id);
  expect(toAccount({ ...grant, provider: "notion" }).id).not.toBe(account.id);
  expect(toAccount({ ...grant, user: { email: "dana@example.test" } })).toEqual({
    id: account.id,
    words: "dana@example.test (acme)",
  });
  expect(toAccount({ ...grant, user: {}, metadata: {} }).words).toBe("T1:U1");
});

test("G06 an approval for a session ends with it, and after a day", async () => {
  const { installationId, conversationId, approve, asks, otherConversation } = await person();
  expect(await approve(GENERAL, "session")).toMatchObject({
    scope: "session",
    session_id: conversationId,
    expires_at: new Date(NOON + DAY).toISOString(),
  });
  expect(await asks(GENERAL)).toBe(false);
  expect(await asks(GENERAL, await otherConversation())).toBe(true);
  world().clock.advance(DAY - 1);
  expect(await asks(GENERAL)).toBe(false);
  world().clock.advance(1);
  expect(await asks(GENERAL)).toBe(true);
  expect(await listGrants(world().ports, installationId)).toEqual([]);
  await approve(GENERAL, "session");
  await world().ports.db.deleteFrom("conversations").where("id", "=", conversationId).execute();
  expect(await listGrants(world().ports, installationId)).toEqual([]);
  await expect(approve(GENERAL, "session")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
});

test("always is 90 days, and a repetition restarts them", async () => {
  const { installationId, approve, asks } = await person();
  const first = await approve(GENERAL, "always");
  world().clock.advance(60 * DAY);
  const second = await approve(GENERAL, "always");
  expect((await listGrants(world().ports, installationId)).map(({ id }) => id)).toEqual([second?.id]);
  expect(second?.id).not.toBe(first?.id);
  world().clock.advance(89 * DAY);
  expect(await asks(GENERAL)).toBe(false);
  world().clock.advance(DAY);
  expect(await asks(GENERAL)).toBe(true);
});

test("the same approval given twice at once is stored once, and removed when it is revoked", async () => {
  const { installationId, approve, asks } = await person();
  await Promise.all(Array.from({ length: 5 }, () => approve(GENERAL, "always")));
  const [only, ...others] = await listGrants(world().ports, installationId);
  expect(others).toEqual([]);
  await revokeGrant(world().ports, installationId, only?.id ?? "");
  expect(await asks(GENERAL)).toBe(true);
});

test("once is not saved", async () => {
  const { installationId, approve, asks } = await person();
  expect(await approve(GENERAL, "once")).toBeUndefined();
  expect(await asks(GENERAL)).toBe(true);
  expect(await listGrants(world().ports, installationId)).toEqual([]);
});

test("an approval that is unknown, expired or another user's cannot be revoked", async () => {
  const ann = await person();
  const bob = await person();
  const grant = await ann.approve(GENERAL, "session");
  const missing = { code: "APPROVAL_NOT_FOUND", message: "No approval has this ID." };
  await expect(revokeGrant(world().ports, bob.installationId, grant?.id ?? "")).rejects.toMatchObject(missing);
  await expect(revokeGrant(world().ports, ann.installationId, "approval_\u0000")).rejects.toMatchObject(missing);
  expect(await ann.asks(GENERAL)).toBe(false);
  world().clock.advance(DAY);
  await expect(revokeGrant(world().ports, ann.installationId, grant?.id ?? "")).rejects.toMatchObject(missing);
});

test("all approvals of a tool, of a service, or all together are revoked at once", async () => {
  const { installationId, approve } = await person();
  const all = async () => {
    await approve(GENERAL, "always");
    await approve({ ...GENERAL, tool: "slack.send_message_later" }, "always");
    await approve({ ...GENERAL, tool: "slackbot.send" }, "always");
  };
  const revokeTarget = async (target: string) =>
    (await revokeGrants(world().ports, installationId, target)).map(({ tool }) => tool).sort();
  await all();
  expect(await revokeTarget("slack.send_message")).toEqual(["slack.send_message"]);
  await all();
  expect(await revokeTarget("slack")).toEqual(["slack.send_message", "slack.send_message_later"]);
  await all();
  expect(await revokeTarget("*")).toEqual(["slack.send_message", "slack.send_message_later", "slackbot.send"]);
  expect(await revokeTarget("*")).toEqual([]);
});

/** Creates a new user with a conversation who approves calls, and whose calls ask or not. */
async function person() {
  const { ports } = world();
  const installationId = `kaysession_${crypto.randomUUID()}`;
  await insertInstallation(ports.db, installationId, new Date(ports.clock.now()));
  const otherConversation = () =>
    createConversation(ports.db, { installationId, interactive: true, title: "A title", now: ports.clock.now() });
  const conversationId = await otherConversation();
  return {
    installationId,
    conversationId,
    otherConversation,
    approve: (call: GrantedCall, scope: ApprovalScope) =>
      rememberGrant(ports, { installationId, conversationId, scope, offer: toGrantOffer(call) }),
    asks: async (call: GrantedCall, where = conversationId) => {
      const query = { installationId, conversationId: where, key: toGrantOffer(call).key };
      const saved = await peekApproval(ports, query);
      return saved === undefined || (await noteGrantUse(ports, saved)) === undefined;
    },
  };
}
