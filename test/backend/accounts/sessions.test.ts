import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { createSession, findInstallation } from "#backend/accounts/sessions";
import { useBackend } from "#test/backend";
import { connect } from "#test/consent";

const world = useBackend();
const DAY = 24 * 3600_000;

test("F3 the session ID is in no table and in no token", async () => {
  const { session, token } = await connect(world());
  await world().call("POST /ask", { body: { prompt: "hello" }, token });
  expect(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).not.toContain("kaysession_");
  const { db } = world().ports;
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(db);
    expect([name, rows.filter(({ text }) => text.includes(session))]).toEqual([name, []]);
  }
  expect(await findInstallation(db, session)).toMatch(/^installation_[0-9a-f]{32}$/);
  expect(await findInstallation(db, await findInstallation(db, session))).toBe(undefined);
});

test("an installation of an older kay, whose ID is its session ID, is found", async () => {
  const { db } = world().ports;
  await db.insertInto("installations").values({ id: "kaysession_1_old", created_at: new Date() }).execute();
  expect(await findInstallation(db, "kaysession_1_old")).toBe("kaysession_1_old");
});

test("F14 an installation without a sign-in ends after a week, and its client gets a new one", async () => {
  const signedIn = await connect(world());
  const begun = await world().call("POST /connections/connect?service=jira", { body: {} });
  const { session_id } = begun.body;
  world().clock.advance(8 * DAY);
  for (const [id, reset] of [
    [session_id, true],
    [signedIn.session, undefined],
  ]) {
    await createSession(world().ports.db, world().clock.now());
    const again = await world().call("POST /connections/connect?service=jira", { body: { session_id: id } });
    expect([again.status, again.body.session_reset]).toEqual([200, reset]);
  }
});

test("F14 the number of installations without a sign-in is limited", async () => {
  const { ports, clock } = world();
  const { session } = await connect(world());
  await sql`insert into installations (id, anonymous, created_at)
    select 'flood' || n, true, ${new Date(clock.now())} from generate_series(1, 10000) n`.execute(ports.db);
  onTestFinished(async () => {
    await sql`delete from installations where id like 'flood%'`.execute(ports.db);
  });
  const begin = () => world().call("POST /connections/connect?service=jira", { body: {} });
  expect(await begin()).toMatchObject({ status: 429, body: { code: "RATE_LIMITED" } });
  const answer = await world().call("POST /connections/connect?service=jira", { body: { session_id: session } });
  expect(answer.status).toBe(200);
  clock.advance(2 * 3600_000);
  expect((await begin()).status).toBe(200);
});
