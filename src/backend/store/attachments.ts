import { randomBytes } from "node:crypto";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Attachment } from "#protocol/attachments";
import type { Database, DbConnection } from "./schema.ts";

/** A file to store with its request. */
export type StoredFile = Attachment & { bytes: Uint8Array };

/** Creates an ID, `att_…`. */
export function createAttachmentId(): string {
  return `att_${randomBytes(8).toString("hex")}`;
}

/** Stores the files of a request, as changes that are written together with its generation. */
export function insertAttachmentsSql(
  { conversationId, generationId }: { conversationId: string; generationId: string },
  files: StoredFile[],
): RawBuilder<unknown>[] {
  return files.map(
    ({ id, name, type, size, sha256, bytes }, position) =>
      sql`insert into "attachments" (id, conversation_id, generation_id, position, name, type, size, sha256, content)
        values (${id}, ${conversationId}, ${generationId}, ${position}::int, ${name}, ${type}, ${size}::int, ${sha256}, ${Buffer.from(bytes)})`,
  );
}

/**
 * Lists the files of a generation's request and of earlier requests in its conversation, newest first. The list of a
 * generation never changes, so a name always means the same file.
 */
export async function listAttachments(db: DbConnection, generationId: string): Promise<Attachment[]> {
  return await queryAttachments(db, generationId).execute();
}

/** Builds the query for `readTogether`. */
export function queryAttachments(db: DbConnection, generationId: string) {
  return db
    .selectFrom("generations as own")
    .innerJoin("attachments", "attachments.conversation_id", "own.conversation_id")
    .innerJoin("generations as given", "given.id", "attachments.generation_id")
    .select(["attachments.id", "name", "type", "size", "sha256"])
    .where("own.id", "=", generationId)
    .whereRef("given.created_at", "<=", "own.created_at")
    .orderBy("given.created_at", "desc")
    .orderBy("position");
}

/** Loads the bytes of files of one conversation by their IDs. */
export async function loadAttachments(
  db: Kysely<Database>,
  generationId: string,
  ids: string[],
): Promise<Map<string, Uint8Array>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("attachments")
    .innerJoin("generations", "generations.conversation_id", "attachments.conversation_id")
    .select(["attachments.id", "content"])
    .where("generations.id", "=", generationId)
    .where("attachments.id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, content }) => [id, content]));
}
