import { type OpenDatabase, openDatabase } from "#backend/store/database";
import { createNode, type Node } from "#backend/store/node";
import { makePrivateFolders } from "#files/folders";
import type { Machine } from "#files/processes";
import { Problem } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import { startPostgres } from "./postgres/start.ts";

/** Opens the database at DATABASE_URL, or the embedded Postgres. */
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
  config: Parameters<typeof createNode>[0],
  log: Log,
  stops: (() => Promise<void>)[],
): OpenDatabase & { node: Node } {
  const node = createNode(config, log);
  stops.push(node.close);
  return { ...database, node };
}

/** Creates the folder for database and keys, private to this user. @throws Problem STORE_UNREADABLE */
export function makeDataFolder(folder: string): void {
  try {
    makePrivateFolders(folder);
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code;
    throw new Problem("STORE_UNREADABLE", `Could not create the data folder ${folder} (${errno}).`, {
      hint: "Choose another folder with `kay serve --data-dir <folder>`, or set XDG_DATA_HOME.",
      cause: error,
    });
  }
}
