import type { Selectable } from "kysely";
import { toJsonColumn } from "./column-types.ts";
import type { DbConnection, McpClients, McpServices } from "./schema.ts";

/** Listed, because a prepared `select *` fails once a newer node adds a column. */
const COLUMNS = [
  "installation_id",
  "name",
  "definition",
  "offered",
  "sealed_client",
  "client_issuer",
  "created_at",
  "updated_at",
] as const;

/** An MCP server that a user added, as stored. */
export type StoredMcp = Selectable<McpServices>;

export async function listMcp(db: DbConnection, installationId: string): Promise<StoredMcp[]> {
  return await queryMcp(db, installationId).execute();
}

/** Builds the query for `readTogether`. */
export function queryMcp(db: DbConnection, installationId: string) {
  return db.selectFrom("mcp_services").select(COLUMNS).where("installation_id", "=", installationId).orderBy("name");
}

export async function findMcp(db: DbConnection, installationId: string, name: string): Promise<StoredMcp | undefined> {
  return db
    .selectFrom("mcp_services")
    .select(COLUMNS)
    .where("installation_id", "=", installationId)
    .where("name", "=", name)
    .executeTakeFirst();
}

/**
 * Stores a server and replaces one of the same name. Its tools are the approved ones. `client` is the encrypted secret
 * of its client; without it, the stored one stays.
 */
export async function putMcp(
  db: DbConnection,
  row: { installation_id: string; name: string; definition: object },
  { now, client }: { now: Date; client: Buffer | null | undefined },
): Promise<void> {
  const values = { ...row, definition: toJsonColumn({ ...row.definition }), offered: null, updated_at: now };
  const own = { sealed_client: client ?? null, client_issuer: null };
  await db
    .insertInto("mcp_services")
    .values({ ...values, ...own, created_at: now })
    .onConflict((conflict) =>
      conflict.columns(["installation_id", "name"]).doUpdateSet({ ...values, ...(client === undefined ? {} : own) }),
    )
    .execute();
}

/** Remembers the authorization server that a user's client belongs to; the first one stays. */
export async function putClientIssuer(
  db: DbConnection,
  { installationId, name }: { installationId: string; name: string },
  issuer: string,
): Promise<void> {
  await db
    .updateTable("mcp_services")
    .set({ client_issuer: issuer })
    .where("installation_id", "=", installationId)
    .where("name", "=", name)
    .where("client_issuer", "is", null)
    .execute();
}

/** Stores the tools that a server lists if they differ from the approved ones; otherwise clears them. */
export async function putOffered(
  db: DbConnection,
  { installation_id, name }: { installation_id: string; name: string },
  offered: object[] | null,
): Promise<void> {
  await db
    .updateTable("mcp_services")
    .set({ offered: offered === null ? null : toJsonColumn(offered) })
    .where("installation_id", "=", installation_id)
    .where("name", "=", name)
    .execute();
}

/** @returns whether there was one */
export async function deleteMcp(db: DbConnection, installationId: string, name: string): Promise<boolean> {
  const row = await db
    .deleteFrom("mcp_services")
    .where("installation_id", "=", installationId)
    .where("name", "=", name)
    .returning("name")
    .executeTakeFirst();
  return row !== undefined;
}

/** This backend's registration at an authorization server, for one redirect address. */
export type McpClientRow = Selectable<McpClients>;

/**
 * Locks the registration until the transaction ends. Inserts an empty one if there is none, so that only one caller
 * registers.
 */
export async function lockMcpClient(tx: DbConnection, issuer: string, redirectUri: string): Promise<McpClientRow> {
  await tx
    .insertInto("mcp_clients")
    .values({ issuer, redirect_uri: redirectUri, sealed: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return await tx
    .selectFrom("mcp_clients")
    .selectAll()
    .where("issuer", "=", issuer)
    .where("redirect_uri", "=", redirectUri)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Stores a new client registration, or removes it. */
export async function putMcpClient(
  db: DbConnection,
  { issuer, redirect_uri }: Pick<McpClientRow, "issuer" | "redirect_uri">,
  sealed: Buffer | null,
): Promise<void> {
  await db
    .updateTable("mcp_clients")
    .set({ sealed })
    .where("issuer", "=", issuer)
    .where("redirect_uri", "=", redirect_uri)
    .execute();
}
