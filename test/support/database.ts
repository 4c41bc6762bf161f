import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { openDatabase } from "#backend/store/database";
import type { Database } from "#backend/store/schema";

export type TestDatabase = {
  db: Kysely<Database>;
  /** Connection data, for a process or a backend that opens the database itself. */
  config: pg.PoolConfig;
  /** Closes `db` and removes the database, whoever is still connected. */
  drop(): Promise<void>;
};

/** A fresh database with every table, empty (30 to 80 ms). The caller drops it; see {@link useDatabase}. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = resolved(inject("postgres"));
  const name = `test_${randomBytes(8).toString("hex")}`;
  await administer(server, `create database ${name} template "${server.database}" strategy wal_log`);
  const config = { ...server, database: name };
  const { db, close } = await openDatabase(config, { log: () => undefined });
  return {
    db,
    config,
    async drop() {
      await close();
      await administer(server, `drop database if exists ${name} with (force)`);
    },
  };
}

/**
 * A fresh database for the tests of a file or `describe` block, dropped after them.
 *
 * @example const database = useDatabase(); test("…", async () => { await database().db.selectFrom("states")… });
 */
export function useDatabase(): () => TestDatabase {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(async () => {
    await database?.drop();
  });
  return () => {
    if (database === undefined) throw new Error("The database is there only while tests run.");
    return database;
  };
}

/** A URL taken apart, so that only its database has to be changed. */
function resolved(config: pg.PoolConfig): pg.PoolConfig {
  const { host, port, database, user, password, ssl } = new pg.Client(config);
  return { host, port, database, user, password: password ?? undefined, ssl };
}

/** From the maintenance database, since a template must have no connections. */
async function administer(server: pg.PoolConfig, statement: string): Promise<void> {
  const client = new pg.Client({ ...server, database: "template1" });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
