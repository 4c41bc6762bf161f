import { queryDescriptions, type StoredDescription } from "./custom-services.ts";
import { type Grant, queryGrants } from "./grants.ts";
import { queryMcp, type StoredMcp } from "./mcp.ts";
import { readTogether } from "./round-trips.ts";
import type { DbConnection } from "./schema.ts";

/** The services that an installation added, and its connections. */
export type StoredConnections = { descriptions: StoredDescription[]; mcp: StoredMcp[]; grants: Grant[] };

export async function loadConnections(db: DbConnection, installationId: string): Promise<StoredConnections> {
  return await readTogether(db, queryConnections(db, installationId));
}

/** Builds the queries for `readTogether`. */
export function queryConnections(db: DbConnection, installationId: string) {
  return {
    descriptions: queryDescriptions(db, installationId),
    mcp: queryMcp(db, installationId),
    grants: queryGrants(db, installationId),
  };
}
