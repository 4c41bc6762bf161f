import { randomBytes } from "node:crypto";
import { type Kysely, type Selectable, sql } from "kysely";
import type { Connection } from "./connection.ts";
import { jsonColumn } from "./json.ts";
import { LIVE_NODES, notification } from "./node.ts";
import type { Database, Generations } from "./schema.ts";

/** A generation as it is stored. */
export type StoredGeneration = Selectable<Generations>;

/**
 * A new answer to be made, `gen_…`. It begins when a node claims it; `status` is `paused` while it waits for its turn. Its time is after that of
 * every other one of the conversation, whatever the clocks of nodes say, so that turns are taken in the order they were asked for.
 */
export async function createGeneration(
  db: Connection,
  generation: {
    installationId: string;
    conversationId: string;
    status: "running" | "paused";
    options: object;
    now: number;
  },
): Promise<string> {
  const id = `gen_${randomBytes(16).toString("hex")}`;
  await db
    .insertInto("generations")
    .values({
      id,
      conversation_id: generation.conversationId,
      installation_id: generation.installationId,
      status: generation.status,
      options: jsonColumn(generation.options),
      created_at: sql`greatest(${new Date(generation.now)}::timestamptz, (select max(created_at) + interval '1 microsecond'
        from generations where conversation_id = ${generation.conversationId}))`,
    })
    .execute();
  return id;
}

export async function findGeneration(db: Connection, id: string): Promise<StoredGeneration | undefined> {
  return await db.selectFrom("generations").selectAll().where("id", "=", id).executeTakeFirst();
}

/**
 * Take a generation that is not over and that no living node works on. Exactly one node gets it.
 *
 * @returns as it was before, so that its status says what it waited for
 */
export async function claimGeneration(
  db: Kysely<Database>,
  id: string,
  node: number,
): Promise<StoredGeneration | undefined> {
  return await db.transaction().execute(async (tx) => {
    const before = await tx
      .selectFrom("generations")
      .selectAll()
      .where("id", "=", id)
      .where("finished_at", "is", null)
      .where(idle)
      .forUpdate()
      .executeTakeFirst();
    if (before) await tx.updateTable("generations").set({ node }).where("id", "=", id).execute();
    return before;
  });
}

/** Give a generation back that this node claimed. */
export async function releaseGeneration(db: Kysely<Database>, id: string, node: number): Promise<void> {
  const query = db.updateTable("generations").set({ node: null }).where("id", "=", id);
  await query.where("node", "=", node).where("finished_at", "is", null).execute();
}

/** Whether the generation is still this node's; held until the transaction ends, so that nobody takes it meanwhile. */
export async function holdsGeneration(tx: Connection, id: string, node: number): Promise<boolean> {
  const query = tx.selectFrom("generations").select("node").where("id", "=", id).where("finished_at", "is", null);
  return (await query.forNoKeyUpdate().executeTakeFirst())?.node === node;
}

/** What changes when a step ends, or when a generation waits or is over. */
export type GenerationChange = Partial<
  Pick<StoredGeneration, "status" | "node" | "steps" | "wake_at" | "paused_at" | "finished_at" | "cancel">
> & { options?: object; step?: object | null; auth?: object | null };

export async function changeGeneration(tx: Connection, id: string, change: GenerationChange): Promise<void> {
  const { options, step, auth, ...plain } = change;
  await tx
    .updateTable("generations")
    .set({
      ...plain,
      ...(options === undefined ? {} : { options: jsonColumn(options) }),
      ...(step === undefined ? {} : { step: step === null ? null : jsonColumn(step) }),
      ...(auth === undefined ? {} : { auth: auth === null ? null : jsonColumn(auth) }),
    })
    .where("id", "=", id)
    .execute();
}

/** Those of a conversation that are not over, in the order they were asked for. */
export async function openGenerations(db: Connection, conversationId: string): Promise<StoredGeneration[]> {
  return await db
    .selectFrom("generations")
    .selectAll()
    .where("conversation_id", "=", conversationId)
    .where("finished_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** Those that a node should look at: left by a node that is gone, waited for long enough, or answered without anybody noticing. */
export async function generationsToWake(db: Kysely<Database>, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom("generations")
    .select("id")
    .where("finished_at", "is", null)
    .where((e) =>
      e.or([
        e.and([e("status", "=", "running"), idle()]),
        e("wake_at", "<=", new Date(now)),
        e.and([
          e("node", "is", null),
          sql<boolean>`exists (select from interactions i
          where i.generation_id = generations.id and i.answered_at >= generations.paused_at and not i.late)`,
        ]),
        e.and([e("cancel", "is not", null), idle()]),
      ]),
    )
    .limit(500)
    .execute();
  return rows.map(({ id }) => id);
}

/** Waiting for this service to be connected. */
export async function awaitingService(
  db: Kysely<Database>,
  installationId: string,
  service: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom("generations")
    .select("id")
    .where("installation_id", "=", installationId)
    .where("status", "=", "awaiting_auth")
    .where("finished_at", "is", null)
    .where(sql<boolean>`auth -> 'integrations' ? ${service}`)
    .execute();
  return rows.map(({ id }) => id);
}

/** Those of an installation that wait for a connection. */
export async function awaitingAuth(db: Kysely<Database>, installationId: string): Promise<StoredGeneration[]> {
  return await db
    .selectFrom("generations")
    .selectAll()
    .where("installation_id", "=", installationId)
    .where("status", "=", "awaiting_auth")
    .where("finished_at", "is", null)
    .orderBy("created_at")
    .execute();
}

/** The same row, held until the transaction ends; undefined when it is over. */
export async function lockGeneration(tx: Connection, id: string): Promise<StoredGeneration | undefined> {
  const query = tx.selectFrom("generations").selectAll().where("id", "=", id).where("finished_at", "is", null);
  return await query.forNoKeyUpdate().executeTakeFirst();
}

/** Tell every node that somebody wants something of this generation. */
export async function notifyGeneration(db: Connection, id: string): Promise<void> {
  await sql`select pg_notify(${notification("generation")}, ${id})`.execute(db);
}

const idle = () => sql<boolean>`(node is null or node not in (${sql.raw(LIVE_NODES)}))`;
