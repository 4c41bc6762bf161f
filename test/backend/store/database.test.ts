import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { Kysely, PostgresDialect, sql } from "kysely";
import { Migrator } from "kysely/migration";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { getFaultLevel, openDatabase, toDatabaseProblem } from "#backend/store/database";
import { MIGRATIONS } from "#backend/store/migrations";
import { readTogether } from "#backend/store/round-trips";
import { insertScriptToken, listScriptTokens, queryScriptToken } from "#backend/store/script-tokens";
import type { Log } from "#telemetry/log";
import { emptyDatabase, testDatabase, useDatabase } from "#test/database";
import { ask } from "#test/postgres-world";

const database = useDatabase();

type Line = { level: string; event: string; fields: Record<string, unknown> | undefined };

function recorder(): { log: Log; lines: Line[] } {
  const lines: Line[] = [];
  return { lines, log: (level, event, fields) => void lines.push({ level, event, fields }) };
}

const silent = { log: () => undefined };

test("times, bytes and JSON are read as they were written", async () => {
  const { db } = database();
  const date = new Date("2026-01-02T03:04:05.678Z");
  await db.insertInto("installations").values({ id: "kaysession_1", created_at: date }).execute();
  const row = {
    hash: Buffer.from([0, 1, 127, 128, 255]),
    installation_id: "kaysession_1",
    service: "jira",
    verifier: null,
    code_challenge: null,
    needs_tokens: true,
    signed_in: true,
    site: null,
    status: "pending" as const,
    message: null,
    code: null,
    details: { 'a"ü': [1, null, { deep: "\u2028" }] },
    account_id: null,
    created_at: date,
    expires_at: new Date(date.getTime() + 600_000),
    delivered_at: null,
    authorization: null,
    user_code: null,
    requested_from: null,
    browser_hash: null,
  };
  await db
    .insertInto("states")
    .values({ ...row, details: JSON.stringify(row.details) })
    .execute();
  expect(await db.selectFrom("states").selectAll().execute()).toEqual([row]);
});

test("each test's database is fresh, and removed afterwards", async () => {
  const { db, config, drop } = await testDatabase();
  expect(await db.selectFrom("installations").selectAll().execute()).toEqual([]);
  await drop();
  const names = await sql<{
    n: number;
  }>`select count(*)::int as n from pg_database where datname = ${config.database}`.execute(database().db);
  expect(names.rows).toEqual([{ n: 0 }]);
});

