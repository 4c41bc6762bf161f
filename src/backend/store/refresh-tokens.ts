import type { Insertable, Selectable } from "kysely";
import type { DbConnection } from "./connection.ts";
import type { RefreshTokens } from "./schema.ts";

/** One link in the chain of a sign-in. */
export type RefreshToken = Selectable<RefreshTokens>;

export async function insertRefreshToken(db: DbConnection, token: Omit<Insertable<RefreshTokens>, "spent_at">) {
  await db
    .insertInto("refresh_tokens")
    .values({ ...token, spent_at: null })
    .execute();
}

export async function findRefreshToken(db: DbConnection, hash: Buffer): Promise<RefreshToken | undefined> {
  return db.selectFrom("refresh_tokens").selectAll().where("hash", "=", hash).executeTakeFirst();
}

export async function findRefreshTokenAt(
  db: DbConnection,
  familyId: string,
  sequence: number,
): Promise<RefreshToken | undefined> {
  return db
    .selectFrom("refresh_tokens")
    .selectAll()
    .where("family_id", "=", familyId)
    .where("sequence", "=", sequence)
    .executeTakeFirst();
}

export async function spendRefreshToken(db: DbConnection, hash: Buffer, now: Date): Promise<void> {
  await db.updateTable("refresh_tokens").set({ spent_at: now }).where("hash", "=", hash).execute();
}
