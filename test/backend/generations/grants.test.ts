import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { ToolMode } from "#connectors/tool";
import { defineTool } from "#connectors/tool";
import type { Grant } from "#protocol/conversations";
import { NOON } from "#test/backend";
import { ATLASSIAN_TOKEN, BOB, callback, connect, expectAtlassian } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask, type Turn } from "#test/turn";

const log: DeskLog = [];
const Message = z.object({ channel: z.string(), text: z.string() });
const post = defineTool({
  name: "jira.post",
  description: "Post.",
  access: "write",
  input: Message,
  examples: [],
  summary: ({ channel, text }) => `Post “${text}” to ${channel}`,
  chooseMode: ({ text }): ToolMode | undefined => (/@everybody/.test(text) ? "confirm_before_execution" : undefined),
  resource: ({ channel }) => `to ${channel}`,
  run: async ({ channel, text }) => {
    log.push(`${channel}: ${text}`);
    return { data: {}, text: "Posted." };
  },
});
const remove = defineTool({
  name: "jira.remove_files",
  description: "Remove.",
  access: "write",
  input: z.looseObject({ files: z.array(z.string()) }),
  examples: [],
  summary: ({ files }) => `Remove ${files.length} files`,
  run: async (input) => {
    log.push(JSON.stringify(input));
    return { data: {}, text: "Removed." };
  },
});
const look = defineTool({
  name: "jira.draft",
  description: "Draft.",
  access: "write",
  mode: "confirm_after_execution",
  input: Message,
  examples: [],
  summary: ({ channel }) => `Draft for ${channel}`,
  run: async ({ channel, text }) => {
    log.push(`draft ${channel}`);
    return { data: {}, text: `Dear ${channel}, ${text}` };
  },
});
const { model, world } = useScriptedBackend({ services: deskServices(log, undefined, [post, remove, look]) });

let calls = 0;
/** Runs a turn with one call. Returns its request, if it asked. */
async function turn(token: string, tool: string, input: object, body: object = {}) {
  calls++;
  model.script({ calls: [[`c${calls}`, tool, input]] }, { text: "Done." });
  const stream = await ask(world(), token, "post hi and files", { ...body });
  for (;;) {
    const part = await stream.next("data-status");
    const { status } = part.data;
    if (status === "awaiting_approval") return { ...stream, request: await findRequest(stream) };
    if (status === "completed") return { ...stream, request: undefined };
  }
}

async function findRequest({ parts }: Turn) {
  return parts.flatMap((part) => (part.type === "data-interaction-request" ? [part.data] : [])).at(-1);
}

async function answerTurn(stream: Awaited<ReturnType<typeof turn>>, answer: object): Promise<void> {
  const { status } = await stream.answer(stream.request?.interaction_id ?? "", answer);
  expect(status).toBe(200);
  await stream.end();
}

const general = { channel: "#general", text: "hi" };

test("G05 an approval for the session covers the same arguments in any order, and no others", async () => {
  const { token } = await connect(world());
  const first = await turn(token, "jira.remove_files", { files: ["a,b"] });
  await answerTurn(first, { action: "approve", approval_scope: "session" });
  const session_id = first.session;
  for (const input of [{ files: ["a", "b"] }, { files: ["a,b"], force: true }]) {
    const other = await turn(token, "jira.remove_files", input, { session_id });
    expect(other.request?.prompt).toMatch(/^Remove \d files$/);
    await answerTurn(other, { action: "approve", approval_scope: "session" });
  }
  const again = await turn(token, "jira.remove_files", { force: true, files: ["a,b"] }, { session_id });
  expect(again.request).toBeUndefined();
});

test("G06 always covers what its text says: another channel, tool or account asks again", async () => {
  const { token, session } = await connect(world());
  const first = await turn(token, "jira.post", general);
  const words = "jira.post to #general as Ann Example";
  expect(first.request?.approval_scopes).toEqual([
    { scope: "once", words: "once" },
    { scope: "session", words: expect.stringContaining(`this session: ${words}`) },
    { scope: "always", words: expect.stringContaining(`always, for 90 days: ${words}`) },
  ]);
  await answerTurn(first, { action: "approve", approval_scope: "always" });
  const listed = (await world().call("GET /approvals", { token })).body.approvals;
  expect(listed).toMatchObject([{ scope: "always", tool: "jira.post", words: expect.stringContaining(words) }]);
  expect((await turn(token, "jira.post", { channel: "#general", text: "something else" })).request).toBeUndefined();
  for (const [tool, input] of [
    ["jira.post", { channel: "#random", text: "hi" }],
    ["jira.remove_files", { files: ["#general"] }],
    ["jira.post", { channel: "#general", text: "@everybody hi" }],
  ] as const) {
    const other = await turn(token, tool, input);
    expect(other.request).toBeDefined();
    await answerTurn(other, { action: "deny" });
  }
  const begun = await world().call("POST /connections/connect?service=jira", { body: { session_id: session }, token });
  expectAtlassian(world(), { account: BOB });
  await callback(world(), String(begun.body.state));
  const asBob = await turn(token, "jira.post", general);
  expect(asBob.request?.preview).toMatchObject({ account: expect.stringContaining("Bob Example") });
  await answerTurn(asBob, { action: "deny" });
});