test("three processes that open a new database at the same time create its tables once", async () => {
  const { config, drop } = await emptyDatabase();
  onTestFinished(drop);
  const script = fileURLToPath(new URL("../../support/database-process.ts", import.meta.url));
  const exits = [1, 2, 3].map(async () => {
    const child = spawn(process.execPath, [script, JSON.stringify(config)], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    return (await once(child, "exit"))[0];
  });
  expect(await Promise.all(exits)).toEqual([0, 0, 0]);
  expect(await ask(config, "select string_agg(name, ',') from kysely_migration")).toBe(
    Object.keys(MIGRATIONS).join(","),
  );
});

test("many concurrent openings in one process create the tables once, and one of them reports it", async () => {
  const { config, drop } = await emptyDatabase();
  onTestFinished(drop);
  const { log, lines } = recorder();
  const all = await Promise.all([1, 2, 3, 4].map(() => openDatabase(config, { log })));
  await Promise.all(all.map(({ close }) => close()));
  const createFields = (migration: string) => ({ migration, status: "Success" });
  expect(lines).toEqual(
    Object.keys(MIGRATIONS).map((name) => ({ level: "info", event: "database.migrated", fields: createFields(name) })),
  );
});

test("a database that a newer kay has migrated is used unchanged, and the log says so", async () => {
  const { config, drop } = await testDatabase();
  onTestFinished(drop);
  await ask(config, "insert into kysely_migration values ('999_later', '2030-01-01T00:00:00.000Z')");
  const { log, lines } = recorder();
  const { db, close } = await openDatabase(config, { log });
  expect(await db.selectFrom("installations").selectAll().execute()).toEqual([]);
  await close();
  expect(lines).toEqual([{ level: "warn", event: "database.newer_than_kay", fields: { migrations: ["999_later"] } }]);
});

test("a database of the version before script tokens keeps its rows and gets the table", async () => {
  const { config, drop } = await emptyDatabase();
  onTestFinished(drop);
  const older = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new pg.Pool(config) }) });
  const migrator = new Migrator({ db: older, provider: { getMigrations: async () => MIGRATIONS } });
  expect((await migrator.migrateTo("027_counted")).error).toBeUndefined();
  await sql`insert into installations (id, created_at) values ('installation_1', now())`.execute(older);
  await older.destroy();
  const { log, lines } = recorder();
  const { db, close } = await openDatabase(config, { log });
  expect(lines.map(({ fields }) => fields?.migration)).toEqual(["028_script_tokens"]);
  const [created_at, expires_at] = [new Date(0), new Date(1)];
  const token = { id: "1", installation_id: "installation_1", name: "ci\u0000", created_at, expires_at };
  await insertScriptToken(db, { ...token, secret_hash: Buffer.from([1, 255]) });
  const stored = { ...token, name: "ci\uFFFD", secret_hash: Buffer.from([1, 255]), used_at: null, revoked_at: null };
  expect(await listScriptTokens(db, "installation_1")).toEqual([stored]);
  expect(await readTogether(db, { tokens: queryScriptToken(db, "1") })).toEqual({ tokens: [stored] });
  await db.deleteFrom("installations").execute();
  expect(await listScriptTokens(db, "installation_1")).toEqual([]);
  await close();
});

test("a migration that meets a lock gives way, and runs when the lock is gone", async () => {
  const { config, drop } = await emptyDatabase();
  onTestFinished(drop);
  const other = new pg.Client(config);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query("begin; create table installations (id text)");
  const { log, lines } = recorder();
  const opening = openDatabase(config, { log });
  await expect.poll(() => lines.map(({ event }) => event)).toContain("database.migration_waits");
  await other.query("rollback");
  const { db, close } = await opening;
  expect(await db.selectFrom("installations").selectAll().execute()).toEqual([]);
  await close();
});

test("a dropped connection is logged, idle or in use, and the next query gets a new one", async () => {
  const { log, lines } = recorder();
  const { db, pool, close } = await openDatabase(database().config, { log });
  onTestFinished(close);
  const terminate = (pid: number) => ask(database().config, `select pg_terminate_backend(${pid})`);
  const idle = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  const idleDropped = new Promise((resolve) => pool.once("error", resolve));
  await terminate(idle.rows[0]?.pid ?? 0);
  await idleDropped;
  const client = await pool.connect();
  const takenDropped = new Promise((resolve) => client.once("error", resolve));
  const { rows } = await client.query("select pg_backend_pid() as pid");
  await terminate(rows[0].pid);
  await takenDropped;
  client.release(true);
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  const dropped = { level: "warn", event: "database.connection_dropped" };
  const error = expect.objectContaining({ code: "57P01" });
  const { host, port, user } = pool.options;
  const fields = { host, port, user, database: pool.options.database, error };
  expect(lines).toEqual([
    { ...dropped, fields },
    { ...dropped, fields },
  ]);
});

test("a statement ends after 30 seconds", async () => {
  const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(database().db);
  expect(rows).toEqual([{ statement_timeout: "30s" }]);
});

test("close may be called twice", async () => {
  const { close } = await openDatabase(database().config, silent);
  await close();
  await close();
});

