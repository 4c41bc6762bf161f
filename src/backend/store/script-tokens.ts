import type { Selectable } from "kysely";
import { cleanText } from "./column-types.ts";
import type { DbConnection } from "./schema.ts";
import type { ScriptTokens } from "./schema-accounts.ts";

/** A script token as stored, without its secret. */
export type StoredScriptToken = Selectable<ScriptTokens>;

const COLUMNS = [
  "id",
  "installation_id",
  "name",
  "secret_hash",
  "created_at",
  "expires_at",
  "used_at",
  "revoked_at",
] as const;

/** Builds the query for `readTogether`. */
export function queryScriptToken(db: DbConnection, id: string) {
  return db.selectFrom("script_tokens").select(COLUMNS).where("id", "=", id);
}

export async function insertScriptToken(
  db: DbConnection,
  token: Omit<StoredScriptToken, "used_at" | "revoked_at">,
): Promise<StoredScriptToken> {
  const values = { ...token, name: cleanText(token.name), used_at: null, revoked_at: null };
  return await db.insertInto("script_tokens").values(values).returning(COLUMNS).executeTakeFirstOrThrow();
}

/** Lists the tokens of an installation that are not revoked, oldest first. */
export async function listScriptTokens(db: DbConnection, installationId: string): Promise<StoredScriptToken[]> {
  return await db
    .selectFrom("script_tokens")
    .select(COLUMNS)
    .where("installation_id", "=", installationId)
    .where("revoked_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** Revokes a token; a repeat changes nothing. Returns it, or undefined if the installation has none with this ID. */
export async function revokeScriptToken(
  db: DbConnection,
  installationId: string,
  id: string,
  now: Date,
): Promise<StoredScriptToken | undefined> {
  return await db
    .updateTable("script_tokens")
    .set(({ fn, val }) => ({ revoked_at: fn.coalesce("revoked_at", val(now)) }))
    .where("installation_id", "=", installationId)
    .where("id", "=", id)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Revokes the tokens of an installation that were created since a time. */
export async function revokeScriptTokensSince(
  db: DbConnection,
  installationId: string,
  since: Date,
  now: Date,
): Promise<void> {
  await db
    .updateTable("script_tokens")
    .set({ revoked_at: now })
    .where("installation_id", "=", installationId)
    .where("created_at", ">=", since)
    .where("revoked_at", "is", null)
    .execute();
}

/** Deletes the tokens of an installation that were revoked or expired before a time. */
export async function deleteScriptTokensBefore(db: DbConnection, installationId: string, time: Date): Promise<void> {
  await db
    .deleteFrom("script_tokens")
    .where("installation_id", "=", installationId)
    .where((where) => where.or([where("revoked_at", "<", time), where("expires_at", "<", time)]))
    .execute();
}

/** Records a use, unless one after `unlessAfter` is recorded. */
export async function touchScriptToken(db: DbConnection, id: string, now: Date, unlessAfter: Date): Promise<void> {
  await db
    .updateTable("script_tokens")
    .set({ used_at: now })
    .where("id", "=", id)
    .where((where) => where.or([where("used_at", "is", null), where("used_at", "<=", unlessAfter)]))
    .execute();
}

/** Returns which of these tokens are valid. */
export async function listValidScriptTokens(db: DbConnection, ids: string[], now: Date): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("script_tokens")
    .select("id")
    .where("id", "in", ids)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .execute();
  return rows.map(({ id }) => id);
}
