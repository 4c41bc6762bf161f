import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "#backend/store/database";
import { startPostgres } from "#backend/store/postgres";
import { fastFolder } from "./fast-folder.ts";
import { thisMachine } from "./machine.ts";

/**
 * A process beside the test run that holds the run's Postgres: prints the connection data as one line of JSON, and when its standard input
 * ends (the run is over, was interrupted or was killed) stops Postgres and removes everything.
 */
const folder = await mkdtemp(join(await fastFolder(), "kay-pg-"));
await chmod(folder, 0o711);
const ended = new Promise((resolve) => process.stdin.resume().once("end", resolve));
try {
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" };
  const log = () => undefined;
  const postgres = await startPostgres({
    folder: join(folder, "data"),
    machine: thisMachine(join(folder, "system")),
    log,
    settings,
  });
  try {
    await (await openDatabase(postgres.config, { log })).close();
    process.stdout.write(`${JSON.stringify(postgres.config)}\n`);
    await ended;
  } finally {
    await postgres.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
