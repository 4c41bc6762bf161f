import type { Insertable, Selectable } from "kysely";
import type { DbConnection } from "./schema.ts";
import type { Families, RefreshTokens } from "./schema-accounts.ts";

/** Listed, because a prepared `select *` fails once a newer node adds a column. */
const FAMILY = ["id", "installation_id", "created_at", "expires_at", "revoked_at", "revoked_reason"] as const;

/** One sign-in of an installation. */
export type TokenFamily = Selectable<Families>;

export async function insertFamily(
  db: DbConnection,
  family: Omit<Insertable<Families>, "revoked_at" | "revoked_reason">,
) {
  await db
    .insertInto("families")
    .values({ ...family, revoked_at: null, revoked_reason: null })
    .execute();
}

export async function findFamily(db: DbConnection, id: string): Promise<TokenFamily | undefined> {
  return await queryFamily(db, id).executeTakeFirst();
}

/** Builds the query for `readTogether`. */
export function queryFamily(db: DbConnection, id: string) {
  return db.selectFrom("families").select(FAMILY).where("id", "=", id);
}

/** Finds a sign-in and locks it until the transaction ends, so that its rotations run one after another. */
export async function lockFamily(db: DbConnection, id: string): Promise<TokenFamily | undefined> {
  return db.selectFrom("families").select(FAMILY).where("id", "=", id).forUpdate().executeTakeFirst();
}

/** Whether an installation is signed in anywhere: a sign-in not revoked, with a refresh token that can still be spent. */
export async function hasLiveFamily(db: DbConnection, installationId: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom("families")
    .innerJoin("refresh_tokens", "refresh_tokens.family_id", "families.id")
    .select("families.id")
    .where("families.installation_id", "=", installationId)
    .where("families.revoked_at", "is", null)
    .where("families.expires_at", ">", now)
    .where("refresh_tokens.spent_at", "is", null)
    .where("refresh_tokens.expires_at", ">", now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns which of these sign-ins have not ended. */
export async function listLiveFamilies(db: DbConnection, ids: string[], now: Date): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("families")
    .select("id")
    .where("id", "in", ids)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes the sign-ins of an installation that ended before `time`, with their tokens. */
export async function deleteFamiliesBefore(db: DbConnection, installationId: string, time: Date): Promise<void> {
  await db
    .deleteFrom("families")
    .where("installation_id", "=", installationId)
    .where("expires_at", "<", time)
    .execute();
}

/** Revokes a sign-in. The first reason stays. */
export async function revokeFamily(db: DbConnection, id: string, reason: string, now: Date): Promise<void> {
  await db
    .updateTable("families")
    .set({ revoked_at: now, revoked_reason: reason })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .execute();
}

/** Revokes the sign-ins of an installation that began since a time. */
export async function revokeFamiliesSince(
  db: DbConnection,
  installationId: string,
  since: Date,
  now: Date,
): Promise<void> {
  await db
    .updateTable("families")
    .set({ revoked_at: now, revoked_reason: "undone" })
    .where("installation_id", "=", installationId)
    .where("created_at", ">=", since)
    .where("revoked_at", "is", null)
    .execute();
}

/** A refresh token of a sign-in. */
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
