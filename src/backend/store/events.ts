import { type Kysely, type Selectable, sql } from "kysely";
import type { StreamPart } from "#protocol/events";
import type { Connection } from "./connection.ts";
import { jsonColumn } from "./json.ts";
import { notification } from "./node.ts";
import type { Database } from "./schema.ts";
import type { Events } from "./schema-work.ts";

/** One row of a conversation's log. */
export type StoredEvent = { number: number; generationId: string | null; part: StreamPart; at: Date };

/** A part to be appended, and the generation it belongs to. */
export type NewEvent = { generationId: string | null; part: StreamPart };

/**
 * Append parts to a conversation's log. Numbers are taken under the lock of the conversation's row, so whoever reads number n has all before
 * it; a global sequence would show later numbers first. Every node is told when the transaction commits.
 *
 * @param tx the transaction that makes the change which the parts tell of
 */
export async function appendEvents(
  tx: Connection,
  conversationId: string,
  events: NewEvent[],
  now: number,
): Promise<void> {
  if (events.length === 0) return;
  const { last } = await tx
    .updateTable("conversations")
    .set({ last_event: sql<number>`last_event + ${events.length}`, updated_at: new Date(now) })
    .where("id", "=", conversationId)
    .returning("last_event as last")
    .executeTakeFirstOrThrow();
  const rows = events.map(({ generationId, part }, index) => ({
    conversation_id: conversationId,
    number: last - events.length + index + 1,
    generation_id: generationId,
    part: jsonColumn(part),
    created_at: new Date(now),
  }));
  await tx.insertInto("events").values(rows).execute();
  await sql`select pg_notify(${notification("events")}, ${conversationId})`.execute(tx);
}

/** The log after a number, oldest first. */
export async function readEvents(
  db: Kysely<Database>,
  conversationId: string,
  after: number,
  limit = 500,
): Promise<StoredEvent[]> {
  const rows = await db
    .selectFrom("events")
    .selectAll()
    .where("conversation_id", "=", conversationId)
    .where("number", ">", after)
    .orderBy("number")
    .limit(limit)
    .execute();
  return rows.map(stored);
}

/** What a generation wrote so far, oldest first. */
export async function eventsOf(db: Kysely<Database>, generationId: string): Promise<StoredEvent[]> {
  const rows = await db
    .selectFrom("events")
    .selectAll()
    .where("generation_id", "=", generationId)
    .orderBy("number")
    .execute();
  return rows.map(stored);
}

/** Whether a person did something for a generation after a time: answered one of its requests, or connected a service that it waited for. */
export async function attendedSince(db: Kysely<Database>, generationId: string, since: Date): Promise<boolean> {
  const later = db.selectFrom("events").select("number").where("generation_id", "=", generationId);
  const query = later.where("created_at", ">", since).where(
    sql<boolean>`(part ->> 'type' = 'data-interaction-response' and part -> 'data' ->> 'action' != 'expire'
      or part ->> 'type' = 'data-auth-progress' or part ->> 'type' = 'data-auth-result' and part -> 'data' ->> 'success' = 'true')`,
  );
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Number of the newest event; 0 before the first. */
export async function lastEvent(db: Kysely<Database>, conversationId: string): Promise<number> {
  const query = db.selectFrom("conversations").select("last_event").where("id", "=", conversationId);
  return (await query.executeTakeFirst())?.last_event ?? 0;
}

function stored({ number, generation_id, part, created_at }: Selectable<Events>): StoredEvent {
  return { number, generationId: generation_id, part, at: created_at };
}
