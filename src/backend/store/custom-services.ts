import type { Selectable } from "kysely";
import { toJsonColumn } from "./column-types.ts";
import type { DbConnection, DescribedServices } from "./schema.ts";

/** Listed, because a prepared `select *` fails once a newer node adds a column. */
const COLUMNS = [
  "installation_id",
  "name",
  "source",
  "description",
  "sealed_client",
  "created_at",
  "updated_at",
] as const;

/** A custom service as stored. */
export type StoredDescription = Selectable<DescribedServices>;

export async function listDescriptions(db: DbConnection, installationId: string): Promise<StoredDescription[]> {
  return await queryDescriptions(db, installationId).execute();
}

/** Builds the query for `readTogether`. */
export function queryDescriptions(db: DbConnection, installationId: string) {
  const all = db.selectFrom("described_services").select(COLUMNS).where("installation_id", "=", installationId);
  return all.orderBy("name");
}

export async function findDescription(
  db: DbConnection,
  installationId: string,
  name: string,
): Promise<StoredDescription | undefined> {
  return db
    .selectFrom("described_services")
    .select(COLUMNS)
    .where("installation_id", "=", installationId)
    .where("name", "=", name)
    .executeTakeFirst();
}

/** Stores a description and replaces one of the same name. `keepsClient` keeps the client's secret. */
export async function putDescription(
  db: DbConnection,
  row: { installation_id: string; name: string; source: string; description: Record<string, unknown> },
  { keepsClient, now }: { keepsClient: boolean; now: Date },
): Promise<void> {
  const values = { ...row, description: toJsonColumn(row.description), updated_at: now };
  await db
    .insertInto("described_services")
    .values({ ...values, sealed_client: null, created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(["installation_id", "name"])
        .doUpdateSet({ ...values, ...(keepsClient ? {} : { sealed_client: null }) }),
    )
    .execute();
}

/** Stores the encrypted secret of the client, or deletes it. */
export async function putClientSecret(
  db: DbConnection,
  installationId: string,
  name: string,
  sealed: Buffer | null,
): Promise<void> {
  await db
    .updateTable("described_services")
    .set({ sealed_client: sealed })
    .where("installation_id", "=", installationId)
    .where("name", "=", name)
    .execute();
}

/** @returns whether there was one */
export async function deleteDescription(db: DbConnection, installationId: string, name: string): Promise<boolean> {
  const row = await db
    .deleteFrom("described_services")
    .where("installation_id", "=", installationId)
    .where("name", "=", name)
    .returning("name")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Removes policies and saved approvals for these tools, or for the whole service: the user gave them for something
 * else.
 */
export async function forgetApprovals(
  db: DbConnection,
  installationId: string,
  { service, tools }: { service?: string; tools: string[] },
): Promise<void> {
  const targets = [...tools, ...(service === undefined ? [] : [service])];
  if (targets.length === 0) return;
  await db.deleteFrom("approvals").where("installation_id", "=", installationId).where("tool", "in", targets).execute();
  await db
    .deleteFrom("policies")
    .where("installation_id", "=", installationId)
    .where("target", "in", targets)
    .execute();
}

/** Ends the pending authorizations of a service: their open pages show another description. */
export async function endStates(
  db: DbConnection,
  installationId: string,
  service: string,
  message: string,
): Promise<void> {
  await db
    .updateTable("states")
    .set({ status: "failed", message, verifier: null })
    .where("installation_id", "=", installationId)
    .where("service", "=", service)
    .where("status", "in", ["pending", "exchanging"])
    .execute();
}
