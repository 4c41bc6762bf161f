import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { StreamPart } from "#protocol/events";
import { toJsonColumn } from "./column-types.ts";
import type { Database, DbConnection } from "./schema.ts";
import type { Events, StoredEvent } from "./schema-work.ts";
import { publishDoubt, wake } from "./wake-ups.ts";

/** A part to append, and its generation. */
export type NewEvent = { generationId: string | null; part: StreamPart };

/** The generation whose parts are written, and the node that must be running it. */
export type Holder = { generationId: string; node: number };

/**
 * A condition for writing, as the first queries of the statement. The last one is named `held` and has no row if the
 * condition fails. Each of `changes` reads `held`. `question` is answered as of the start of the statement.
 */
export type Condition = {
  queries: RawBuilder<unknown>[];
  changes: RawBuilder<unknown>[];
  question?: RawBuilder<boolean>;
};

/**
 * Requires that the holder still runs its generation. The row is locked until everything is written, so that no other
 * node claims it.
 * @param extraCondition further conditions for the row
 */
export function createHeldCondition(
  { generationId, node }: Holder,
  changes: RawBuilder<unknown>[] = [],
  extraCondition: RawBuilder<unknown> = sql`true`,
): Condition {
  const heldRow = sql`held as materialized (select id from generations
    where id = ${generationId} and finished_at is null and node = ${node} and ${extraCondition} for no key update)`;
  return { queries: [heldRow], changes };
}

/** Runs such a change alone, in a transaction that has checked the condition itself. */
export async function runHeldChange(
  tx: DbConnection,
  generationId: string,
  change: RawBuilder<unknown>,
): Promise<void> {
  await sql`with held as (select ${generationId}::text as id) ${change}`.execute(tx);
}

/**
 * Appends parts to a conversation's log. Numbers are assigned under the lock of the conversation's row, so a reader of
 * number n has all earlier ones; a global sequence could show later numbers first. Followers are notified after the
 * commit; those in this process get the parts themselves.
 *
 * It is one statement, so parts and the changes they report need no surrounding transaction, and the lock is held no
 * longer than that.
 * @param tx the transaction of further changes that the parts report
 * @param condition if absent, the parts are written in any case
 * @returns the answer to the question of the condition; undefined if it is not met; then nothing is written
 */
export async function appendEvents(
  tx: DbConnection,
  conversationId: string,
  events: NewEvent[],
  now: number,
  condition?: Condition,
): Promise<{ answer?: boolean } | undefined> {
  const { queries, changes, question } = condition ?? { queries: [], changes: [] };
  if (events.length === 0 && changes.length === 0) return {};
  const date = new Date(now);
  const text = toJsonColumn(events);
  const log = [
    sql`numbered as (update conversations set last_event = last_event + ${events.length}, updated_at = ${date}
      ${condition ? sql`from held` : sql``} where conversations.id = ${conversationId} returning last_event)`,
    sql`added as (insert into events (conversation_id, number, generation_id, part, created_at)
      select ${conversationId}, last_event - ${events.length}::int + place, given ->> 'generationId', given -> 'part', ${date}::timestamptz
      from numbered, jsonb_array_elements(${text}::jsonb) with ordinality as parts (given, place))`,
  ];
  const tables = changes.map((change, index) => sql`${sql.id(`change_${index}`)} as (${change})`);
  const columns = [
    ...(events.length > 0 ? [sql`last_event as last`] : []),
    ...(question ? [sql`(${question}) as answer`] : []),
  ];
  const statement = sql<{
    last?: number;
    answer?: boolean;
  }>`with ${sql.join([...queries, ...(events.length > 0 ? log : []), ...tables])}
    select ${sql.join(columns)} from ${events.length > 0 ? sql`numbered` : sql`held`}`;
  const listDoubts = () => [{ topic: "events" as const, id: conversationId }];
  const { rows } = await publishDoubt(tx, listDoubts, () => statement.execute(tx));
  const [first] = rows;
  if (first?.last !== undefined)
    wake(tx, { topic: "events", id: conversationId, events: parseWritten(text, first.last - events.length, date) });
  return first && (first.answer === undefined ? {} : { answer: first.answer });
}

