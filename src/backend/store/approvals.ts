import { randomBytes } from "node:crypto";
import { type Kysely, type Selectable, sql } from "kysely";
import { cleanText } from "./column-types.ts";
import { lockInstallation } from "./installations.ts";
import type { Database, DbConnection } from "./schema.ts";
import type { Approvals } from "./schema-work.ts";

/** A saved approval as stored. */
export type Approval = Selectable<Approvals>;

/** Listed, because a prepared `select *` fails once a newer node adds a column. */
const COLUMNS = [
  "id",
  "installation_id",
  "conversation_id",
  "key",
  "tool",
  "words",
  "account",
  "target",
  "created_at",
  "expires_at",
  "last_used_at",
] as const;

/** What identifies the saved approval of a call. Without a conversation, only those that hold everywhere count. */
export type ApprovalQuestion = { installationId: string; conversationId?: string; key: string };

/**
 * Stores an approval in place of an older one with the same key and reach, and removes the installation's expired ones.
 * @returns `undefined` when the conversation does not exist or belongs to another installation
 */
export async function insertApproval(
  db: Kysely<Database>,
  approval: Omit<Approval, "id" | "last_used_at">,
): Promise<Approval | undefined> {
  const { installation_id: installationId, conversation_id: conversationId, key, created_at: now } = approval;
  const text = { tool: cleanText(approval.tool), words: cleanText(approval.words) };
  const account = approval.account === null ? null : cleanText(approval.account);
  return await db.transaction().execute(async (tx) => {
    // One at a time for an installation: two rows for one approval would leave one behind when it is revoked.
    await lockInstallation(tx, installationId);
    if (conversationId !== null && !(await holdConversation(tx, installationId, conversationId))) return undefined;
    await tx
      .deleteFrom("approvals")
      .where("installation_id", "=", installationId)
      .where((row) =>
        row.or([
          row("expires_at", "<=", now),
          row.and([row("key", "=", key), row("conversation_id", "is not distinct from", conversationId)]),
        ]),
      )
      .execute();
    const id = `approval_${randomBytes(8).toString("hex")}`;
    const values = { ...approval, ...text, account, id };
    return await tx.insertInto("approvals").values(values).returningAll().executeTakeFirstOrThrow();
  });
}

/** Finds the approval that covers a call now. One that holds everywhere is preferred to one of the conversation. */
export async function findApproval(
  db: Kysely<Database>,
  { key, ...place }: ApprovalQuestion,
  now: number,
): Promise<Approval | undefined> {
  return await queryUsable(db, place, now).where("key", "=", key).limit(1).executeTakeFirst();
}

/** Selects those that may cover calls of some tools at this moment, in the same order. */
export function queryApprovals(
  db: DbConnection,
  { tools, ...place }: Omit<ApprovalQuestion, "key"> & { tools: string[] },
  now: number,
) {
  return queryUsable(db, place, now).where("tool", "=", sql<string>`any(${tools.map(cleanText)}::text[])`);
}

function queryUsable(db: DbConnection, { installationId, conversationId }: Omit<ApprovalQuestion, "key">, now: number) {
  return db
    .selectFrom("approvals")
    .select(COLUMNS)
    .where("installation_id", "=", installationId)
    .where((row) =>
      row.or([row("conversation_id", "is", null), row("conversation_id", "=", cleanText(conversationId ?? ""))]),
    )
    .where((row) => row.or([row("expires_at", "is", null), row("expires_at", ">", new Date(now))]))
    .orderBy("conversation_id", (order) => order.desc().nullsFirst());
}

/** Records that an approval was used. Returns `false` if it was revoked in the meantime, so that it does not count. */
export async function touchApproval(db: Kysely<Database>, id: string, now: number): Promise<boolean> {
  const update = db
    .updateTable("approvals")
    .set({ last_used_at: new Date(now) })
    .where("id", "=", id);
  return (await update.returning("id").executeTakeFirst()) !== undefined;
}

/** Lists the approvals that are still valid, newest first. */
export async function listApprovals(db: Kysely<Database>, installationId: string, now: number): Promise<Approval[]> {
  return await db
    .selectFrom("approvals")
    .selectAll()
    .where("installation_id", "=", installationId)
    .where((row) => row.or([row("expires_at", "is", null), row("expires_at", ">", new Date(now))]))
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
}

/** Revokes approvals by ID. Returns those that existed. */
export async function deleteApprovals(
  db: Kysely<Database>,
  installationId: string,
  ids: string[],
): Promise<Approval[]> {
  if (ids.length === 0) return [];
  const rows = db.deleteFrom("approvals").where("installation_id", "=", installationId).where("id", "in", ids);
  return await rows.returningAll().execute();
}

/** Whether the conversation is the installation's; it stays as long as the transaction. */
async function holdConversation(tx: DbConnection, installationId: string, id: string): Promise<boolean> {
  const query = tx.selectFrom("conversations").select("id").where("id", "=", cleanText(id));
  return (await query.where("installation_id", "=", installationId).forKeyShare().executeTakeFirst()) !== undefined;
}
