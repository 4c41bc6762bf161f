import { randomBytes } from "node:crypto";
import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { InteractionResponse } from "#protocol/interactions";
import { toJsonColumn } from "./column-types.ts";
import type { Condition } from "./events.ts";
import type { Database, DbConnection } from "./schema.ts";
import type { Interactions } from "./schema-work.ts";

/** Listed, because a prepared `select *` fails once a newer node adds a column. */
const COLUMNS = [
  "id",
  "installation_id",
  "conversation_id",
  "generation_id",
  "tool_call_id",
  "ordinal",
  "status",
  "late",
  "request",
  "response",
  "node",
  "stays",
  "created_at",
  "expires_at",
  "answered_at",
  "notified_at",
] as const;

/** A request to the user, as stored. */
export type StoredInteraction = Selectable<Interactions>;

/** Creates an ID such as `int_…`. It cannot be guessed, because it authorizes an answer. */
export function createInteractionId(): string {
  return `int_${randomBytes(16).toString("hex")}`;
}

/** Returns a change that stores a request together with the parts that ask it (`Condition`). */
export function insertInteractionSql(
  row: Pick<
    StoredInteraction,
    | "id"
    | "installation_id"
    | "conversation_id"
    | "generation_id"
    | "tool_call_id"
    | "ordinal"
    | "late"
    | "request"
    | "node"
    | "stays"
    | "created_at"
    | "expires_at"
  >,
): RawBuilder<unknown> {
  const request = { ...row, request: row.request, status: "open" };
  return sql`insert into "interactions" (${sql.join(Object.keys(request).map((name) => sql.id(name)))})
    select ${sql.join(Object.keys(request).map((name) => sql`given.${sql.id(name)}`))}
    from held, jsonb_populate_record(null::interactions, ${toJsonColumn(request)}::jsonb) as given`;
}

/**
 * Stores an answer and wakes its generation, as a condition of the parts that report it. Locks the generation first, as
 * everywhere.
 */
export function answerInteractionSql(
  { id, generation_id: generationId }: Pick<StoredInteraction, "id" | "generation_id">,
  response: InteractionResponse,
  now: number,
): Condition {
  const date = new Date(now);
  const queries = [
    sql`generation as materialized (select id from generations where id = ${generationId} and finished_at is null for no key update)`,
    sql`held as (update "interactions" set status = 'answered', response = ${toJsonColumn(response)}, answered_at = ${date}
      from (select count(*) from generation) as first
      where interactions.id = ${id} and status = 'open' and expires_at > ${date} returning interactions.id)`,
  ];
  const woken = sql`update "generations" set wake_at = ${date} from generation, held where generations.id = generation.id`;
  return { queries, changes: [woken] };
}

/**
 * Stores an answer and claims its generation for a node, if the generation waits only for this.
 *
 * @param version version of the generation's row as it was read, which must still be the same
 */
export function answerAndClaimSql(
  { id, generation_id: generationId }: Pick<StoredInteraction, "id" | "generation_id">,
  response: InteractionResponse,
  { version, node, now }: { version: string; node: number; now: number },
): Condition {
  const date = new Date(now);
  const queries = [
    sql`generation as materialized (select id from generations
      where id = ${generationId} and xmin::text = ${version} for no key update)`,
    sql`held as (update "interactions" set status = 'answered', response = ${toJsonColumn(response)}, answered_at = ${date}
      from generation where interactions.id = ${id} and status = 'open' and expires_at > ${date} returning interactions.id)`,
  ];
  const running = sql`update "generations" set "node" = ${node}, status = 'running', wake_at = null
    from generation, held where generations.id = generation.id`;
  return { queries, changes: [running] };
}

/** Lists the requests of a generation in order. */
export async function listInteractions(db: DbConnection, generationId: string): Promise<StoredInteraction[]> {
  return await queryInteractions(db, generationId).execute();
}

/** Builds the query for `readTogether`. */
export function queryInteractions(db: DbConnection, generationId: string) {
  const all = db.selectFrom("interactions").select(COLUMNS).where("generation_id", "=", generationId);
  return all.orderBy("created_at").orderBy("ordinal");
}