/** Returns the rows as they were written, after a number. */
export function parseWritten(text: string, lastNumber: number, date: Date): StoredEvent[] {
  return (JSON.parse(text) as NewEvent[]).map((event, index) => ({
    ...event,
    number: lastNumber + index + 1,
    at: date,
  }));
}

/** Listed, because a prepared `select *` fails once a newer node adds a column. */
const COLUMNS = ["conversation_id", "number", "generation_id", "part", "created_at"] as const;

/** Maximum number of events that one read returns. */
export const MAX_EVENTS_PER_READ = 500;

/** Returns the log after a number, oldest first. */
export async function readEvents(
  db: Kysely<Database>,
  conversationId: string,
  after: number,
  limit = MAX_EVENTS_PER_READ,
): Promise<StoredEvent[]> {
  const rows = await db
    .selectFrom("events")
    .select(COLUMNS)
    .where("conversation_id", "=", conversationId)
    .where("number", ">", after)
    .orderBy("number")
    .limit(limit)
    .execute();
  return rows.map(toStoredEvent);
}

/** Returns the conversations whose log has more events than known. */
export async function listGrown(
  db: Kysely<Database>,
  conversations: { id: string; last: number }[],
): Promise<string[]> {
  if (conversations.length === 0) return [];
  const { rows } = await sql<{ id: string }>`select id from conversations
    join unnest(${conversations.map(({ id }) => id)}::text[], ${conversations.map(({ last }) => last)}::integer[]) as known (id, last) using (id)
    where last_event > last`.execute(db);
  return rows.map(({ id }) => id);
}

/** Lists the events of a generation so far, oldest first. */
export async function listEvents(db: Kysely<Database>, generationId: string): Promise<StoredEvent[]> {
  const rows = await db
    .selectFrom("events")
    .select(COLUMNS)
    .where("generation_id", "=", generationId)
    .orderBy("number")
    .execute();
  return rows.map(toStoredEvent);
}

/**
 * Whether a person did something for a generation after an event of its conversation: answered one of its requests, or connected a service that
 * it waited for.
 */
export async function wasAttendedSince(db: Kysely<Database>, generationId: string, after: number): Promise<boolean> {
  const later = db.selectFrom("events").select("number").where("generation_id", "=", generationId);
  const query = later.where("number", ">", after).where(
    sql<boolean>`(part ->> 'type' = 'data-interaction-response' and part -> 'data' ->> 'action' != 'expire'
      or part ->> 'type' = 'data-auth-progress' or part ->> 'type' = 'data-auth-result' and part -> 'data' ->> 'success' = 'true')`,
  );
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Returns how the latest request of a generation to connect services ended; undefined if none has. */
export async function findLastAuthResult(db: Kysely<Database>, generationId: string): Promise<AuthResult | undefined> {
  const events = db.selectFrom("events").select("part").where("generation_id", "=", generationId);
  const results = events.where(sql<boolean>`part ->> 'type' = 'data-auth-result'`).orderBy("number", "desc");
  const part = (await results.limit(1).executeTakeFirst())?.part;
  return part?.type === "data-auth-result" ? part.data : undefined;
}

type AuthResult = Extract<StreamPart, { type: "data-auth-result" }>["data"];

/** Returns the number of the latest event; 0 before the first. */
export async function findLastEventNumber(db: Kysely<Database>, conversationId: string): Promise<number> {
  const query = db.selectFrom("conversations").select("last_event").where("id", "=", conversationId);
  return (await query.executeTakeFirst())?.last_event ?? 0;
}

function toStoredEvent({ number, generation_id, part, created_at }: Selectable<Events>): StoredEvent {
  return { number, generationId: generation_id, part, at: created_at };
}
