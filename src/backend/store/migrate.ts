import { setTimeout as pause } from "node:timers/promises";
import { Kysely, PostgresDialect, sql } from "kysely";
import { Migrator } from "kysely/migration";
import pg from "pg";
import { getErrno } from "#files/folders";

import { Problem } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import { MIGRATIONS } from "./migrations.ts";

/**
 * How long a statement of a migration waits for a lock, in ms. Other users of the table wait behind it, so a migration
 * gives way and is tried again instead of blocking the nodes.
 */
const LOCK_LIMIT = 1_000;

/** Milliseconds from one attempt to the next, and in all: then something holds a table that lets go of it never. */
const PAUSE = 500;
const GIVE_UP = 120_000;

/**
 * Migrates the tables, all or nothing, under a lock of the database, so that only one of several starting nodes does
 * it. A check first keeps a usual start to one query. A database that a newer kay has migrated stays unchanged.
 *
 * @throws Problem DATABASE_UNAVAILABLE
 */
export async function runMigrations<T>(db: Kysely<T>, config: pg.PoolConfig, log: Log): Promise<void> {
  if (await isUpToDate(db, log)) return;
  const end = performance.now() + GIVE_UP;
  for (;;) {
    const { error, results } = await tryMigration(config);
    for (const { migrationName, status } of (error === undefined && results) || [])
      log("info", "database.migrated", { migration: migrationName, status });
    // A newer kay may have migrated in between, which the migrator would treat as corruption.
    if (error === undefined || (await isUpToDate(db, log))) return;
    if (!isLocked(error) || performance.now() > end) throw migrationProblem(error);
    log("warn", "database.migration_waits", {});
    await pause(PAUSE);
  }
}

/** Lists the names of the applied migrations, in order. */
export async function listMigrations<T>(db: Kysely<T>): Promise<string[]> {
  const table = await sql<{ found: string | null }>`select to_regclass('kysely_migration')::text as found`.execute(db);
  if (!table.rows[0]?.found) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Runs a migration on a separate connection whose statements may take long but never wait for a lock. */
async function tryMigration(config: pg.PoolConfig) {
  const pool = new pg.Pool({ ...config, max: 1, lock_timeout: LOCK_LIMIT, statement_timeout: 0 });
  pool.on("error", () => {});
  const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
  try {
    return await new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } }).migrateToLatest();
  } finally {
    await db.destroy();
  }
}

async function isUpToDate<T>(db: Kysely<T>, log: Log): Promise<boolean> {
  const applied = await listMigrations(db);
  const newer = applied.filter((name) => !Object.hasOwn(MIGRATIONS, name));
  const complete = Object.keys(MIGRATIONS).every((name) => applied.includes(name));
  if (complete && newer.length > 0) log("warn", "database.newer_than_kay", { migrations: newer });
  return complete;
}

/** SQLSTATE 55P03, lock_not_available. */
function isLocked(error: unknown): boolean {
  return getErrno(error) === "55P03";
}

function migrationProblem(cause: unknown): Problem {
  const sentence = isLocked(cause)
    ? "Could not update the database tables: another process holds a lock on one of them."
    : "Could not update the database tables.";
  return new Problem("DATABASE_UNAVAILABLE", sentence, { cause, hint: "" });
}
