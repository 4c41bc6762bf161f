import type { ModelMessage } from "ai";
import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import { cleanText, toJsonColumn } from "./column-types.ts";
import { createConversationId } from "./new-conversation.ts";
import type { Database, DbConnection } from "./schema.ts";
import type { Messages } from "./schema-work.ts";

/** Creates a conversation of an installation. */
export async function createConversation(
  db: Kysely<Database>,
  {
    installationId,
    interactive,
    title,
    now,
  }: { installationId: string; interactive: boolean; title: string; now: number },
): Promise<string> {
  const id = createConversationId(now);
  const date = new Date(now);
  await db
    .insertInto("conversations")
    .values({
      id,
      installation_id: installationId,
      title: cleanText(title.slice(0, 120)),
      interactive,
      created_at: date,
      updated_at: date,
    })
    .execute();
  return id;
}

/**
 * Locks a conversation until the transaction ends, so that decisions about its generations stay valid.
 *
 * @returns the number of its latest event
 */
export async function lockConversation(tx: DbConnection, id: string): Promise<number> {
  const query = tx.selectFrom("conversations").select("last_event").where("id", "=", id);
  return (await query.forUpdate().executeTakeFirst())?.last_event ?? 0;
}

/** Returns whether the conversation exists and belongs to the installation. */
export async function isConversationOwner(db: Kysely<Database>, installationId: string, id: string): Promise<boolean> {
  const query = db.selectFrom("conversations").select("id").where("id", "=", cleanText(id));
  return (await query.where("installation_id", "=", installationId).executeTakeFirst()) !== undefined;
}

/**
 * Loads the messages of a generation in order: those that were there when it began, and its own. Messages in between
 * belong to other generations.
 */
export async function loadMessages(
  db: DbConnection,
  id: string,
  place: { seen: number; generationId: string },
): Promise<ModelMessage[]> {
  return (await queryMessages(db, id, place).execute()).map(toMessage);
}

export function toMessage({ message }: Pick<Selectable<Messages>, "message">): ModelMessage {
  return message as unknown as ModelMessage;
}

/** Builds the query for `readTogether`. */
export function queryMessages(
  db: DbConnection,
  id: string,
  { seen, generationId }: { seen: number; generationId: string },
) {
  return db
    .selectFrom("messages")
    .select("message")
    .where("conversation_id", "=", id)
    .where((e) => e.or([e("sequence", "<=", seen), e("generation_id", "=", generationId)]))
    .orderBy("sequence");
}

/** Loads the messages before a generation, whether it has begun or not. */
export async function loadMessagesBefore(db: DbConnection, id: string, generationId: string): Promise<ModelMessage[]> {
  const rows = await db
    .selectFrom("messages")
    .select(["message", "generation_id"])
    .where("conversation_id", "=", id)
    .orderBy("sequence")
    .execute();
  const index = rows.findIndex((row) => row.generation_id === generationId);
  return rows.slice(0, index === -1 ? rows.length : index).map(({ message }) => message as unknown as ModelMessage);
}

/** Returns the latest message of a conversation. */
export async function findLastMessage(db: DbConnection, id: string): Promise<ModelMessage | undefined> {
  const newest = db.selectFrom("messages").select("message").where("conversation_id", "=", id);
  const row = await newest.orderBy("sequence", "desc").limit(1).executeTakeFirst();
  return row && (row.message as unknown as ModelMessage);
}

/** Returns the latest message that a generation wrote. */
export async function findLastGenerationMessage(
  db: DbConnection,
  id: string,
  generationId: string,
): Promise<ModelMessage | undefined> {
  const all = db.selectFrom("messages").select("message").where("conversation_id", "=", id);
  const row = await all
    .where("generation_id", "=", generationId)
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && (row.message as unknown as ModelMessage);
}

/**
 * Appends messages that belong together, numbered under the lock of the conversation's row, so that two nodes never
 * collide.
 *
 * @param tx their transaction
 * @returns the number of messages in the conversation
 */
export async function appendMessages(
  tx: DbConnection,
  id: string,
  { messages, generationId, now }: { messages: ModelMessage[]; generationId: string | null; now: number },
): Promise<number> {
  const date = new Date(now);
  await tx.updateTable("conversations").set({ updated_at: date }).where("id", "=", id).execute();
  const { rows } = await sql<{ sequence: number }>`with last as (
      select coalesce(max(sequence), 0) as sequence from messages where conversation_id = ${id}),
    added as (insert into "messages" (conversation_id, sequence, message, generation_id, created_at)
      select ${id}, last.sequence + place, given, ${generationId}, ${date}::timestamptz
      from last, jsonb_array_elements(${toJsonColumn(messages)}::jsonb) with ordinality as given (given, place))
    select sequence + ${messages.length}::int as sequence from last`.execute(tx);
  return rows[0]?.sequence ?? 0;
}

/** Returns a change that appends messages under a `Condition`, without the lock: see {@link isMessageCollision}. */
export function appendMessagesSql(
  id: string,
  { messages, generationId, now }: { messages: ModelMessage[]; generationId: string | null; now: number },
): RawBuilder<unknown> {
  return sql`insert into "messages" (conversation_id, sequence, message, generation_id, created_at)
    select ${id}, last.sequence + place, given, ${generationId}, ${new Date(now)}::timestamptz
    from held, (select coalesce(max(sequence), 0) as sequence from messages where conversation_id = ${id}) as last,
      jsonb_array_elements(${toJsonColumn(messages)}::jsonb) with ordinality as given (given, place)`;
}

/** Whether another generation of the conversation got the number first. Nothing was written, and the next attempt sees that message. */
export function isMessageCollision(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === "messages_pkey";
}

/** Loads the titles of conversations by ID. */
export async function loadTitles(db: DbConnection, ids: string[]): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("conversations").select(["id", "title"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, title }) => [id, title]));
}
