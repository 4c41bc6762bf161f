import { sql } from "kysely";
import { afterEach, expect, test } from "vitest";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const log: DeskLog = [];
let meanwhile = async () => {};
const { model, world } = useScriptedBackend({ services: deskServices(log, () => meanwhile()) });
const GIVEN_UP = "Something went wrong inside kay repeatedly, so the request was stopped.";

/** From now on, no question can be stored, so the failure is outside the work that handles its own failures. */
async function breakWrites(): Promise<void> {
  const { db } = world().ports;
  await sql`create function broken() returns trigger language plpgsql as 'begin raise exception ''broken''; end'`.execute(
    db,
  );
  await sql`create trigger broken before insert on messages for each row when (new.message ->> 'role' = 'user') execute function broken()`.execute(
    db,
  );
}
const repairWrites = () => sql`drop function if exists broken cascade`.execute(world().ports.db);
afterEach(async () => {
  meanwhile = async () => {};
  await repairWrites();
});

const rows = () => world().ports.db.selectFrom("generations").selectAll().where("finished_at", "is", null).execute();
const failures = async () => (await rows())[0]?.failures;
const countLogged = (event: string) => world().log.filter((line) => line.includes(event)).length;

/** Asks behind another question. Its message is written when it is run, which fails for the first time. */
async function askBroken<T>(
  token: string,
  begin: (body: { session_id: string; when_busy: "queue" }) => T,
): Promise<{ asked: T }> {
  const gate = Promise.withResolvers<void>();
  model.script(async () => {
    await gate.promise;
    return { text: "Hello." };
  });
  const first = await ask(world(), token, "hi");
  await first.next("start-step");
  await breakWrites();
  const answer = begin({ session_id: first.session, when_busy: "queue" });
  await expect.poll(async () => (await rows()).length).toBe(2);
  gate.resolve();
  await first.end();
  await expect.poll(failures).toBe(1);
  return { asked: answer };
}

/** Checks once a second for this long, and returns after which checks it had failed again. */
async function looks(seconds: number): Promise<number[]> {
  await expect.poll(() => world().backend.busy()).toBe(0);
  const times: number[] = [];
  for (let second = 1; second <= seconds; second++) {
    const failureCount = await failures();
    world().clock.advance(1_000);
    await world().backend.tick();
    await expect.poll(() => world().backend.busy()).toBe(0);
    if ((await failures()) !== failureCount) times.push(second);
  }
  return times;
}

/** Checks once more after this many seconds. */
async function later(seconds: number): Promise<void> {
  const failureCount = await failures();
  world().clock.advance(seconds * 1_000);
  const tickAndCount = async () => {
    await world().backend.tick();
    return await failures();
  };
  await expect.poll(tickAndCount).not.toBe(failureCount);
}

test("an internal failure is retried at growing intervals, and ends after five attempts, reported and logged once", async () => {
  const { token } = await connect(world());
  const { asked } = await askBroken(token, (body) => ask(world(), token, "go", body));
  const turn = await asked;
  expect(await looks(20)).toEqual([1, 3, 7, 15]);
  await repairWrites();
  expect(await rows()).toEqual([]);
  expect([countLogged("generation_fault"), countLogged("generation_given_up")]).toEqual([1, 1]);
  await turn.end();
  expect(turn.parts.slice(-2)).toMatchObject([
    { type: "data-status", data: { status: "error" } },
    { type: "error", code: "INTERNAL", errorText: GIVEN_UP, hint: expect.stringContaining("kay doctor") },
  ]);
  model.script({ text: "Still here." });
  const next = await ask(world(), token, "again", { session_id: turn.session });
  await next.end();
  expect(next.text()).toBe("Still here.");
});

test("an unreadable row is given up too, with its requests", async () => {
  const { token } = await connect(world());
  model.script({ calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] });
  const turn = await ask(world(), token, "close KAY-3");
  const { interaction_id } = await turn.asked();
  await turn.until("awaiting_approval");
  await turn.close();
  const { db } = world().ports;
  await db.updateTable("generations").set({ options: "null" }).where("finished_at", "is", null).execute();
  expect((await turn.answer(interaction_id, { action: "approve" })).status).toBe(200);
  await expect.poll(failures).toBe(1);
  expect(await looks(16)).toEqual([1, 3, 7, 15]);
  expect(await rows()).toEqual([]);
  expect((await world().call("GET /pending", { token })).body).toEqual({ pending: [] });
});

