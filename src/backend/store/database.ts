import { Kysely, PostgresDialect, type PostgresPool, sql } from "kysely";
import pg from "pg";
import { getErrno } from "#files/folders";

import { Problem } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import { listMigrations, runMigrations } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { Database } from "./schema.ts";

/** Time limits, in ms. */
const CONNECT_LIMIT = 10_000;
const STATEMENT_LIMIT = 30_000;
const IDLE_TRANSACTION_LIMIT = 60_000;

export type OpenDatabase = {
  db: Kysely<Database>;
  pool: pg.Pool;
  /** Its address without user and password: `db.example.com:5432/kay`. */
  place: string;
  /** Waits for running queries and closes every connection. May be called more than once. */
  close(): Promise<void>;
};

/**
 * Opens a database by connection data or URL (`postgres://…`) and migrates its tables; several processes may do so at
 * once. A database that a newer kay has migrated is used unchanged, because migrations only add. Throws
 * DATABASE_UNAVAILABLE naming host and database, never the password.
 *
 * @param ports.revive restarts the database if it cannot be reached; then the connection is tried once more
 */
export async function openDatabase(
  where: pg.PoolConfig | string,
  { log, revive }: { log: Log; revive?: () => Promise<void> },
): Promise<OpenDatabase> {
  const config = toPoolConfig(where);
  const place = describePlace(config);
  const pool = new pg.Pool(config);
  const names = new Map<string, string>();
  pool.on("connect", (client) => nameStatements(client, names));
  // As an error, so that the operator sees Postgres's code.
  listenForDrops(pool, (error) => log("warn", "database.connection_dropped", { ...place, error }));
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: revive ? createRevivingPool(pool, revive) : pool }),
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= db.destroy();
    return closing;
  };
  try {
    await sql`select 1`.execute(db);
    await runMigrations(db, config, log);
  } catch (error) {
    await close();
    throw error instanceof Problem ? error : databaseUnavailableProblem(error, place);
  }
  return { db, pool, place: `${place.host}:${place.port}/${place.database}`, close };
}

/** Maximum number of prepared statements: each costs memory on every connection. Others are planned each time. */
const MOST_NAMED = 200;

/**
 * Names the statements of a connection, so that Postgres parses and plans each only once. One that selects all columns
 * has no name: its plan is refused once a newer node adds a column.
 *
 * @param names the names of the database's statements, by their text
 */
function nameStatements(client: pg.PoolClient, names: Map<string, string>): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const queryByName = (text: unknown, values: unknown, ...rest: unknown[]) => {
    const name =
      typeof text === "string" && Array.isArray(values) && values.length > 0 ? getName(text, names) : undefined;
    return name ? query({ name, text, values }, ...rest) : query(text, values, ...rest);
  };
  client.query = queryByName as typeof client.query;
}

function getName(text: string, names: Map<string, string>): string | undefined {
  const existing = names.get(text);
  if (
    existing ||
    names.size >= MOST_NAMED ||
    /\b(select|returning)\s+(distinct\s+)?("?\w+"?\.)?\*|,\s*("?\w+"?\.)?\*/i.test(text)
  )
    return existing;
  const name = `kay_${names.size}`;
  names.set(text, name);
  return name;
}

/**
 * Listens for dropped connections, idle or in use between two queries. Without a listener, either would end the
 * process. Each drop is reported once.
 */
function listenForDrops(pool: pg.Pool, report: (error: Error) => void): void {
  const reported = new WeakSet<pg.ClientBase>();
  const listen = (error: Error, client: pg.ClientBase) => {
    if (reported.has(client)) return;
    reported.add(client);
    report(error);
  };
  pool.on("error", listen);
  pool.on("connect", (client) => client.on("error", (error) => listen(error, client)));
}

/** A pool that restarts the database if it cannot be reached: kay's own Postgres may have been killed. */
function createRevivingPool(pool: pg.Pool, revive: () => Promise<void>): PostgresPool {
  let revival: Promise<void> | undefined;
  const reviveOnce = () => {
    revival ??= revive().finally(() => {
      revival = undefined;
    });
    return revival;
  };
  return {
    connect: () =>
      pool.connect().catch(async () => {
        await reviveOnce();
        return pool.connect();
      }),
    end: () => pool.end(),
    options: pool.options,
  };
}

