import type { Selectable } from "kysely";
import type { DbConnection } from "./connection.ts";
import type { McpClients } from "./schema.ts";

/** What this backend is registered as at an authorization server, for one redirect address. */
export type McpClientRow = Selectable<McpClients>;

/** The registration, held until the transaction ends; made empty where there is none, so that one alone registers. */
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

/** A new registration, or none any more. */
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
