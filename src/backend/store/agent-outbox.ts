import { type Kysely, sql } from "kysely";
import { toJsonColumn } from "./column-types.ts";
import { LIVE_NODES_SQL } from "./node.ts";
import type { Database, DbConnection } from "./schema.ts";

/**
 * A report to a webhook, without the session and the time that are added when it is sent. `key` is the same for a
 * report that is built again.
 */
export type NewReport = { key: string; report: { type: string } & Record<string, unknown> };

/** The next report to deliver. */
export type WaitingReport = { number: string; report: Record<string, unknown>; at: Date };

/** Adds a report in the transaction that makes it true. An existing one stays as it is. */
export async function addToOutbox(
  tx: DbConnection,
  generationId: string,
  reports: NewReport[],
  now: number,
): Promise<void> {
  if (reports.length === 0) return;
  const rows = reports.map(({ key, report }) => ({
    generation_id: generationId,
    key,
    report: toJsonColumn(report),
    created_at: new Date(now),
  }));
  const added = await tx
    .insertInto("agent_outbox")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning("number")
    .execute();
  if (added.length === 0) return;
  const query = tx
    .updateTable("agent_turns")
    .set({ deliver_at: sql`coalesce(deliver_at, ${new Date(now)}::timestamptz)` });
  await query.where("generation_id", "=", generationId).execute();
}

/** Claims the delivery of a turn's reports, if it is due and no live node has it. */
export async function claimDelivery(
  db: Kysely<Database>,
  generationId: string,
  node: number,
  now: number,
): Promise<{ sealedWebhook: Buffer; conversationId: string; expiresAt: Date; tries: number } | undefined> {
  const row = await db
    .updateTable("agent_turns")
    .set({ courier: node })
    .where("generation_id", "=", generationId)
    .where("deliver_at", "<=", new Date(now))
    .where(isLeftTo(node))
    .returning(["sealed_webhook", "conversation_id", "expires_at", "tries"])
    .executeTakeFirst();
  return (
    row && {
      sealedWebhook: row.sealed_webhook,
      conversationId: row.conversation_id,
      expiresAt: row.expires_at,
      tries: row.tries,
    }
  );
}

/** Returns the first undelivered report of a turn. */
export async function findNextReport(db: DbConnection, generationId: string): Promise<WaitingReport | undefined> {
  const row = await db
    .selectFrom("agent_outbox")
    .select(["number", "report", "created_at"])
    .where("generation_id", "=", generationId)
    .where("delivered_at", "is", null)
    .orderBy("number")
    .limit(1)
    .executeTakeFirst();
  return row && { number: row.number, report: row.report, at: row.created_at };
}

export async function markDelivered(db: Kysely<Database>, generationId: string, number: string, now: number) {
  await db
    .updateTable("agent_outbox")
    .set({ delivered_at: new Date(now) })
    .where("number", "=", number)
    .execute();
  await db.updateTable("agent_turns").set({ tries: 0 }).where("generation_id", "=", generationId).execute();
}

/** Postpones a delivery that failed. The first node at that time tries again. */
export async function postponeDelivery(
  db: Kysely<Database>,
  generationId: string,
  { tries, at }: { tries: number; at: number },
): Promise<void> {
  const query = db.updateTable("agent_turns").set({ courier: null, tries, deliver_at: new Date(at) });
  await query.where("generation_id", "=", generationId).execute();
}

/**
 * Marks a turn as delivered, unless a report was added in the meantime.
 *
 * @returns whether nothing is left
 */
export async function endDelivery(db: Kysely<Database>, generationId: string): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    await tx
      .selectFrom("agent_turns")
      .select("courier")
      .where("generation_id", "=", generationId)
      .forUpdate()
      .execute();
    if (await findNextReport(tx, generationId)) return false;
    const query = tx.updateTable("agent_turns").set({ courier: null, deliver_at: null, tries: 0 });
    await query.where("generation_id", "=", generationId).execute();
    return true;
  });
}

/** Drops the reports that will never be accepted. Returns how many there were. */
export async function dropOutbox(db: Kysely<Database>, generationId: string, now: number): Promise<number> {
  const query = db.updateTable("agent_outbox").set({ delivered_at: new Date(now) });
  const pending = query.where("generation_id", "=", generationId).where("delivered_at", "is", null);
  return Number((await pending.executeTakeFirst()).numUpdatedRows);
}

/** Lists the turns with undelivered reports that no living node delivers. */
export async function listTurnsToDeliver(db: Kysely<Database>, node: number, now: number): Promise<string[]> {
  const due = db.selectFrom("agent_turns").select("generation_id").where("deliver_at", "<=", new Date(now));
  const rows = await due.where(isLeftTo(node)).orderBy("deliver_at").limit(AT_ONCE).execute();
  return rows.map(({ generation_id }) => generation_id);
}

/** Maximum number of turns that one tick takes up. */
const AT_ONCE = 100;

const isLeftTo = (node: number) =>
  sql<boolean>`(courier is null or courier = ${node} or courier not in (${sql.raw(LIVE_NODES_SQL)}))`;
