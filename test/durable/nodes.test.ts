import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { World } from "#test/backend";
import { begin, callback, connect, expectAtlassian } from "#test/consent";
import { deskServices } from "#test/desk";
import { openStream, type TestStream } from "#test/event-stream";
import { json } from "#test/outside";
import { ask as sqlAsk } from "#test/postgres-world";
import { useNodes } from "#test/scripted-backend";

const CLOSE = "POST https://api.atlassian.com/close/KAY-3";
const { database, model, start } = useNodes({ services: deskServices([]), clock: Date, leaveMs: 300 }, { tickMs: 100 });
let a: World;
let b: World;

beforeEach(() => {
  [a, b] = [start(), start()];
});
afterEach(() => expect(model.left()).toBe(0));

const prompt = (world: World, token: string, body: object = {}) =>
  openStream(world, "POST /ask", token, { body: { prompt: "close KAY-3", ...body } });
const follow = (world: World, token: string, session: unknown, after = 0) =>
  openStream(world, `GET /sessions/${session}/events?after=${after}`, token);
const getSessionId = (stream: TestStream) => stream.headers.get("kay-session-id");
const closeCall = { calls: [["c1", "jira.close_issue", { issue: "KAY-3" }] as [string, string, object]] };

test("what one node writes is followed at the other with little delay", async () => {
  const { token } = await connect(a);
  const gate = Promise.withResolvers<void>();
  model.script(async () => {
    await gate.promise;
    return { text: ["Hel", "lo."] };
  });
  const stream = await prompt(a, token);
  const other = await follow(b, token, getSessionId(stream));
  await other.next("data-status");
  gate.resolve();
  await stream.next("text-delta");
  const began = performance.now();
  await other.next("text-delta");
  expect(performance.now() - began).toBeLessThan(500);
  await other.next("finish");
  await stream.end();
  expect(other.parts.map(({ number }) => number)).toEqual(stream.parts.map(({ number }) => number));
  await other.close();
});