/** Whether the tables are those of this kay, or newer ones. */
export async function hasOwnTables(db: Kysely<Database>): Promise<boolean> {
  const applied = await listMigrations(db);
  return Object.keys(MIGRATIONS).every((name) => applied.includes(name));
}

function toPoolConfig(where: pg.PoolConfig | string): pg.PoolConfig {
  if (typeof where === "string" && !/^postgres(ql)?:\/\//.test(where)) throw invalidUrlProblem();
  return {
    connectionTimeoutMillis: CONNECT_LIMIT,
    statement_timeout: STATEMENT_LIMIT,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_LIMIT,
    application_name: "kay",
    keepAlive: true,
    ...(typeof where === "string" ? { connectionString: where } : where),
  };
}

/**
 * Faults of Postgres that do not depend on the query: connection (SQLSTATE classes 08 and 57P, and socket errors),
 * resources (class 53: disk, memory, connections), a failing disk, and a read-only server.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/^(08\w{3}|57P0\d|53\w{3}|58030|25006|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE)$/.test(getErrno(error))) return true;
  return /Connection terminated|^Client .+ is not queryable$|timeout exceeded when trying to connect/i.test(
    error.message,
  );
}

/** Whether Postgres could not write because its disk is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && getErrno(error) === "53100";
}

/**
 * Returns the log level of a fault. A database that is away was reported when its connection dropped, and interrupted
 * work continues when it is back. A full or failing disk and a read-only node need an operator.
 */
export function getFaultLevel(error: unknown): "warn" | "error" {
  return isDatabaseAway(error) && !/^(53100|58030|25006)$/.test(getErrno(error as Error)) ? "warn" : "error";
}

/**
 * Returns the problem for such a fault, or undefined. Clients do not show the backend's hint, so the sentence has the
 * next step.
 */
export function toDatabaseProblem(error: unknown): Problem | undefined {
  if (!isDatabaseAway(error)) return undefined;
  const words: Record<string, string> = {
    "53100": "The disk of the database is full: free some space there, then try again.",
    "25006": "The database only reads at the moment.",
  };
  const message = words[getErrno(error)] ?? "The database cannot be reached at the moment.";
  return new Problem("DATABASE_UNAVAILABLE", message, { cause: error });
}

type Place = { host: string; port: number; database: string; user: string };

/**
 * Returns what may be shown of the connection. Also detects an invalid URL, because the parser's error would contain
 * the password.
 */
function describePlace(config: pg.PoolConfig): Place {
  try {
    const { host, port, database, user } = new pg.Client(config);
    return { host, port, database: database ?? "", user: user ?? "" };
  } catch {
    throw invalidUrlProblem();
  }
}

function invalidUrlProblem(): Problem {
  return new Problem("DATABASE_UNAVAILABLE", "The database URL is not a Postgres URL.", {
    hint: "Set DATABASE_URL to postgres://<user>:<password>@<host>/<database>.",
  });
}

function databaseUnavailableProblem(cause: unknown, { host, port, database, user }: Place): Problem {
  const address = host.startsWith("/") ? host : `${host}:${port}`;
  const messages: Record<string, string> = {
    ECONNREFUSED: `No Postgres answers at ${address} (database ${database}).`,
    ENOENT: `No Postgres answers at ${address} (database ${database}).`,
    ENOTFOUND: `The host of the database, ${host}, is not known.`,
    EAI_AGAIN: `The host of the database, ${host}, is not known.`,
    "28P01": `Postgres at ${address} refused the password of ${user}.`,
    "28000": `Postgres at ${address} refused ${user}.`,
    "3D000": `Postgres at ${address} has no database ${database}.`,
    "53300": `Postgres at ${address} has no free connection.`,
  };
  const reason = cause instanceof Error ? cause.message : "unknown reason";
  const message = /timeout|timed out/i.test(reason)
    ? `Postgres at ${address} did not answer in time (database ${database}).`
    : (messages[getErrno(cause)] ?? `The database ${database} at ${address} cannot be used: ${reason}.`);
  return new Problem("DATABASE_UNAVAILABLE", message, { cause });
}
