import { sql } from "kysely";
import pg from "pg";
import type { GenerationStatus } from "#protocol/events";
import type { Log } from "#telemetry/log";
import { createOutbox } from "./outbox.ts";
import { countActiveSchedules } from "./schedules.ts";
import type { DbConnection } from "./schema.ts";
import type { StoredEvent } from "./schema-work.ts";
import { CHANNELS, type Topic, type WakeUp, type WakeUpPort } from "./wake-ups.ts";

/** Two halves of an advisory lock: this one says "a node of kay". */
const NODE_LOCK = 0x6b6179;

/** A new node notifies this channel, so that another one no longer assumes that it is alone. */
const ARRIVALS = "kay_nodes";

/**
 * A process of the backend among those that share a database. It has a number and holds an advisory lock on it as long
 * as its connection is open. So a killed node is known to be gone at once, a paused one is not, and no clocks are
 * compared.
 */
export type Node = WakeUpPort & {
  /** Number under which this node claims work. @throws when the database cannot be reached */
  number(): Promise<number>;
  /**
   * Calls `tell` with the ID of each conversation whose log or clients changed, or of each generation with news; with
   * {@link ANY_ID} when notifications may have been missed. `events` are there if this process wrote them.
   */
  on(topic: Topic, tell: Listener): () => void;
  close(): Promise<void>;
};

/** Replaces an ID: the connection was lost, and everything must be checked. */
export const ANY_ID = "";

/** SQL for the numbers of all live nodes, including this one. */
export const LIVE_NODES_SQL = `select objid::int from pg_locks where locktype = 'advisory' and classid = ${NODE_LOCK} and granted
  and database = (select oid from pg_database where datname = current_database())`;

/** Milliseconds between attempts to come back after the connection dropped. */
const RETRY = 500;

/** Milliseconds that the last wake-ups may take when a node ends. */
const LAST_LIMIT = 1_000;

/**
 * Creates a node that connects when it is first needed, and reconnects under a new number when its connection drops.
 */
export function createNode(where: pg.PoolConfig | string, log: Log): Node {
  const listeners: Listeners = { events: new Set(), generation: new Set(), presence: new Set() };
  let current: Promise<Connected> | undefined;
  let connected = false;
  let closed = false;
  const deliver = ({ topic, id, events }: WakeUp) => {
    for (const tell of listeners[topic]) tell(id, events);
  };
  const outbox = createOutbox(async (channels, ids) => {
    const { client, number } = await connect();
    const { rows } = await client.query<{ others: number }>({
      name: "wake",
      text: WAKE_SQL,
      values: [number, channels, ids],
    });
    return (rows[0]?.others ?? 0) > 0;
  });
  const flushOutbox = () => void outbox.flush();
  const connect = (): Promise<Connected> => {
    if (current) return current;
    const connection: Promise<Connected> = open(where, { deliver, onArrival: flushOutbox }, (error) =>
      reconnect(connection, error),
    );
    current = connection;
    connection.then(
      () => {
        connected = true;
        for (const topic of Object.keys(CHANNELS) as Topic[]) deliver({ topic, id: ANY_ID });
      },
      (error: unknown) => reconnect(connection, error),
    );
    return connection;
  };
  // A dropped connection reports it several times, possibly after the new one is open.
  function reconnect(connection: Promise<Connected>, error: unknown): void {
    if (closed || current !== connection) return;
    current = undefined;
    if (connected) log("warn", "node.connection_dropped", { error });
    connected = false;
    setTimeout(() => closed || connect().catch(() => {}), RETRY).unref();
  }
  return {
    number: async () => (await connect()).number,
    on: (topic, tell) => {
      listeners[topic].add(tell);
      return () => void listeners[topic].delete(tell);
    },
    publish(wakeUps) {
      for (const wakeUp of wakeUps) deliver(wakeUp);
      if (!closed) outbox.add(wakeUps);
    },
    close: async () => {
      if (connected) await Promise.race([outbox.flush(), expire(LAST_LIMIT)]);
      closed = true;
      const open = await current?.catch(() => undefined);
      // Postgres may see the end of a connection only a moment later.
      await open?.client.query("select pg_advisory_unlock_all()").catch(() => {});
      await open?.client.end().catch(() => {});
    },
  };
}

type Listener = (id: string, events?: StoredEvent[]) => void;
type Listeners = { [T in Topic]: Set<Listener> };

/** Notifies other nodes, if there is one, with the number of this one, channels and IDs. */
const WAKE_SQL = `select others, (select count(*) from (select pg_notify(channel, id)
    from unnest($2::text[], $3::text[]) as wake_ups (channel, id) where others > 0 offset 0) as notified) as notified
  from (select count(*)::int as others from (${LIVE_NODES_SQL}) as living (node) where node <> $1) as living`;

type Connected = { client: pg.Client; number: number };

async function open(
  where: pg.PoolConfig | string,
  { deliver, onArrival }: { deliver(wakeUp: WakeUp): void; onArrival(): void },
  dropped: (error?: Error) => void,
): Promise<Connected> {
  const client = new pg.Client({
    ...(typeof where === "string" ? { connectionString: where } : where),
    application_name: "kay node",
    keepAlive: true,
  });
  client.on("error", dropped);
  client.on("end", () => dropped());
  let backendPid: number | undefined;
  client.on("notification", ({ channel, payload = "", processId }) => {
    // This process was notified directly.
    if (processId === backendPid) return;
    if (channel === ARRIVALS) return onArrival();
    for (const topic of Object.keys(CHANNELS) as Topic[])
      if (CHANNELS[topic] === channel) deliver({ topic, id: payload });
  });
  try {
    await client.connect();
    // Lets the server notice within seconds that a node's machine is gone.
    await client.query("set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3");
    const { rows } = await client.query<{ number: number; own: number }>(
      "select nextval('node_numbers')::int as number, pg_backend_pid() as own",
    );
    const number = rows[0]?.number ?? 0;
    backendPid = rows[0]?.own;
    await client.query("select pg_advisory_lock($1, $2)", [NODE_LOCK, number]);
    await client.query([...Object.values(CHANNELS), ARRIVALS].map((channel) => `listen ${channel}`).join("; "));
    await client.query(`notify ${ARRIVALS}`);
    return { client, number };
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

function expire(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** Returns whether another living node could continue this node's work. */
export async function hasOtherNodes(db: DbConnection, node: number): Promise<boolean> {
  const { rows } = await sql<{
    others: boolean;
  }>`select exists (select from (${sql.raw(LIVE_NODES_SQL)}) as living (node)
    where node <> ${node}) as others`.execute(db);
  return rows[0]?.others === true;
}

/** Counts the work of all nodes of a database: live nodes, open generations, and active schedules. */
export type WorkStatus = { nodes: number; generations: Partial<Record<GenerationStatus, number>>; schedules: number };

export async function getWorkStatus(db: DbConnection, now: number): Promise<WorkStatus> {
  const nodes = await sql<{
    count: number;
  }>`select count(*)::int as count from (${sql.raw(LIVE_NODES_SQL)}) as living`.execute(db);
  const rows = await db
    .selectFrom("generations")
    .select(["status", sql<number>`count(*)::int`.as("count")])
    .where("finished_at", "is", null)
    .groupBy("status")
    .execute();
  return {
    nodes: nodes.rows[0]?.count ?? 0,
    generations: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
    schedules: await countActiveSchedules(db, new Date(now)),
  };
}
