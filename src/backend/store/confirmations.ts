import type { Kysely } from "kysely";
import { cleanText, toJsonColumn } from "./column-types.ts";
import type { Database } from "./schema.ts";

/** A held request as stored. `plan` is what `confirm.ts` needs to continue. */
export type StoredConfirmation = {
  generationId: string;
  conversationId: string;
  prompt: string;
  context: Record<string, unknown>;
  plan: unknown;
  interactive: boolean;
  expiresAt: Date;
  answeredAt: Date | null;
  approved: boolean | null;
};

/** Stores a held request under the hash of its token. */
export async function insertConfirmation(
  db: Kysely<Database>,
  hash: Buffer,
  installationId: string,
  confirmation: Omit<StoredConfirmation, "answeredAt" | "approved">,
  now: number,
): Promise<void> {
  await db
    .insertInto("confirmations")
    .values({
      hash,
      installation_id: installationId,
      generation_id: confirmation.generationId,
      conversation_id: confirmation.conversationId,
      prompt: cleanText(confirmation.prompt),
      context: toJsonColumn(confirmation.context),
      plan: toJsonColumn(confirmation.plan),
      interactive: confirmation.interactive,
      created_at: new Date(now),
      expires_at: confirmation.expiresAt,
    })
    .execute();
}

/**
 * Answers a confirmation once. The first answer before the deadline wins, from any process or node.
 *
 * @returns the confirmation when this answer won, otherwise `undefined`
 */
export async function answerConfirmation(
  db: Kysely<Database>,
  hash: Buffer,
  installationId: string,
  approved: boolean,
  now: number,
): Promise<StoredConfirmation | undefined> {
  const date = new Date(now);
  const row = await db
    .updateTable("confirmations")
    .set({ answered_at: date, approved })
    .where("hash", "=", hash)
    .where("installation_id", "=", installationId)
    .where("answered_at", "is", null)
    .where("expires_at", ">", date)
    .returningAll()
    .executeTakeFirst();
  return row && toStoredConfirmation(row);
}

/** Finds the confirmation of a token, if it belongs to the installation. */
export async function findConfirmation(
  db: Kysely<Database>,
  hash: Buffer,
  installationId: string,
): Promise<StoredConfirmation | undefined> {
  const query = db.selectFrom("confirmations").selectAll().where("hash", "=", hash);
  const row = await query.where("installation_id", "=", installationId).executeTakeFirst();
  return row && toStoredConfirmation(row);
}

/** Returns the plan that was approved last for a generation. */
export async function findApprovedPlan(db: Kysely<Database>, generationId: string): Promise<unknown> {
  const query = db.selectFrom("confirmations").select("plan").where("generation_id", "=", generationId);
  const row = await query.where("approved", "=", true).orderBy("answered_at", "desc").limit(1).executeTakeFirst();
  return row?.plan;
}

type Row = {
  generation_id: string;
  conversation_id: string;
  prompt: string;
  context: Record<string, unknown>;
  plan: unknown;
  interactive: boolean;
  expires_at: Date;
  answered_at: Date | null;
  approved: boolean | null;
};

function toStoredConfirmation(row: Row): StoredConfirmation {
  return {
    generationId: row.generation_id,
    conversationId: row.conversation_id,
    prompt: row.prompt,
    context: row.context,
    plan: row.plan,
    interactive: row.interactive,
    expiresAt: row.expires_at,
    answeredAt: row.answered_at,
    approved: row.approved,
  };
}

/** Deletes confirmations that expired long ago. Called at start-up. */
export async function forgetConfirmationsBefore(db: Kysely<Database>, time: Date): Promise<void> {
  await db.deleteFrom("confirmations").where("expires_at", "<", time).execute();
}
