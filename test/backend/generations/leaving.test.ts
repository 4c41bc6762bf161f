import { expect, test } from "vitest";
import * as z from "zod/mini";
import { findGeneration } from "#backend/store/generations";
import { defineTool } from "#connectors/tool";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask, follow } from "#test/turn";

const log: DeskLog = [];
let gate: Promise<void> = Promise.resolve();
const look = defineTool({
  name: "jira.draft",
  description: "Draft.",
  access: "read",
  mode: "confirm_after_execution",
  input: z.object({}),
  examples: [],
  summary: () => "Draft it",
  run: async () => ({ data: {}, text: "Dear Dana" }),
});
const { model, world } = useScriptedBackend({ services: deskServices(log, () => gate, [look]) });
const CLOSE = "POST https://api.atlassian.com/close/KAY-3";
const close = (id: string, issue = "KAY-3"): [string, string, object] => [id, "jira.close_issue", { issue }];
const never = () => new Promise<never>(() => {});
const everything = (token: string) =>
  world().call("PUT /policies", { token, body: { policies: [{ target: "*", mode: "everything" }] } });

test("G12 when the asking client leaves, the model is aborted, nothing more runs, and the next prompt starts at once", async () => {
  const { token } = await connect(world());
  await everything(token);
  const logLength = log.length;
  const calls = model.prompts.length;
  model.script({ text: ["I will", " close it"], meanwhile: never(), calls: [close("c1")] });
  const turn = await ask(world(), token, "close KAY-3");
  await turn.next("text-delta");
  await turn.close();
  await expect.poll(() => model.aborted).toContain(calls);
  model.script({ text: "Here." });
  const next = await ask(world(), token, "hello", { session_id: turn.session });
  await next.end();
  expect(next.text()).toBe("Here.");
  const all = await follow(world(), token, turn.session, "after=0&live=false");
  expect(await all.end()).toContain("abort");
  expect(all.parts.find(({ type }) => type === "abort")).toMatchObject({ reason: "The caller has disconnected." });
  expect(log.slice(logLength)).toEqual([]);
});

test("G12 the tools of the next step do not run once the asking client has left during this one", async () => {
  const { token } = await connect(world());
  await everything(token);
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  model.script({ calls: [close("c1")] }, { calls: [["c2", "jira.delete_issue", { issue: "KAY-3" }]] });
  world().outside.expect(CLOSE, json({}));
  const logLength = log.length;
  const turn = await ask(world(), token, "close and delete KAY-3");
  const id = (await turn.next("start")).messageMetadata?.generation_id as string;
  await turn.next("data-receipt");
  await turn.close();
  await expect.poll(async () => (await findGeneration(world().ports.db, id))?.cancel).toBeTruthy();
  resolve();
  const all = await follow(world(), token, turn.session);
  await all.next("abort");
  await all.close();
  expect(log.slice(logLength)).toEqual(["close KAY-3"]);
  expect(all.parts.filter(({ type }) => type === "tool-output-available")).toHaveLength(1);
});

test("G12 an open request stays open when everyone leaves, and can be answered later", async () => {
  const { token } = await connect(world());
  model.script({ calls: [close("c1")] }, { text: "Closed." });
  const turn = await ask(world(), token, "close KAY-3");
  const { interaction_id } = await turn.asked();
  await turn.until("awaiting_approval");
  await turn.close();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await world().backend.tick();
  world().outside.expect(CLOSE, json({}));
  const later = await follow(world(), token, turn.session);
  await later.answer(interaction_id, { action: "approve" });
  await later.next("finish");
  expect(later.text()).toBe("Closed.");
  await later.close();
});

test("G12 an approval after everyone left still runs, although nobody reads it", async () => {
  const { token } = await connect(world());
  model.script({ calls: [close("c1")] }, { text: "Closed." });
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  world().outside.expect(CLOSE, json({}));
  const turn = await ask(world(), token, "close KAY-3");
  const { interaction_id } = await turn.asked();
  await turn.until("awaiting_approval");
  await turn.close();
  await turn.answer(interaction_id, { action: "approve" });
  // Longer than the time after which work without followers stops.
  await new Promise((resolve) => setTimeout(resolve, 300));
  resolve();
  await expect.poll(() => world().backend.busy()).toBe(0);
  const all = await follow(world(), token, turn.session, "after=0&live=false");
  await all.end();
  expect(all.text()).toBe("Closed.");
  expect(all.parts.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
});

test("G12 a request sent just before the others count as gone is not stopped for them", async () => {
  const { token } = await connect(world());
  model.script({ text: "One." });
  const turn = await ask(world(), token, "one");
  await turn.end();
  const { promise, resolve } = Promise.withResolvers<void>();
  model.script({ text: ["Two", "."], meanwhile: promise });
  // Taken, and not read yet.
  const request = new Request(`${world().ports.publicUrl}/ask`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ prompt: "two", session_id: turn.session }),
  });
  const answer = await world().backend.fetch(request);
  await new Promise((resolve) => setTimeout(resolve, 300));
  resolve();
  expect(await answer.text()).not.toContain("The caller has disconnected.");
});

test("G12 another follower keeps it running", async () => {
  const { token } = await connect(world());
  const { promise, resolve } = Promise.withResolvers<void>();
  model.script({ text: ["One", " two"], meanwhile: promise });
  const turn = await ask(world(), token, "count");
  const other = await follow(world(), token, turn.session);
  await other.next("text-delta");
  await turn.close();
  await new Promise((resolve) => setTimeout(resolve, 300));
  resolve();
  await other.next("finish");
  expect(other.text()).toBe("One two");
  await other.close();
});