test("an unreachable database is reported in one sentence with host and database, never the password", async () => {
  const { host, user, password } = database().config;
  const free = await findFreePort();
  const socket = encodeURIComponent(String(host));
  const urls = [
    `postgres://kay:hunter2@127.0.0.1:${free}/kay`,
    `postgresql://${user}:${password}@${socket}/missing`,
    `postgresql://${user}:hunter2@${socket}/missing`,
    "postgres://kay:hunter2@127.0.0.1:99999999/kay",
    "mysql://kay:hunter2@127.0.0.1/kay",
    "hunter2",
  ];
  const errors = await Promise.all(urls.map((url) => openDatabase(url, silent).catch((error) => error)));
  expect(errors.map(({ code, message }) => [code, message])).toEqual([
    ["DATABASE_UNAVAILABLE", `No Postgres answers at 127.0.0.1:${free} (database kay).`],
    ["DATABASE_UNAVAILABLE", `Postgres at ${host} has no database missing.`],
    ["DATABASE_UNAVAILABLE", `Postgres at ${host} refused the password of ${user}.`],
    ["DATABASE_UNAVAILABLE", "The database URL is not a Postgres URL."],
    ["DATABASE_UNAVAILABLE", "The database URL is not a Postgres URL."],
    ["DATABASE_UNAVAILABLE", "The database URL is not a Postgres URL."],
  ]);
  for (const error of errors)
    for (const secret of ["hunter2", String(password)])
      expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(secret);
});

test("a server that accepts the connection and stays silent is given up", async () => {
  const mute = createServer().listen(0, "127.0.0.1");
  await once(mute, "listening");
  onTestFinished(() => void mute.close());
  const address = mute.address();
  const port = typeof address === "object" ? address?.port : 0;
  const config = { host: "127.0.0.1", port, user: "kay", database: "kay", connectionTimeoutMillis: 50 };
  await expect(openDatabase(config, silent)).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    message: `Postgres at 127.0.0.1:${port} did not answer in time (database kay).`,
  });
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

test.each([
  Object.assign(new Error("terminating connection due to administrator command"), { code: "57P01" }),
  new Error("Connection terminated unexpectedly"),
  new Error("Client has encountered a connection error and is not queryable"),
  new Error("Client was closed and is not queryable"),
])("a dropped connection is not a fault inside kay: %s", (error) => {
  expect(getFaultLevel(error)).toBe("warn");
});

test("anything else is one, including a full disk", () => {
  expect(getFaultLevel(Object.assign(new Error("could not extend file"), { code: "53100" }))).toBe("error");
  expect(getFaultLevel(Object.assign(new Error("duplicate key"), { code: "23505" }))).toBe("error");
  expect(getFaultLevel(new TypeError("is not queryable by anybody"))).toBe("error");
});

test.for([
  ["53100", "The disk of the database is full: free some space there, then try again."],
  ["25006", "The database only reads at the moment."],
  ["53200", "The database cannot be reached at the moment."],
  ["58030", "The database cannot be reached at the moment."],
])("SQLSTATE %s is a temporary fault of the database", ([code = "", message]) => {
  const problem = toDatabaseProblem(Object.assign(new Error("could not extend file"), { code }));
  expect([problem?.code, problem?.message]).toEqual(["DATABASE_UNAVAILABLE", message]);
});

test("an error of the statement itself is not a fault of the database", () => {
  expect(toDatabaseProblem(Object.assign(new Error("duplicate key"), { code: "23505" }))).toBeUndefined();
});

test("statements are planned once, and still work when a newer node adds a column", async () => {
  // Its own pool, because only the first statements of a database get names.
  const { db, close } = await openDatabase(database().config, { log: () => {} });
  onTestFinished(close);
  await db.connection().execute(async (connection) => {
    const policies = connection.selectFrom("policies").where("installation_id", "=", "nobody");
    const read = async () => [
      await policies.selectAll().execute(),
      await policies.select(["target", "mode"]).execute(),
    ];
    expect(await read()).toEqual([[], []]);
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements
      where statement like ${"%policies%"}`.execute(connection);
    expect(rows.map(({ statement }) => statement.includes("*"))).toEqual([false]);
    await sql`alter table policies add column later text`.execute(connection);
    expect(await read()).toEqual([[], []]);
    await sql`alter table policies drop column later`.execute(connection);
  });
});
