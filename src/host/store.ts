import type { Log } from "#backend/ports";
import { type OpenDatabase, openDatabase } from "#backend/store/database";
import { createNode, type Node } from "#backend/store/node";
import type { Machine } from "#files/machine";
import { startPostgres } from "./postgres/start.ts";

/** The database of DATABASE_URL, or kay's own Postgres. */
export async function openStore(
  options: { databaseUrl?: string; dataFolder: string },
  { machine, log }: { machine: Machine; log: Log },
  stops: (() => Promise<void>)[],
): Promise<OpenDatabase & { node: Node }> {
  if (options.databaseUrl) {
    const database = await openDatabase(options.databaseUrl, { log });
    stops.push(database.close);
    return withNode(database, options.databaseUrl, log, stops);
  }
  const postgres = await startPostgres({ folder: options.dataFolder, machine, log });
  stops.push(postgres.stop);
  const database = await openDatabase(postgres.config, { log, revive: postgres.revive });
  stops.push(database.close);
  return withNode({ ...database, place: "own" }, postgres.config, log, stops);
}

function withNode(
  database: OpenDatabase,
  where: Parameters<typeof createNode>[0],
  log: Log,
  stops: (() => Promise<void>)[],
): OpenDatabase & { node: Node } {
  const node = createNode(where, log);
  stops.push(node.close);
  return { ...database, node };
}
