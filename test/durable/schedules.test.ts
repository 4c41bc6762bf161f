import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createNode, type Node } from "#backend/store/node";
import { createWorld, type World } from "#test/backend";
import { connect } from "#test/consent";
import { useDatabase } from "#test/database";

const NODES = 3;
const database = useDatabase();
const nodes: Node[] = [];
const worlds: World[] = [];

beforeAll(() => {
  for (let count = 0; count < NODES; count++) nodes.push(createNode(database().config, () => {}));
});
afterEach(async () => {
  for (const { backend } of worlds.splice(0)) await backend.close();
});
afterAll(async () => {
  for (const node of nodes) await node.close();
});

test("of several nodes that check at the same time, exactly one starts each run", async () => {
  const { db } = database();
  let now = Date.UTC(2026, 10, 27, 12);
  const clock = { now: () => now };
  worlds.push(...nodes.map((node) => createWorld({ db, node, clock })));
  const [first] = worlds as [World];
  const { token } = await connect(first);
  const schedules = 5;
  const body = { timing: "hour", time_zone: "UTC", prompt: "hello" };
  for (let count = 0; count < schedules; count++) await first.call("POST /schedules", { token, body });
  for (let hours = 1; hours <= 3; hours++) {
    now += 60 * 60_000;
    await Promise.all(worlds.map(({ backend }) => backend.tick()));
    await expect
      .poll(
        async () => (await db.selectFrom("generations").select("id").where("finished_at", "is", null).execute()).length,
      )
      .toBe(0);
    const runs = await db.selectFrom("generations").select("conversation_id").execute();
    expect(runs).toHaveLength(hours * schedules);
    expect(new Set(runs.map(({ conversation_id: id }) => id)).size).toBe(hours * schedules);
  }
  const rows = await db.selectFrom("schedules").select(["missed", "next_at"]).execute();
  expect(rows).toEqual(Array(schedules).fill({ missed: 0, next_at: new Date(now + 60 * 60_000) }));
});
