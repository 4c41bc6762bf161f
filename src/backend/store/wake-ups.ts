import { type Kysely, sql, type Transaction } from "kysely";
import type { Database, DbConnection } from "./schema.ts";
import type { StoredEvent } from "./schema-work.ts";

/** Channels between nodes. Payloads are only IDs; the receiver reads the rows. Nodes of earlier versions use the same. */
export const CHANNELS = { events: "kay_events", generation: "kay_generation", presence: "kay_presence" } as const;
export type Topic = keyof typeof CHANNELS;

/** What changed in the store. `events` are the new parts of a log, for its followers in this process. */
export type WakeUp = { topic: Topic; id: string; events?: StoredEvent[] };

/** Passes committed changes to their followers, here and at other nodes. */
export type WakeUpPort = { publish(wakeUps: WakeUp[]): void };

const ports = new WeakMap<object, WakeUpPort>();
const uncommitted = new WeakMap<object, WakeUp[]>();

/** Returns the same database as the one of a node: whatever is written by it is published there after its commit. */
export function connectWakeUps(db: Kysely<Database>, port: WakeUpPort): Kysely<Database> {
  const connection = db.withoutPlugins();
  ports.set(connection, port);
  return connection;
}

/**
 * Publishes a change after its commit, or at once for a single statement. Never within the transaction, because
 * Postgres commits transactions with a NOTIFY one after another.
 */
export function wake(db: DbConnection, wakeUp: WakeUp): void {
  const pending = uncommitted.get(db);
  if (pending) pending.push(wakeUp);
  else if (db.isTransaction) throw new Error("A transaction with wake-ups must be run by runTransaction.");
  else publish(db, [wakeUp]);
}

/** Runs a transaction, then publishes its wake-ups. */
export async function runTransaction<T>(
  db: Kysely<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  const pending: WakeUp[] = [];
  const run = async (tx: Transaction<Database>) => {
    uncommitted.set(tx, pending);
    return await work(tx);
  };
  const result = await publishDoubt(
    db,
    () => pending,
    () => db.transaction().execute(run),
  );
  publish(db, pending);
  return result;
}

/**
 * Runs a write, and lets followers look at the rows if it fails: the connection may have dropped after the commit, before its answer.
 */
export async function publishDoubt<T>(db: DbConnection, wakeUps: () => WakeUp[], write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!db.isTransaction)
      publish(
        db,
        wakeUps().map(({ topic, id }) => ({ topic, id })),
      );
    throw error;
  }
}

function publish(db: DbConnection, wakeUps: WakeUp[]): void {
  if (wakeUps.length === 0) return;
  const port = ports.get(db);
  if (port) port.publish(wakeUps);
  else void notifyNodes(db, wakeUps).catch(() => {});
}

/** For a writer that is not a node. Nodes that miss it check within a second. */
async function notifyNodes(db: DbConnection, wakeUps: WakeUp[]): Promise<void> {
  const channels = wakeUps.map(({ topic }) => CHANNELS[topic]);
  const ids = wakeUps.map(({ id }) => id);
  await sql`select pg_notify(channel, id) from unnest(${channels}::text[], ${ids}::text[]) as wake_ups (channel, id)`.execute(
    db,
  );
}
