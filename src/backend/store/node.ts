import { sql } from "kysely";
import pg from "pg";
import type { GenerationStatus } from "#protocol/events";
import type { Log } from "#telemetry/log";
import type { DbConnection } from "./schema.ts";

/** Two halves of an advisory lock: this one says "a node of kay". */
const NODE_LOCK = 0x6b6179;

/** Channels between nodes. Payloads are only IDs; the receiver reads the rows. */
const CHANNELS = { events: "kay_events", generation: "kay_generation", presence: "kay_presence" } as const;
type Topic = keyof typeof CHANNELS;

/**
 * One process of the backend among those that share a database. It has a number and holds an advisory lock on it for as long as its own
 * connection lives: a node that was killed is known to be gone at once, and one that only pauses is not. No clock is compared.
 */
export type Node = {
  /** Number under which this node claims work. @throws when the database cannot be reached */
  number(): Promise<number>;
  /**
   * Calls `tell` with the ID of each conversation whose log or clients changed, or of each generation with news; with
   * {@link ANY_ID} when notifications may have been missed.
   */
  on(topic: Topic, tell: (id: string) => void): () => void;
  close(): Promise<void>;
};

/** Replaces an ID: the connection was lost, and everything must be checked. */
export const ANY_ID = "";

/** SQL for the numbers of the nodes that live, this one among them. */
export const LIVE_NODES_SQL = `select objid::int from pg_locks where locktype = 'advisory' and classid = ${NODE_LOCK} and granted
  and database = (select oid from pg_database where datname = current_database())`;

/** SQL to tell every node; the payload is its parameter. To be run in the transaction that makes the change. */
export function notifySql(topic: Topic): string {
  return CHANNELS[topic];
}

/** Milliseconds between attempts to come back after the connection dropped. */
const RETRY = 500;

/** A node that connects when it is first needed, and again, under a new number, whenever its connection drops. */
export function createNode(where: pg.PoolConfig | string, log: Log): Node {
  const listeners: Listeners = { events: new Set(), generation: new Set(), presence: new Set() };
  let current: Promise<Connected> | undefined;
  let connected = false;
  let closed = false;
  const connect = (): Promise<Connected> => {
    if (current) return current;
    const one: Promise<Connected> = open(where, listeners, (error) => reconnect(one, error));
    current = one;
    one.then(
      () => {
        connected = true;
        for (const topic of Object.values(listeners)) for (const tell of topic) tell(ANY_ID);
      },
      (error: unknown) => reconnect(one, error),
    );
    return one;
  };
  // A connection that drops says so several times, maybe when there is a new one already.
  function reconnect(one: Promise<Connected>, error: unknown): void {
    if (closed || current !== one) return;
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
    close: async () => {
      closed = true;
      const open = await current?.catch(() => undefined);
      await open?.client.end().catch(() => {});
    },
  };
}

type Listeners = { [T in Topic]: Set<(id: string) => void> };

type Connected = { client: pg.Client; number: number };

async function open(
  where: pg.PoolConfig | string,
  listeners: Listeners,
  dropped: (error?: Error) => void,
): Promise<Connected> {
  const client = new pg.Client({
    ...(typeof where === "string" ? { connectionString: where } : where),
    application_name: "kay node",
    keepAlive: true,
  });
  client.on("error", dropped);
  client.on("end", () => dropped());
  client.on("notification", ({ channel, payload = "" }) => {
    for (const topic of Object.keys(CHANNELS) as Topic[])
      if (CHANNELS[topic] === channel) for (const tell of listeners[topic]) tell(payload);
  });
  try {
    await client.connect();
    // So that the server notices within seconds when the machine of a node is gone without a word.
    await client.query("set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3");
    const { rows } = await client.query<{ number: number }>("select nextval('node_numbers')::int as number");
    const number = rows[0]?.number ?? 0;
    await client.query("select pg_advisory_lock($1, $2)", [NODE_LOCK, number]);
    await client.query(
      Object.values(CHANNELS)
        .map((channel) => `listen ${channel}`)
        .join("; "),
    );
    return { client, number };
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** Returns whether another living node could continue this node's work. */
export async function hasOtherNodes(db: DbConnection, node: number): Promise<boolean> {
  const { rows } = await sql<{
    others: boolean;
  }>`select exists (select from (${sql.raw(LIVE_NODES_SQL)}) as living (node)
    where node <> ${node}) as others`.execute(db);
  return rows[0]?.others === true;
}

/** What all nodes of a database are at: how many live, and the generations that are not over. */
export type WorkStatus = { nodes: number; generations: Partial<Record<GenerationStatus, number>> };

export async function getWorkStatus(db: DbConnection): Promise<WorkStatus> {
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
  };
}