test("a new message stops a running stream first, closes its parts, and the model learns it", async () => {
  const { token } = await connect(world());
  model.script({ text: ["Let me", " think"], meanwhile: never() });
  const turn = await ask(world(), token, "think");
  await turn.next("text-delta");
  model.script({ text: "Hello." });
  const next = await ask(world(), token, "hello", { session_id: turn.session });
  await next.end();
  await turn.end();
  expect(turn.parts.at(-1)).toMatchObject({ type: "abort", reason: "A new message was sent instead." });
  const { messages } = model.prompts.at(-1) ?? { messages: [] };
  expect(messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
    ["user", "think"],
    ["assistant", expect.stringContaining("A new message was sent instead.")],
    ["user", "hello"],
  ]);
});

test("a new message declines an open approval, with the reason, and the model learns what was not done", async () => {
  const { token } = await connect(world());
  await world().call("PUT /policies", {
    token,
    body: { policies: [{ target: "jira.show_issue", mode: "everything" }] },
  });
  model.script({ calls: [close("c1"), ["c2", "jira.show_issue", { issue: "KAY-4" }], close("c3", "KAY-5")] });
  const turn = await ask(world(), token, "close KAY-3");
  await turn.until("awaiting_approval");
  model.script({ text: "Hello." });
  const next = await ask(world(), token, "hello", { session_id: turn.session });
  await next.end();
  await turn.end();
  const reason = "A new message was sent instead.";
  const ends = turn.parts.flatMap((part) => (part.type === "data-interaction-response" ? [part.data] : []));
  expect(ends).toMatchObject([
    { action: "deny", reason },
    { action: "deny", reason },
  ]);
  expect(turn.parts.filter(({ type }) => /^tool-output/.test(type))).toMatchObject([
    { type: "tool-output-available", toolCallId: "c2" },
    { type: "tool-output-denied", toolCallId: "c1", reason },
    { type: "tool-output-denied", toolCallId: "c3", reason },
  ]);
  const { messages } = model.prompts.at(-1) ?? { messages: [] };
  const results = messages.filter(({ role }) => role === "tool");
  expect(
    results.map((message) => [message.tool_call_id, /Not done: A new|Open/.exec(JSON.stringify(message))?.[0]]),
  ).toEqual([
    ["c1", "Not done: A new"],
    ["c2", "Open"],
    ["c3", "Not done: A new"],
  ]);
  expect((await world().call("GET /pending", { token })).body).toEqual({ pending: [] });
});

test("a call under review is reported as done when it is cancelled", async () => {
  const { token } = await connect(world());
  model.script({ calls: [["c1", "jira.draft", {}]] });
  const turn = await ask(world(), token, "draft it");
  await turn.until("awaiting_approval");
  model.script({ text: "Hello." });
  await (await ask(world(), token, "hello", { session_id: turn.session })).end();
  await turn.end();
  expect(turn.parts.find(({ type }) => /^tool-output/.test(type))).toMatchObject({ type: "tool-output-available" });
  expect(JSON.stringify(model.prompts.at(-1)?.messages)).toContain("Dear Dana");
});

test("queued messages run afterwards, in the order they were sent", async () => {
  const { token } = await connect(world());
  model.script({ calls: [close("c1")] }, { text: "First." }, { text: "Second." }, { text: "Third." });
  const first = await ask(world(), token, "close KAY-3");
  const { interaction_id } = await first.asked();
  await first.until("awaiting_approval");
  const queue = { session_id: first.session, when_busy: "queue" };
  const second = await ask(world(), token, "second", queue);
  world().clock.advance(1);
  const third = await ask(world(), token, "third", queue);
  await first.answer(interaction_id, { action: "deny" });
  await Promise.all([first.end(), second.end(), third.end()]);
  expect([first.text(), second.text(), third.text()]).toEqual(["First.", "Second.", "Third."]);
  const userMessages = (model.prompts.at(-1)?.messages ?? []).filter(({ role }) => role === "user");
  expect(userMessages.map(({ content }) => content)).toEqual(["close KAY-3", "second", "third"]);
});

test("messages sent at the same moment run in the order in which they were accepted", async () => {
  const { token } = await connect(world());
  const { promise, resolve } = Promise.withResolvers<void>();
  model.script({ text: ["0", "."], meanwhile: promise }, ...Array.from({ length: 6 }, () => ({ text: "ok" })));
  const first = await ask(world(), token, "0");
  await first.next("text-delta");
  const queued = [];
  for (const prompt of ["1", "2", "3", "4", "5", "6"])
    queued.push(await ask(world(), token, prompt, { session_id: first.session, when_busy: "queue" }));
  resolve();
  await Promise.all(queued.map((turn) => turn.end()));
  const userMessages = (model.prompts.at(-1)?.messages ?? []).filter(({ role }) => role === "user");
  expect(userMessages.map(({ content }) => content)).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
  await first.end();
});

test("N61 a detached request runs to its end, even if all its readers leave", async () => {
  const { token } = await connect(world());
  const { promise, resolve } = Promise.withResolvers<void>();
  model.script({ text: ["One", " two."], meanwhile: promise });
  const turn = await ask(world(), token, "count");
  const generation = (await turn.next("start")).messageMetadata?.generation_id;
  await turn.next("text-delta");
  const { body } = await world().call(`POST /generations/${generation}/detach`, { token });
  expect(body).toMatchObject({ status: "running" });
  await turn.close();
  const reader = await follow(world(), token, turn.session);
  await reader.next("text-delta");
  await reader.close();
  await new Promise((resolve) => setTimeout(resolve, 300));
  resolve();
  const all = await follow(world(), token, turn.session);
  await all.next("finish");
  expect(all.text()).toBe("One two.");
  await all.close();
  expect(await world().call(`POST /generations/${generation}/detach`, { token })).toMatchObject({
    status: 409,
    body: { code: "GENERATION_CLOSED" },
  });
});
