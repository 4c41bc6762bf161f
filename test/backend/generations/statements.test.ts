import { type Kysely, type PostgresPool, type PostgresPoolClient, sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Database } from "#backend/store/schema";
import type { World } from "#test/backend";
import { connect } from "#test/consent";
import { openWrapped } from "#test/database";
import { deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useNodes } from "#test/scripted-backend";
import { ask } from "#test/turn";

/** Each statement costs a wait of the caller and processor time of the database. */

const { database, model, start } = useNodes({ services: deskServices([]), clock: Date, leaveMs: 30_000 });
let statements: string[];
let close: () => Promise<void>;
let db: Kysely<Database>;
let world: World;

beforeAll(async () => {
  ({ db, close } = await openWrapped(database(), (pool) => {
    const counted = recordStatements(pool);
    ({ statements } = counted);
    return counted.pool;
  }));
});
afterAll(() => close());
beforeEach(async () => {
  world = start({ db });
  await world.ports.node.number();
});
afterEach(() => expect(model.left()).toBe(0));

/** A pool that notes each statement that is sent to the database, in order. */
function recordStatements(pool: PostgresPool): { pool: PostgresPool; statements: string[] } {
  const statements: string[] = [];
  const count = (client: PostgresPoolClient) =>
    ({
      query: (text: string, values: unknown[]) => {
        statements.push(text.replace(/\s+/g, " ").trim());
        return client.query(text, values);
      },
      release: () => client.release(),
    }) as unknown as PostgresPoolClient;
  return {
    statements,
    pool: { options: pool.options, end: () => pool.end(), connect: async () => count(await pool.connect()) },
  };
}

/** The statements since the last call, without those whose number depends on time: parts alone, followers, and looks for other nodes. */
const take = () =>
  statements.splice(0).filter((text) => !isPartsAlone(text) && !isOfFollowers(text) && !isLookForNodes(text));

/** Who follows a conversation is stored with a delay; a follower that comes late reads the parts that it missed. */
const isOfFollowers = (text: string) =>
  /\bfrom "?followers\b|^select (?:\*, count|"conversation_id", "number")/.test(text);

const isLookForNodes = (text: string) => /^select exists \(.* from pg_locks/.test(text);

const isPartsAlone = (text: string) =>
  text.startsWith("with held as materialized") && text.includes("added as (") && !text.includes('"change_0" as');

test("hello: from the question to the end of the stream", async () => {
  const { token } = await connect(world);
  model.script({ text: "Hello." });
  take();
  const turn = await ask(world, token, "hello");
  await turn.end();
  // Sign-in, question, services, answer.
  expect(take().length).toBe(4);
});

test("the end of a generation says whether another one waits, so that nothing is read after it", async () => {
  const { token } = await connect(world);
  model.script({ text: "Hello." }, { text: "Hello again." });
  take();
  for (const prompt of ["hello", "hello again"]) await (await ask(world, token, prompt)).end();
  expect(take().filter((text) => /from "generations".*"finished_at" is null/.test(text))).toEqual([]);
});

test("a write: from the question to the pause, and from the approval to the end", async () => {
  const { token } = await connect(world);
  model.script({ calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] }, { text: "Closed." });
  take();
  const headers = { "idempotency-key": "close" };
  const turn = await ask(world, token, "close KAY-3", { headers });
  const { interaction_id } = await turn.asked();
  await turn.until("awaiting_approval");
  const taken = take();
  world.outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  await turn.answer(interaction_id, { action: "approve" });
  await turn.next("tool-output-available");
  await turn.end();
  const result = take();
  // Sign-in, question, services, calls, what decides about them, pause.
  expect(taken.length).toBe(6);
  // Sign-in with the request, answer, rows, effect sent, effect settled, result with the end of the step, which may follow it.
  expect([6, 7]).toContain(result.length);
});

test("a second question in a conversation costs a few more, because others may ask at the same time", async () => {
  const { token } = await connect(world);
  model.script({ text: "Hello." }, { text: "Hello again." });
  const first = await ask(world, token, "hello");
  await first.end();
  await expect.poll(() => world.backend.busy()).toBe(0);
  take();
  const second = await ask(world, token, "hello", { session_id: first.session });
  await second.end();
  expect(second.text()).toBe("Hello again.");
  // Sign-in; begin, lock, end of the conversation, question, commit; rows, answer.
  expect(take().length).toBe(8);
});

test("messages that two generations of a conversation write at the same moment are both stored, with two numbers", async () => {
  const { token } = await connect(world);
  const gate = Promise.withResolvers<void>();
  model.script(async () => {
    await gate.promise;
    return { text: "Hello." };
  });
  const turn = await ask(world, token, "hello");
  await turn.next("start-step");
  const message = {
    conversation_id: turn.session,
    sequence: 2,
    message: JSON.stringify({ role: "user", content: "x" }),
  };
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto("messages")
      .values({ ...message, generation_id: null, created_at: new Date() })
      .execute();
    gate.resolve();
    const waits = sql<{ count: number }>`select count(*)::int as count from pg_locks where not granted`;
    while ((await waits.execute(tx)).rows[0]?.count === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
  await turn.end();
  expect(turn.text()).toBe("Hello.");
  const rows = await db.selectFrom("messages").select("sequence").where("conversation_id", "=", turn.session).execute();
  expect(rows.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3]);
});

test("distant schedules: one statement in 20 s", async () => {
  let now = Date.UTC(2026, 10, 27, 12);
  const other = start({ db, services: [], clock: { now: () => now } });
  take();
  for (let seconds = 0; seconds < 60; seconds++) {
    await other.backend.tick();
    now += 1_000;
  }
  // The first look also corrects what a clock ahead left.
  expect(take().filter((text) => text.includes('from "schedules"'))).toHaveLength(4);
});
