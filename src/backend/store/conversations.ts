import { randomBytes } from "node:crypto";
import type { ModelMessage } from "ai";
import type { Kysely } from "kysely";
import { cleanText, jsonColumn } from "./json.ts";
import type { Database } from "./schema.ts";

/** A new conversation of an installation. Its id is the guide's `session_<ms>_<random>`, not to be guessed. */
export async function createConversation(
  db: Kysely<Database>,
  {
    installationId,
    interactive,
    title,
    now,
  }: { installationId: string; interactive: boolean; title: string; now: number },
): Promise<string> {
  const id = `session_${now}_${randomBytes(16).toString("hex")}`;
  const at = new Date(now);
  await db
    .insertInto("conversations")
    .values({
      id,
      installation_id: installationId,
      title: cleanText(title.slice(0, 120)),
      interactive,
      created_at: at,
      updated_at: at,
    })
    .execute();
  return id;
}

/** Whether the conversation exists and belongs to the installation. Somebody else's does not exist. */
export async function ownsConversation(db: Kysely<Database>, installationId: string, id: string): Promise<boolean> {
  const query = db.selectFrom("conversations").select("id").where("id", "=", cleanText(id));
  return (await query.where("installation_id", "=", installationId).executeTakeFirst()) !== undefined;
}

/** The conversation's messages in order, at most the first `limit`. */
export async function loadMessages(db: Kysely<Database>, id: string, limit?: number): Promise<ModelMessage[]> {
  let query = db.selectFrom("messages").select("message").where("conversation_id", "=", id).orderBy("sequence");
  if (limit !== undefined) query = query.limit(limit);
  const rows = await query.execute();
  return rows.map(({ message }) => message as unknown as ModelMessage);
}

/**
 * Append messages that belong together, all or none, numbered under the lock of the conversation's row so that two nodes never collide.
 *
 * @returns how many messages the conversation has now
 */
export async function appendMessages(
  db: Kysely<Database>,
  id: string,
  messages: ModelMessage[],
  now: number,
): Promise<number> {
  const at = new Date(now);
  return await db.transaction().execute(async (tx) => {
    await tx.updateTable("conversations").set({ updated_at: at }).where("id", "=", id).execute();
    const { last } = await tx
      .selectFrom("messages")
      .select((e) => e.fn.coalesce(e.fn.max("sequence"), e.lit(0)).as("last"))
      .where("conversation_id", "=", id)
      .executeTakeFirstOrThrow();
    const rows = messages.map((message, index) => ({
      conversation_id: id,
      sequence: last + index + 1,
      message: jsonColumn(message),
      created_at: at,
    }));
    if (rows.length > 0) await tx.insertInto("messages").values(rows).execute();
    return last + rows.length;
  });
}
