import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createNode, type Node } from "#backend/store/node";
import { createWorld, type World } from "#test/backend";
import { connect } from "#test/consent";
import { testDatabase, useDatabase } from "#test/database";
import { deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";
import { ask as sqlAsk } from "#test/postgres-world";
import { scriptedModel } from "#test/scripted-model";

const database = useDatabase();
const outside = { world: undefined as World | undefined };
const model = scriptedModel((url, init) => (outside.world as World).outside.fetch(url, init));
const nodes: Node[] = [];
let a: World;
let b: World;

beforeAll(async () => {
  for (let count = 0; count < 2; count++) nodes.push(createNode(database().config, () => {}));
  await Promise.all(nodes.map((node) => node.number()));
});
afterAll(async () => {
  for (const node of nodes) await node.close();
});
beforeEach(() => {
  const { db } = database();
  const [first, second] = nodes as [Node, Node];
  const common = { services: deskServices([]), ...model.ports, clock: Date };
  a = createWorld({ db, node: first, ...common });
  b = createWorld({ db, node: second, ...common });
  outside.world = a;
});
afterEach(async () => {
  await Promise.all([a.backend.close(), b.backend.close()]);
  expect(model.left()).toBe(0);
});

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
  const here = await nodes[0]?.number();
  const at: unknown[] = [];
  const claimed = async () =>
    at.push(await sqlAsk(database().config, "select node from generations where finished_at is null"));
  model.script(
    async () => {
      await claimed();
      await gate.promise;
      return { calls: [["c1", "jira.show_issue", { issue: "KAY-3" }]] };
    },
    async () => {
      await claimed();
      return { text: "It is open." };
    },
  );
  const answer = a.call("POST /ask", { token, body: { prompt: "show KAY-3" } });
  await expect.poll(() => at.length).toBe(1);
  await a.backend.drain();
  gate.resolve();
  expect(await answer).toMatchObject({ status: 200, body: { status: "completed", message: "It is open." } });
  expect(at).toEqual([here, await nodes[1]?.number()]);
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
  const { db, config, drop } = await testDatabase();
  const node = createNode(config, () => {});
  const lone = createWorld({ db, node, services: deskServices([]), ...model.ports, clock: Date });
  outside.world = lone;
  try {
    const { token } = await connect(lone);
    await lone.backend.drain();
    model.script({ calls: [["c1", "jira.show_issue", { issue: "KAY-3" }]] }, { text: "It is open." });
    const answer = await lone.call("POST /ask", { token, body: { prompt: "show KAY-3" } });
    expect(answer.body).toMatchObject({ status: "completed", message: "It is open." });
  } finally {
    await lone.backend.close();
    await node.close();
    await drop();
  }
});