test("G06 an approval for the session does not outlive it, one for always does until it is revoked", async () => {
  const { token, refreshToken } = await connect(world());
  const first = await turn(token, "jira.post", general);
  await answerTurn(first, { action: "approve", approval_scope: "session" });
  expect((await turn(token, "jira.post", general, { session_id: first.session })).request).toBeUndefined();
  const elsewhere = await turn(token, "jira.post", general);
  await answerTurn(elsewhere, { action: "approve", approval_scope: "always" });
  expect((await turn(token, "jira.post", general)).request).toBeUndefined();
  const { body } = await world().call("GET /approvals", { token });
  const grant = (body.approvals as Grant[]).find(({ scope }) => scope === "always");
  expect(grant?.last_used_at).toBe(new Date(NOON).toISOString());
  await world().call(`DELETE /approvals/${grant?.id}`, { token });
  const revoked = await turn(token, "jira.post", general);
  expect(revoked.request).toBeDefined();
  await answerTurn(revoked, { action: "deny" });
  world().clock.advance(86_400_000);
  const fresh = await world().call("POST /auth/refresh", { body: { refresh_token: refreshToken } });
  const tokens = {
    access_token: "jira-access-2",
    refresh_token: "jira-refresh-2",
    expires_in: 3600,
    token_type: "Bearer",
  };
  world().outside.expect(ATLASSIAN_TOKEN, json(tokens));
  const dayLater = await turn(String(fresh.body.token), "jira.post", general, { session_id: first.session });
  expect(dayLater.request).toBeDefined();
  await answerTurn(dayLater, { action: "deny" });
});

test("a denial counts for its call, even if a policy allows it by then", async () => {
  const { token } = await connect(world());
  const logLength = log.length;
  const asked = await turn(token, "jira.post", { ...general, text: "1" });
  await world().call("PUT /policies", { token, body: { policies: [{ target: "*", mode: "everything" }] } });
  await answerTurn(asked, { action: "deny" });
  expect(log.slice(logLength)).toEqual([]);
});

test("G06 an edited approval is saved for what was sent, not for what was shown", async () => {
  const { token } = await connect(world());
  const first = await turn(token, "jira.post", general);
  const edited_args = { channel: "#random", text: "hi" };
  await answerTurn(first, { action: "approve", approval_scope: "always", edited_args });
  expect(log.at(-1)).toBe("#random: hi");
  expect((await turn(token, "jira.post", { channel: "#random", text: "2" })).request).toBeUndefined();
  const shown = await turn(token, "jira.post", general);
  expect(shown.request).toBeDefined();
  await answerTurn(shown, { action: "deny" });
});

test("policies: ask asks for reads too and saves nothing, reads lets reads run, everything lets writes run", async () => {
  const { token } = await connect(world());
  const set = (mode: string | null) =>
    world().call("PUT /policies", { token, body: { policies: [{ target: "jira", mode }] } });
  await set("ask");
  const read = await turn(token, "jira.show_issue", { issue: "KAY-3" });
  expect(read.request?.approval_scopes).toEqual([{ scope: "once", words: "once" }]);
  await answerTurn(read, { action: "approve" });
  await set("reads");
  expect((await turn(token, "jira.show_issue", { issue: "KAY-3" })).request).toBeUndefined();
  const write = await turn(token, "jira.post", general);
  await answerTurn(write, { action: "deny" });
  await set("everything");
  expect((await turn(token, "jira.post", general)).request).toBeUndefined();
  expect((await turn(token, "jira.delete_issue", { issue: "KAY-3" })).request).toBeUndefined();
  const floor = await turn(token, "jira.post", { channel: "#general", text: "@everybody" });
  expect(floor.request).toBeDefined();
  await answerTurn(floor, { action: "deny" });
});

test("with confirm a stream asks before everything, whatever is saved", async () => {
  const { token } = await connect(world());
  const first = await turn(token, "jira.post", general);
  await answerTurn(first, { action: "approve", approval_scope: "always" });
  const strict = await turn(token, "jira.post", general, { confirm: true });
  expect(strict.request).toBeDefined();
  await answerTurn(strict, { action: "approve" });
  const read = await turn(token, "jira.show_issue", { issue: "KAY-3" }, { confirm: true });
  expect(read.request).toMatchObject({ prompt: "Read KAY-3" });
  await answerTurn(read, { action: "approve" });
});

test("a tool with a review runs once, shows its result, and continues after approval", async () => {
  const { token } = await connect(world());
  const logLength = log.length;
  const draft = await turn(token, "jira.draft", { channel: "Dana", text: "hello" });
  expect(draft.request).toMatchObject({
    prompt: "Draft for Dana. Use the result?",
    preview: { result: "Dear Dana, hello" },
    approval_scopes: [{ scope: "once", words: "use the result" }],
  });
  expect(log.slice(logLength)).toEqual(["draft Dana"]);
  await answerTurn(draft, { action: "approve" });
  expect(log.slice(logLength)).toEqual(["draft Dana"]);
  expect(JSON.stringify(model.prompts.at(-1)?.messages)).toContain("Dear Dana, hello");
});

test("a denial in a review undoes nothing, and tells the model that it was done but must not be used", async () => {
  const { token } = await connect(world());
  const logLength = log.length;
  const draft = await turn(token, "jira.draft", { channel: "Dana", text: "hello" });
  await answerTurn(draft, { action: "deny", reason: "too short" });
  expect(log.slice(logLength)).toEqual(["draft Dana"]);
  const messages = JSON.stringify(model.prompts.at(-1)?.messages);
  expect(messages).toContain("It was done (Draft for Dana), but the user does not want to use the result");
  expect(messages).toContain("too short");
});