/** Finds the request at this ordinal of a call. */
export async function findInteractionAt(
  db: DbConnection,
  generationId: string,
  toolCallId: string,
  ordinal: number,
): Promise<StoredInteraction | undefined> {
  return await db
    .selectFrom("interactions")
    .select(COLUMNS)
    .where("generation_id", "=", generationId)
    .where("tool_call_id", "=", toolCallId)
    .where("ordinal", "=", ordinal)
    .executeTakeFirst();
}

/** Returns whether the user approved a call of a tool in a conversation, in any of its requests. */
export async function hasApproved(
  db: DbConnection,
  { conversation, toolName }: { conversation: string; toolName: string },
): Promise<boolean> {
  const interaction = await db
    .selectFrom("interactions")
    .select("id")
    .where("conversation_id", "=", conversation)
    .where(sql<string>`request ->> 'tool_name'`, "=", toolName)
    .where(sql<string>`response ->> 'action'`, "=", "approve")
    .limit(1)
    .executeTakeFirst();
  return interaction !== undefined;
}

/** Finds the latest request of a call at this ordinal, or at one from `from` on. */
export async function findNewestInteraction(
  db: DbConnection,
  { generationId, toolCallId }: { generationId: string; toolCallId: string },
  { place, from }: { place: number; from: number },
): Promise<StoredInteraction | undefined> {
  return await db
    .selectFrom("interactions")
    .select(COLUMNS)
    .where("generation_id", "=", generationId)
    .where("tool_call_id", "=", toolCallId)
    .where((e) => e.or([e("ordinal", "=", place), e("ordinal", ">=", from)]))
    .orderBy("ordinal", "desc")
    .limit(1)
    .executeTakeFirst();
}

export async function findInteraction(db: DbConnection, id: string): Promise<StoredInteraction | undefined> {
  return await queryInteraction(db, id).executeTakeFirst();
}

/** Builds the query for `readTogether`. */
export function queryInteraction(db: DbConnection, id: string) {
  return db.selectFrom("interactions").select(COLUMNS).where("id", "=", id);
}

/**
 * Ends an interaction. The first end wins, from any node or process. An answer counts only before `expires_at`.
 *
 * @returns whether this one won
 */
export async function closeInteraction(
  tx: DbConnection,
  id: string,
  status: "answered" | "expired" | "cancelled",
  response: InteractionResponse,
  now: number,
): Promise<boolean> {
  const date = new Date(now);
  let query = tx
    .updateTable("interactions")
    .set({ status, response: toJsonColumn(response), answered_at: date })
    .where("id", "=", id)
    .where("status", "=", "open");
  if (status === "answered") query = query.where("expires_at", ">", date);
  const { numUpdatedRows } = await query.executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Moves the deadline of an open request. @returns whether it was still open */
export async function extendInteraction(tx: DbConnection, id: string, until: Date, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("interactions")
    .set({
      expires_at: until,
      request: sql`jsonb_set(request, '{expires_at}', to_jsonb(${until.toISOString()}::text))`,
    })
    .where("id", "=", id)
    .where("status", "=", "open")
    .where("expires_at", ">", new Date(now))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Lists open requests that have expired. */
export async function listExpiredInteractions(db: Kysely<Database>, now: number): Promise<StoredInteraction[]> {
  return await db
    .selectFrom("interactions")
    .select(COLUMNS)
    .where("status", "=", "open")
    .where("expires_at", "<=", new Date(now))
    .limit(500)
    .execute();
}

/** Lists open requests that would expire before a time although a client that keeps them open is attached. */
export async function listExpiringSoon(db: Kysely<Database>, deadline: number): Promise<StoredInteraction[]> {
  return await db
    .selectFrom("interactions")
    .select(COLUMNS)
    .where("status", "=", "open")
    .where("stays", "=", true)
    .where("expires_at", "<=", new Date(deadline))
    .limit(500)
    .execute();
}

/** Lists the open requests of an installation, oldest first. */
export async function listOpenInteractions(db: Kysely<Database>, installationId: string): Promise<StoredInteraction[]> {
  return await db
    .selectFrom("interactions")
    .select(COLUMNS)
    .where("installation_id", "=", installationId)
    .where("status", "=", "open")
    .orderBy("created_at")
    .execute();
}
