import type { Selectable } from "kysely";
import type { DbConnection, KnownAccounts } from "./schema.ts";

/** An account that consented for an installation; `label` names it for people. */
export type KnownAccount = Selectable<KnownAccounts>;

/** Inserts an installation that no one has signed in to yet. */
export async function insertInstallation(db: DbConnection, id: string, now: Date): Promise<void> {
  await db.insertInto("installations").values({ id, anonymous: true, created_at: now }).execute();
}

/** Returns the first of these installations that exists. */
export async function findExistingInstallation(db: DbConnection, ids: string[]): Promise<string | undefined> {
  const row = await db.selectFrom("installations").select("id").where("id", "in", ids).executeTakeFirst();
  return row?.id;
}

/** Records that a consent was completed, so that the installation is kept. */
export async function keepInstallation(db: DbConnection, id: string): Promise<void> {
  await db
    .updateTable("installations")
    .set({ anonymous: false })
    .where("id", "=", id)
    .where("anonymous", "=", true)
    .execute();
}

/** Returns the number of installations without a completed consent. */
export async function countAnonymous(db: DbConnection): Promise<number> {
  const { count } = await db
    .selectFrom("installations")
    .select((select) => select.fn.countAll().as("count"))
    .where("anonymous", "=", true)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes installations without a completed consent that were made before a time, the oldest first. */
export async function deleteAnonymousBefore(db: DbConnection, time: Date, limit: number): Promise<void> {
  await db
    .deleteFrom("installations")
    .where("id", "in", (query) =>
      query
        .selectFrom("installations")
        .select("id")
        .where("anonymous", "=", true)
        .where("created_at", "<", time)
        .orderBy("created_at")
        .limit(limit),
    )
    .execute();
}

/**
 * Locks an installation until the transaction ends, so that decisions about its accounts and sign-ins are made one at a
 * time.
 */
export async function lockInstallation(db: DbConnection, id: string): Promise<void> {
  await db.selectFrom("installations").select("id").where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function listKnownAccounts(db: DbConnection, installationId: string): Promise<KnownAccount[]> {
  return db
    .selectFrom("known_accounts")
    .selectAll()
    .where("installation_id", "=", installationId)
    .orderBy("provider")
    .orderBy("account_id")
    .execute();
}

/** Forgets an account, so that it no longer restores lost tokens. */
export async function forgetAccount(db: DbConnection, account: Omit<KnownAccount, "label">): Promise<void> {
  await db
    .deleteFrom("known_accounts")
    .where("installation_id", "=", account.installation_id)
    .where("provider", "=", account.provider)
    .where("account_id", "=", account.account_id)
    .execute();
}

export async function rememberAccount(db: DbConnection, account: KnownAccount): Promise<void> {
  await db
    .insertInto("known_accounts")
    .values(account)
    .onConflict((conflict) =>
      conflict.columns(["installation_id", "provider", "account_id"]).doUpdateSet({ label: account.label }),
    )
    .execute();
}

/** Returns how long requests of an installation wait, in seconds, if its person chose that. */
export async function findApprovalTimeout(db: DbConnection, id: string): Promise<number | undefined> {
  return (await queryApprovalTimeout(db, id).executeTakeFirst())?.approval_timeout ?? undefined;
}

/** Builds the query for `readTogether`. */
export function queryApprovalTimeout(db: DbConnection, id: string) {
  return db.selectFrom("installations").select("approval_timeout").where("id", "=", id);
}

/** Sets how long requests of an installation wait, in seconds; null forgets it. */
export async function putApprovalTimeout(db: DbConnection, id: string, seconds: number | null): Promise<void> {
  await db.updateTable("installations").set({ approval_timeout: seconds }).where("id", "=", id).execute();
}
