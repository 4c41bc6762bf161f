import { type Insertable, type Selectable, sql } from "kysely";
import { cleanText, toJsonColumn } from "./column-types.ts";
import type { DbConnection, States } from "./schema.ts";

/** A pending authorization. */
export type AuthorizationState = Selectable<States>;

/** The fields of a new authorization; its end is not known yet. */
export type NewAuthorizationState = Pick<
  Insertable<States>,
  | "hash"
  | "installation_id"
  | "service"
  | "verifier"
  | "code_challenge"
  | "needs_tokens"
  | "signed_in"
  | "site"
  | "authorization"
  | "created_at"
  | "expires_at"
  | "user_code"
  | "requested_from"
>;

export async function insertState(db: DbConnection, state: NewAuthorizationState): Promise<void> {
  await db
    .insertInto("states")
    .values({
      ...state,
      site: state.site && cleanText(state.site),
      status: "pending",
      message: null,
      code: null,
      details: null,
      account_id: null,
    })
    .execute();
}

export async function findState(db: DbConnection, hash: Buffer): Promise<AuthorizationState | undefined> {
  return db.selectFrom("states").selectAll().where("hash", "=", hash).executeTakeFirst();
}

/** Lists the latest authorizations of an installation for a service, newest first. */
export async function listLatestStates(
  db: DbConnection,
  installationId: string,
  service: string,
  limit: number,
): Promise<AuthorizationState[]> {
  return await db
    .selectFrom("states")
    .selectAll()
    .where("installation_id", "=", installationId)
    .where("service", "=", service)
    .orderBy("created_at", "desc")
    .limit(limit)
    .execute();
}

/** Claims a pending state, once. The caller that gets a row handles its callback; all others are too late. */
export async function claimState(
  db: DbConnection,
  hash: Buffer,
  next: { status: "exchanging" | "denied" | "failed"; message?: string },
  now: Date,
): Promise<AuthorizationState | undefined> {
  return db
    .updateTable("states")
    .set({ status: next.status, message: next.message ?? null })
    .where("hash", "=", hash)
    .where("status", "=", "pending")
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
}

/** Ends a state that is being exchanged. */
export async function settleState(
  db: DbConnection,
  hash: Buffer,
  end: {
    status: "completed" | "failed";
    message: string;
    code?: string;
    details?: Record<string, unknown>;
    account_id?: string;
  },
): Promise<void> {
  await db
    .updateTable("states")
    .set({
      status: end.status,
      message: end.message,
      code: end.code ?? null,
      details: end.details ? toJsonColumn(end.details) : null,
      account_id: end.account_id ?? null,
      verifier: null,
    })
    .where("hash", "=", hash)
    .where("status", "=", "exchanging")
    .execute();
}

/**
 * Binds a pending state to the browser that continues with it. The last browser counts, because the user is in front of
 * it.
 */
export async function bindBrowser(db: DbConnection, hash: Buffer, browserHash: Buffer): Promise<void> {
  await db
    .updateTable("states")
    .set({ browser_hash: browserHash })
    .where("hash", "=", hash)
    .where("status", "=", "pending")
    .execute();
}

/** Undoes a completed state, once, so that its tokens are not delivered. */
export async function undoState(db: DbConnection, hash: Buffer): Promise<boolean> {
  const row = await db
    .updateTable("states")
    .set({ status: "denied", message: "The connection was undone in the browser" })
    .where("hash", "=", hash)
    .where("status", "=", "completed")
    .returning("hash")
    .executeTakeFirst();
  return row !== undefined;
}

/** Claims the one delivery: true for exactly one caller. */
export async function markDelivered(db: DbConnection, hash: Buffer, now: Date): Promise<boolean> {
  const row = await db
    .updateTable("states")
    .set({ delivered_at: now })
    .where("hash", "=", hash)
    .where("status", "=", "completed")
    .where("delivered_at", "is", null)
    .returning("hash")
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether another consent of this installation has tokens that can still be fetched. */
export async function hasEarnedTokens(db: DbConnection, installationId: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom("states")
    .select("hash")
    .where("installation_id", "=", installationId)
    .where("status", "=", "completed")
    .where("delivered_at", "is", null)
    .where("expires_at", ">", now)
    .where(sql<boolean>`details ->> 'tokens' = 'true'`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Removes states that ended before `time`. */
export async function deleteStatesBefore(db: DbConnection, time: Date): Promise<void> {
  await db.deleteFrom("states").where("expires_at", "<", time).execute();
}
