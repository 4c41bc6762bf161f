import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "#backend/store/database";
import { createNode, type Node } from "#backend/store/node";
import type { Database } from "#backend/store/schema";
import { createWorld, type World } from "#test/backend";
import { connect } from "#test/consent";
import { useDatabase } from "#test/database";
import { deskServices } from "#test/desk";
import { scriptedModel } from "#test/scripted-model";
import { ask } from "#test/turn";

const database = useDatabase();
const model = scriptedModel((url, init) => world.outside.fetch(url, init));
let close: () => Promise<void>;
let db: Kysely<Database>;
let node: Node;
let world: World;

beforeAll(async () => {
  const opened = await openDatabase(database().config, { log: () => {} });
  ({ close } = opened);
  db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: delayCounts(opened.pool) }) });
  node = createNode(database().config, () => {});
});
afterAll(async () => {
  await node.close();
  await close();
});
beforeEach(() => {
  world = createWorld({ db, node, services: deskServices([]), ...model.ports, clock: Date, leaveMs: 30_000 });
});
afterEach(async () => {
  await world.backend.close();
  world.outside.settled();
});

/** A pool that stores counts of tokens later than what is sent at the same time. */
function delayCounts(pool: PostgresPool): PostgresPool {
  const delay = (client: PostgresPoolClient) =>
    ({
      query: async (text: string, values: unknown[]) => {
        if (JSON.stringify(values ?? []).includes("inputTokens"))
          await new Promise((resolve) => setTimeout(resolve, 100));
        return client.query(text, values);
      },
      release: () => client.release(),
    }) as unknown as PostgresPoolClient;
  return { options: pool.options, end: () => pool.end(), connect: async () => delay(await pool.connect()) };
}

test("the tokens of an answer and of its conversation are complete, however late they are stored", async () => {
  const { token } = await connect(world);
  model.script({ text: "Hello.", usage: [1_200, 34] });
  const first = await ask(world, token, "hello");
  expect((await first.next("data-usage")).data).toEqual({
    model: "openai-compatible:scripted",
    ...{ input_tokens: 1_200, output_tokens: 34, context_tokens: 1_234 },
    conversation: { input_tokens: 1_200, output_tokens: 34 },
  });
  await first.end();
  model.script({ calls: [["c1", "jira.nothing", {}]], usage: [1_000, 100] }, { text: "None.", usage: [2_000, 50] });
  const second = await ask(world, token, "and now", { session_id: first.session });
  expect((await second.next("data-usage")).data).toEqual({
    model: "openai-compatible:scripted",
    ...{ input_tokens: 3_000, output_tokens: 150, context_tokens: 2_050 },
    conversation: { input_tokens: 4_200, output_tokens: 184 },
  });
  await second.end();
});
