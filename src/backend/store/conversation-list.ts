import type { Kysely, Selectable, SelectQueryBuilder } from "kysely";
import { sql } from "kysely";
import type { GenerationStatus } from "#protocol/events";
import { cleanText } from "./column-types.ts";
import type { Database, DbConnection } from "./schema.ts";

/** A conversation in a list. `status` is that of its latest generation. */
export type ListedConversation = Pick<
  Selectable<Database["conversations"]>,
  "id" | "title" | "created_at" | "updated_at" | "last_event"
> & { status: GenerationStatus | null };

/** Lists a page of an installation's conversations, latest activity first, and their total number. */
export async function listConversations(
  db: Kysely<Database>,
  installationId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ conversations: ListedConversation[]; total: number }> {
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (tx) => {
      const { total } = await tx
        .selectFrom("conversations")
        .select((row) => row.fn.countAll<string>().as("total"))
        .where("installation_id", "=", installationId)
        .executeTakeFirstOrThrow();
      const page = { installationId, offset, limit: Math.min(limit, Number(total) - offset), total: Number(total) };
      return { conversations: page.limit > 0 ? await format(tx, page) : [], total: page.total };
    });
}

/** Uses the index alone, from the nearer end, and reads only the rows of the page. */
async function format(
  tx: DbConnection,
  { installationId, offset, limit, total }: { installationId: string; offset: number; limit: number; total: number },
): Promise<ListedConversation[]> {
  const conversations = tx.selectFrom("conversations").select("id").where("installation_id", "=", installationId);
  const page =
    offset <= total / 2
      ? orderNewestFirst(conversations).offset(offset)
      : conversations
          .orderBy("updated_at")
          .orderBy("created_at")
          .orderBy("id", "desc")
          .offset(total - offset - limit);
  return await orderNewestFirst(list(tx, installationId).where("id", "in", page.limit(limit))).execute();
}

function orderNewestFirst<O>(query: SelectQueryBuilder<Database, "conversations", O>) {
  return query.orderBy("updated_at", "desc").orderBy("created_at", "desc").orderBy("id");
}

/** Finds one conversation. Another installation's does not exist. */
export async function findConversation(
  db: DbConnection,
  installationId: string,
  id: string,
): Promise<ListedConversation | undefined> {
  return await list(db, installationId).where("id", "=", cleanText(id)).executeTakeFirst();
}

/** Renames a conversation without changing its place in the list. Returns false when it does not exist. */
export async function renameConversation(
  db: Kysely<Database>,
  installationId: string,
  id: string,
  title: string,
): Promise<boolean> {
  const update = db
    .updateTable("conversations")
    .set({ title: cleanText(title) })
    .where("id", "=", cleanText(id));
  const row = await update.where("installation_id", "=", installationId).returning("id").executeTakeFirst();
  return row !== undefined;
}

/**
 * Deletes a conversation with all its data: messages, events, generations with their requests and effects, approvals,
 * confirmations and stored answers. Nothing is deleted while one of its generations runs, because its writes would have
 * no receipt.
 */
export async function deleteConversation(
  db: Kysely<Database>,
  installationId: string,
  key: string,
): Promise<"deleted" | "missing" | "busy"> {
  return await db.transaction().execute(async (tx) => {
    const conversations = tx.selectFrom("conversations").select("id").where("installation_id", "=", installationId);
    const conversation = await conversations.where("id", "=", cleanText(key)).forUpdate().executeTakeFirst();
    if (!conversation) return "missing";
    const { id } = conversation;
    const generations = tx.selectFrom("generations").select(["id", "status"]).where("conversation_id", "=", id);
    const rows = await generations.execute();
    if (rows.some(({ status }) => status === "running")) return "busy";
    const ids = rows.map((row) => row.id);
    if (ids.length > 0) await tx.deleteFrom("effects").where("generation_id", "in", ids).execute();
    await tx.deleteFrom("confirmations").where("conversation_id", "=", id).execute();
    await forgetAnswers(tx, installationId, [id, ...ids]);
    await tx.deleteFrom("conversations").where("id", "=", id).execute();
    return "deleted";
  });
}

/**
 * Deletes answers stored for an `Idempotency-Key`, by the conversation or generation that they name; a stream's by its
 * position.
 */
async function forgetAnswers(tx: DbConnection, installationId: string, ids: string[]): Promise<void> {
  await tx
    .deleteFrom("requests")
    .where("installation_id", "=", installationId)
    .where((row) =>
      row.or([
        row(sql<string>`answer ->> 'session_id'`, "in", ids),
        row(sql<string>`answer -> 'stream' ->> 'session_id'`, "in", ids),
        row(sql<string>`answer ->> 'generation_id'`, "in", ids),
      ]),
    )
    .execute();
}

function list(db: DbConnection, installationId: string) {
  return db
    .selectFrom("conversations")
    .select(["id", "title", "created_at", "updated_at", "last_event"])
    .select((row) =>
      row
        .selectFrom("generations")
        .select("status")
        .whereRef("generations.conversation_id", "=", "conversations.id")
        .orderBy("generations.created_at", "desc")
        .orderBy("generations.finished_at", (order) => order.desc().nullsFirst())
        .limit(1)
        .as("status"),
    )
    .where("installation_id", "=", installationId);
}
