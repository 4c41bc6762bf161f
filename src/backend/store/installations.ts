import type { Selectable } from "kysely";
import type { DbConnection, KnownAccounts } from "./schema.ts";

/** An account that consented for an installation; `label` names it for people. */
export type KnownAccount = Selectable<KnownAccounts>;

export async function insertInstallation(db: DbConnection, id: string, now: Date): Promise<void> {
  await db.insertInto("installations").values({ id, created_at: now }).execute();
}

export async function hasInstallation(db: DbConnection, id: string): Promise<boolean> {
  const row = await db.selectFrom("installations").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

/** Hold an installation until the transaction ends: what depends on its accounts and sign-ins is decided by one at a time. */
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

export async function rememberAccount(db: DbConnection, account: KnownAccount): Promise<void> {
  await db
    .insertInto("known_accounts")
    .values(account)
    .onConflict((conflict) =>
      conflict.columns(["installation_id", "provider", "account_id"]).doUpdateSet({ label: account.label }),
    )
    .execute();
}
