import type { Selectable } from "kysely";
import { sql } from "kysely";
import { toJsonColumn } from "./column-types.ts";
import type { DbConnection, Grants } from "./schema.ts";

/** Listed, because a prepared `select *` fails once a newer node adds a column. */
const COLUMNS = [
  "installation_id",
  "service",
  "provider",
  "status",
  "reason",
  "sealed",
  "access_expires_at",
  "scopes",
  "account_id",
  "user",
  "metadata",
  "version",
  "authorization",
  "wanted_scopes",
  "updated_at",
] as const;

/** A grant: the access that a service gave to an installation. */
export type Grant = Selectable<Grants>;

/** A grant as a consent provides it. */
export type NewGrant = {
  installation_id: string;
  service: string;
  provider: string;
  sealed: Buffer;
  access_expires_at: Date | null;
  scopes: string;
  account_id: string;
  user: Record<string, unknown>;
  metadata: Record<string, unknown>;
  authorization?: Buffer | null;
  updated_at: Date;
};

export async function findGrant(db: DbConnection, installationId: string, service: string): Promise<Grant | undefined> {
  return db
    .selectFrom("grants")
    .select(COLUMNS)
    .where("installation_id", "=", installationId)
    .where("service", "=", service)
    .executeTakeFirst();
}

/** Finds a grant and locks it until the transaction ends. */
export async function lockGrant(db: DbConnection, installationId: string, service: string): Promise<Grant | undefined> {
  return db
    .selectFrom("grants")
    .select(COLUMNS)
    .where("installation_id", "=", installationId)
    .where("service", "=", service)
    .forUpdate()
    .executeTakeFirst();
}

export async function listGrants(db: DbConnection, installationId: string): Promise<Grant[]> {
  return await queryGrants(db, installationId).execute();
}

/** Builds the query for `readTogether`. */
export function queryGrants(db: DbConnection, installationId: string) {
  return db.selectFrom("grants").select(COLUMNS).where("installation_id", "=", installationId).orderBy("service");
}

/** Lists the connections of an account of a provider, of every installation. */
export async function listGrantsOfAccount(
  db: DbConnection,
  provider: string,
  accountId: string,
): Promise<Pick<Grant, "installation_id" | "service">[]> {
  return db
    .selectFrom("grants")
    .select(["installation_id", "service"])
    .where("provider", "=", provider)
    .where("account_id", "=", accountId)
    .where("status", "=", "connected")
    .execute();
}

/** Stores the grant of a consent and replaces an earlier one for this service. */
export async function putGrant(db: DbConnection, grant: NewGrant): Promise<void> {
  const row = {
    ...grant,
    user: toJsonColumn(grant.user),
    metadata: toJsonColumn(grant.metadata),
    authorization: grant.authorization ?? null,
    wanted_scopes: null,
  };
  await db
    .insertInto("grants")
    .values({ ...row, status: "connected", reason: null, version: 1 })
    .onConflict((conflict) =>
      conflict.columns(["installation_id", "service"]).doUpdateSet({
        ...row,
        status: "connected",
        reason: null,
        version: sql<number>`grants.version + 1`,
      }),
    )
    .execute();
}

/** Tokens of a refresh, sealed. */
export type GrantTokens = { sealed: Buffer; access_expires_at: Date | null; updated_at: Date };

/** Stores the tokens of a refresh, unless others were stored since the grant was read. */
export async function putGrantTokens(
  db: DbConnection,
  grant: Pick<Grant, "installation_id" | "service" | "version">,
  tokens: GrantTokens,
): Promise<void> {
  await db
    .updateTable("grants")
    .set({ ...tokens, version: sql<number>`version + 1` })
    .where("installation_id", "=", grant.installation_id)
    .where("service", "=", grant.service)
    .where("version", "=", grant.version)
    .execute();
}

/** Writes a grant unchanged. A full disk or a read-only server fails here, before the refresh token is spent. */
export async function rewriteGrant(
  db: DbConnection,
  grant: Pick<Grant, "installation_id" | "service" | "sealed">,
): Promise<void> {
  await db
    .updateTable("grants")
    .set({ sealed: grant.sealed })
    .where("installation_id", "=", grant.installation_id)
    .where("service", "=", grant.service)
    .execute();
}

/** Scopes that the service requires in addition; the next consent requests them too. */
export async function requestScopes(
  db: DbConnection,
  installationId: string,
  service: string,
  scopes: string,
): Promise<void> {
  await db
    .updateTable("grants")
    .set({ wanted_scopes: scopes })
    .where("installation_id", "=", installationId)
    .where("service", "=", service)
    .execute();
}

/** Removes the tokens and keeps the row as a record of the account and the reason. */
export async function markDisconnected(
  db: DbConnection,
  grant: Pick<Grant, "installation_id" | "service">,
  reason: string,
  now: Date,
): Promise<void> {
  await db
    .updateTable("grants")
    .set({ status: "disconnected", reason, sealed: null, updated_at: now, version: sql<number>`version + 1` })
    .where("installation_id", "=", grant.installation_id)
    .where("service", "=", grant.service)
    .execute();
}

export async function deleteGrant(db: DbConnection, installationId: string, service: string): Promise<void> {
  await db.deleteFrom("grants").where("installation_id", "=", installationId).where("service", "=", service).execute();
}
