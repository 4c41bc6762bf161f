import { afterEach, beforeEach, expect, test } from "vitest";
import type { World } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";
import { ask as sqlAsk } from "#test/postgres-world";
import { useNodes } from "#test/scripted-backend";

const { database, model, start } = useNodes({ services: deskServices([]), clock: Date });
let a: World;
let b: World;

beforeEach(async () => {
  [a, b] = [start(), start()];
  await Promise.all([a, b].map(({ ports }) => ports.node.number()));
});
afterEach(() => expect(model.left()).toBe(0));

test("a node is ready until it drains; while draining it still answers and is healthy", async () => {
  expect(await a.call("GET /ready")).toMatchObject({ status: 200, body: { status: "ready" } });
  await a.backend.drain();
  expect(await a.call("GET /ready")).toMatchObject({ status: 503, body: { code: "NOT_READY" } });
  expect(await b.call("GET /ready")).toMatchObject({ status: 200 });
  expect(await a.call("GET /health")).toMatchObject({ status: 200, body: { status: "ok" } });
});

test("a node with tables older than itself is not ready", async () => {
  await sqlAsk(database().config, "update kysely_migration set name = '000' || name");
  try {
    expect(await a.call("GET /ready")).toMatchObject({ status: 503, body: { code: "NOT_READY" } });
  } finally {
    await sqlAsk(database().config, "update kysely_migration set name = substr(name, 4)");
  }
});

test("work of a draining node continues on another one after the step, and waiting callers get their answer", async () => {
  const { token } = await connect(a);
  const gate = Promise.withResolvers<void>();
  const here = await a.ports.node.number();
  const nodes: unknown[] = [];
  const recordNode = async () =>
    nodes.push(await sqlAsk(database().config, "select node from generations where finished_at is null"));
  model.script(
    async () => {
      await recordNode();
      await gate.promise;
      return { calls: [["c1", "jira.show_issue", { issue: "KAY-3" }]] };
    },
    async () => {
      await recordNode();
      return { text: "It is open." };
    },
  );
  const answer = a.call("POST /ask", { token, body: { prompt: "show KAY-3" } });
  await expect.poll(() => nodes.length).toBe(1);
  await a.backend.drain();
  gate.resolve();
  expect(await answer).toMatchObject({ status: 200, body: { status: "completed", message: "It is open." } });
  expect(nodes).toEqual([here, await b.ports.node.number()]);
});

test("requests to a draining node run on another one, and its stream follows", async () => {
  const { token } = await connect(a);
  await a.backend.drain();
  model.script({ text: "Hello." });
  const stream = await openStream(a, "POST /ask", token, { body: { prompt: "hello" } });
  await stream.end();
  expect(stream.text()).toBe("Hello.");
});

test("a node that is alone continues everything while it drains", async () => {
  const { token } = await connect(a);
  await b.ports.node.close();
  await a.backend.drain();
  model.script({ calls: [["c1", "jira.show_issue", { issue: "KAY-3" }]] }, { text: "It is open." });
  const answer = await a.call("POST /ask", { token, body: { prompt: "show KAY-3" } });
  expect(answer.body).toMatchObject({ status: "completed", message: "It is open." });
});
