import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { createNode, type Node } from "#backend/store/node";
import { connectWakeUps, runTransaction, wake } from "#backend/store/wake-ups";
import { useDatabase } from "#test/database";

const database = useDatabase();
const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function openNode() {
  const node = createNode(database().config, () => {});
  opened.push(node.close);
  await node.number();
  return node;
}

/** The notifications of a node, and a wait for one more. */
function listen(node: Node) {
  const heard: string[] = [];
  let next = () => {};
  node.on("events", (id) => {
    heard.push(id);
    next();
  });
  const until = async (id: string) => {
    while (!heard.includes(id)) await new Promise<void>((resolve) => (next = resolve));
  };
  return { heard, until };
}

test("a published ID reaches every other node once, however often it was published, and its own node at once", async () => {
  const [a, b] = [await openNode(), await openNode()];
  const [here, there] = [listen(a), listen(b)];
  for (const id of ["one", "two", "one", "one"]) a.publish([{ topic: "events", id }]);
  expect(here.heard).toEqual(["one", "two", "one", "one"]);
  await there.until("two");
  a.publish([{ topic: "events", id: "last" }]);
  await there.until("last");
  expect(there.heard).toEqual(["one", "two", "last"]);
  // Its own notifications are ignored.
  b.publish([{ topic: "events", id: "answer" }]);
  await here.until("answer");
  expect(here.heard).toEqual(["one", "two", "one", "one", "last", "answer"]);
});

test("a node that is alone collects its notifications, and sends them once another one starts", async () => {
  const a = await openNode();
  a.publish([{ topic: "events", id: "before" }]);
  const b = await openNode();
  const there = listen(b);
  a.publish([{ topic: "events", id: "after" }]);
  await there.until("after");
});

test("a node sends its last notifications before it ends", async () => {
  const [a, b] = [await openNode(), await openNode()];
  const there = listen(b);
  a.publish([{ topic: "events", id: "last" }]);
  await a.close();
  await there.until("last");
});

test("nodes of an earlier version receive this one's notifications, and the reverse", async () => {
  const a = await openNode();
  const here = listen(a);
  const older = new pg.Client(database().config);
  await older.connect();
  opened.push(() => older.end());
  await older.query(`select pg_advisory_lock(${0x6b6179}, 1000000)`);
  const heard = new Promise((resolve) =>
    older.on("notification", ({ channel, payload }) => resolve([channel, payload])),
  );
  await older.query("listen kay_events; listen kay_generation");
  a.publish([{ topic: "events", id: "session_1" }]);
  expect(await heard).toEqual(["kay_events", "session_1"]);
  await older.query("select pg_notify('kay_events', 'session_2')");
  await here.until("session_2");
});

test("a change in a transaction is published after its commit, without a NOTIFY in it; a rolled-back one as a doubt", async () => {
  const published: object[] = [];
  const db = connectWakeUps(database().db, { publish: (all) => published.push(...all) });
  const event = { number: 1, generationId: null, part: { type: "start" as const }, at: new Date(0) };
  await runTransaction(db, async (tx) => {
    wake(tx, { topic: "events", id: "c", events: [event] });
    wake(tx, { topic: "generation", id: "g" });
    expect(published).toEqual([]);
  });
  expect(published.splice(0)).toEqual([
    { topic: "events", id: "c", events: [event] },
    { topic: "generation", id: "g" },
  ]);
  const failing = runTransaction(db, async (tx) => {
    wake(tx, { topic: "events", id: "c", events: [event] });
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(published).toEqual([{ topic: "events", id: "c" }]);
  const bare = db.transaction().execute(async (tx) => wake(tx, { topic: "generation", id: "g" }));
  await expect(bare).rejects.toThrow("runTransaction");
});