test("a waiting caller gets the answer once it works again, and earlier faults no longer count", async () => {
  const { token } = await connect(world());
  const { asked } = await askBroken(token, (body) =>
    world().call("POST /ask", { token, body: { prompt: "hi", ...body } }),
  );
  model.script({ text: "Hello." });
  await repairWrites();
  await later(1);
  const { status, body } = await asked;
  expect({ status, body }).toMatchObject({ status: 200, body: { status: "completed", message: "Hello." } });
  const all = world().ports.db.selectFrom("generations").select("failures");
  expect(await all.where("id", "=", String(body.generation_id)).execute()).toEqual([{ failures: 0 }]);
});

test("a conversation that cannot be stored is an error at once, and leaves nothing", async () => {
  const { token } = await connect(world());
  const before = await world().ports.db.selectFrom("conversations").select("id").execute();
  await breakWrites();
  const { status, body } = await world().call("POST /ask", { token, body: { prompt: "hi" } });
  expect([status, body.code]).toEqual([500, "INTERNAL"]);
  await world().backend.tick();
  expect(await rows()).toEqual([]);
  expect(await world().ports.db.selectFrom("conversations").select("id").execute()).toEqual(before);
});

test("a caller that waits for an answer that never arrives learns it in the end", async () => {
  const { token } = await connect(world());
  const { asked } = await askBroken(token, (body) =>
    world().call("POST /ask", { token, body: { prompt: "hi", ...body } }),
  );
  for (const seconds of [1, 2, 4, 8]) await later(seconds);
  expect(await asked).toMatchObject({ status: 500, body: { status: "error", code: "INTERNAL", message: GIVEN_UP } });
});

/** Ends every connection while the generation's next write waits for a table, so that this write is what fails. */
async function dropConnections(write: () => void): Promise<void> {
  const { db } = world().ports;
  await db.transaction().execute(async (tx) => {
    await sql`lock table events`.execute(tx);
    write();
    const locks = sql<{ count: number }>`select count(*)::int as count from pg_locks
      where relation = 'events'::regclass and not granted`;
    await expect.poll(async () => (await locks.execute(db)).rows[0]?.count).not.toBe(0);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(tx);
  });
}

test("a dropped connection is not a fault of the generation: it logs a warning and continues", async () => {
  const { token } = await connect(world());
  const { promise: dropped, resolve: drop } = Promise.withResolvers<void>();
  model.script({ text: ["One ", "and two."], meanwhile: dropped });
  const turn = await ask(world(), token, "count");
  await turn.next("text-delta");
  await dropConnections(drop);
  await expect
    .poll(() =>
      world()
        .backend.status()
        .then(({ working }) => working),
    )
    .toBe(0);
  model.script({ text: "One and two." });
  const tickAndCount = async () => {
    world().clock.advance(1_000);
    await world().backend.tick();
    return (await rows()).length;
  };
  await expect.poll(() => tickAndCount().catch(() => undefined)).toBe(0);
  const faults = world().log.filter((line) => line.includes("_fault"));
  expect(faults.map((line) => JSON.parse(line).level)).toEqual(faults.map(() => "warn"));
  expect(faults).not.toEqual([]);
  await turn.close();
});

test("an answer that arrives before a failure still counts: the approved calls run", async () => {
  const { db } = world().ports;
  const { token } = await connect(world());
  log.length = 0;
  const calls = ["KAY-4", "KAY-5"].map((issue): [string, string, object] => [issue, "jira.close_issue", { issue }]);
  // The work that fails may have asked the model for the next step already.
  model.script({ calls }, { text: "So." }, { text: "So." });
  const turn = await ask(world(), token, "close KAY-4 and KAY-5");
  const requests = [await turn.asked(), await turn.asked()];
  await turn.until("awaiting_approval");
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  meanwhile = async () => {
    reached.resolve();
    await gate.promise;
  };
  for (const issue of ["KAY-4", "KAY-5"])
    world().outside.expect(`POST https://api.atlassian.com/close/${issue}`, json({}));
  await turn.answer(requests[0]?.interaction_id ?? "", { action: "approve" });
  await reached.promise;
  await turn.answer(requests[1]?.interaction_id ?? "", { action: "approve" });
  // The first result cannot be stored, once.
  await sql`create sequence failures_of_events`.execute(db);
  await sql`create function broken() returns trigger language plpgsql as
    'begin if nextval(''failures_of_events'') = 1 then raise exception ''broken''; end if; return new; end'`.execute(
    db,
  );
  await sql`create trigger broken before insert on events for each row
    when (new.part ->> 'type' = 'tool-output-available') execute function broken()`.execute(db);
  gate.resolve();
  const types = await turn.end();
  expect(types).not.toContain("tool-output-error");
  expect(log).toEqual(["close KAY-4", "close KAY-5"]);
  expect(turn.text()).toBe("So.");
  await sql`drop sequence failures_of_events cascade`.execute(db);
});