test("an approval is answered at another node than the one that asked it, once", async () => {
  const { token } = await connect(a);
  model.script(closeCall, { text: "Closed." });
  const stream = await prompt(a, token);
  const { data } = await stream.next("data-interaction-request");
  await stream.next("data-status");
  a.outside.expect(CLOSE, json({}));
  const where = `POST /sessions/${getSessionId(stream)}/interactions/${data.interaction_id}`;
  const answers = await Promise.all(
    [a, b, b, a].map((world) => world.call(where, { token, body: { action: "approve" } })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  await stream.end();
  expect(stream.text()).toBe("Closed.");
  expect(a.outside.sent.filter(({ url }) => url.includes("/close/"))).toHaveLength(1);
});

test("a generation is canceled at another node than the one that runs it", async () => {
  const { token } = await connect(a);
  model.script(() => new Promise(() => {}));
  const stream = await prompt(a, token);
  const { messageMetadata } = await stream.next("start");
  await stream.next("start-step");
  const began = performance.now();
  expect((await b.call(`POST /generations/${messageMetadata?.generation_id}/cancel`, { token })).status).toBe(200);
  await stream.end();
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(stream.parts.at(-1)).toMatchObject({ type: "abort", reason: "The user cancelled it." });
});

test("a connection made at one node lets the other's generation continue, with the same call", async () => {
  const { token, session } = await connect(a);
  await a.call("POST /connections/disconnect?service=jira", { token });
  model.script(closeCall, { text: "Closed." });
  const stream = await prompt(a, token);
  await stream.next("data-auth-needed");
  await stream.next("data-status");
  const { state } = await begin(b, { session_id: session });
  expectAtlassian(b);
  expect((await callback(b, state)).status).toBe(200);
  const { data } = await stream.next("data-interaction-request");
  b.outside.expect(CLOSE, json({}));
  await b.call(`POST /sessions/${getSessionId(stream)}/interactions/${data.interaction_id}`, {
    token,
    body: { action: "approve" },
  });
  await stream.end();
  expect(stream.text()).toBe("Closed.");
});

test("a reader at one node keeps a generation running on another, although nobody reads there", async () => {
  const { token } = await connect(a);
  const gate = Promise.withResolvers<void>();
  model.script(async () => {
    await gate.promise;
    return { text: "Still here." };
  });
  const stream = await prompt(a, token);
  await stream.next("start-step");
  const other = await follow(b, token, getSessionId(stream));
  await other.next("start-step");
  await stream.close();
  await pause(600);
  gate.resolve();
  await other.next("finish");
  expect(other.text()).toBe("Still here.");
  await other.close();
});

test("the second of two questions continues at another node when its own is gone", async () => {
  const { token } = await connect(a);
  model.script({ text: "One." });
  const stream = await prompt(a, token);
  await stream.end();
  const session = getSessionId(stream);
  const { db } = database();
  const generation = (await b.call(`GET /sessions/${session}`, { token })).body;
  expect(generation).toMatchObject({ status: "completed" });
  // As left by a node that was killed after the first ended and before the second began.
  const row = await db
    .selectFrom("generations")
    .selectAll()
    .where("conversation_id", "=", String(session))
    .executeTakeFirstOrThrow();
  model.script({ text: "Two." });
  const later = {
    ...row,
    id: "gen_second",
    status: "paused" as const,
    finished_at: null,
    steps: 0,
    step: null,
    auth: null,
    request: null,
    progress: null,
  };
  const options = JSON.stringify({ ...(row.options as object), prompt: "two", seen: undefined });
  await db
    .insertInto("generations")
    .values({ ...later, options, created_at: new Date(), wake_at: null })
    .execute();
  const other = await follow(b, token, session, stream.parts.at(-1)?.number);
  await other.next("finish");
  expect(other.text()).toBe("Two.");
  await other.close();
});

test("all connections of the database are lost: generations continue, and nothing is repeated", async () => {
  const { token } = await connect(a);
  model.script(closeCall, { text: ["The issue ", "is closed."] });
  const stream = await prompt(a, token);
  const { data } = await stream.next("data-interaction-request");
  await stream.next("data-status");
  await stream.close();
  const session = getSessionId(stream);
  const gate = Promise.withResolvers<void>();
  model.script();
  a.outside.expect(CLOSE, json({}));
  const terminate = `select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  await sqlAsk(database().config, terminate);
  gate.resolve();
  const answer = async () =>
    (
      await b.call(`POST /sessions/${session}/interactions/${data.interaction_id}`, {
        token,
        body: { action: "approve" },
      })
    ).status;
  for (let tries = 20; tries > 0 && ![200, 409].includes(await answer().catch(() => 0)); tries--) {
    await pause(50);
    await sqlAsk(database().config, terminate);
  }
  const other = await follow(b, token, session, 0);
  await other.next("finish");
  expect(other.text()).toBe("The issue is closed.");
  expect(a.outside.sent.filter(({ url }) => url.includes("/close/"))).toHaveLength(1);
  expect(other.parts.map(({ number }) => number)).toEqual(other.parts.map((_, index) => index + 1));
  await other.close();
});

test("a node that has ended refuses streams and requests before any work begins, and the other node takes them", async () => {
  const { token } = await connect(a);
  model.script({ text: "Hello." });
  const first = await prompt(a, token, { prompt: "hello" });
  await first.end();
  await a.backend.close();
  const headers = { accept: "text/event-stream", "idempotency-key": "k1" };
  const events = `/sessions/${getSessionId(first)}/events`;
  for (const refused of [
    await a.call(`GET ${events}`, { token, headers }),
    await a.call("POST /ask", { token, headers, body: { prompt: "hello" } }),
    await a.call("POST /ask", { token, headers: { "idempotency-key": "k1" }, body: { prompt: "hello" } }),
  ]) {
    expect([refused.status, refused.body.code]).toEqual([503, "NOT_READY"]);
    expect(refused.headers.get("retry-after")).toBe("1");
  }
  expect((await b.call("GET /requests/k1", { token })).status).toBe(404);
  const other = await follow(b, token, getSessionId(first));
  await other.next("finish");
  await other.close();
});
