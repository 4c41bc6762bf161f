import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openDatabase } from "#backend/store/database";

declare module "vitest" {
  interface ProvidedContext {
    /** How to reach the run's Postgres; its database is the template of {@link testDatabase} in `database.ts`. */
    postgres: pg.PoolConfig;
  }
}

/**
 * One Postgres for the whole run, with the tables made once in the database that every test's own is copied from. `KAY_TEST_DATABASE_URL`
 * names one that runs already; nothing else may use the database it names.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.KAY_TEST_DATABASE_URL;
  if (url !== undefined) {
    await (await openDatabase(url, { log: () => undefined })).close();
    project.provide("postgres", takenApart(url));
    return async () => undefined;
  }
  const guard = spawn(process.execPath, [fileURLToPath(new URL("postgres-guard.ts", import.meta.url))], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exit = once(guard, "exit");
  const line = await Promise.race([once(createInterface(guard.stdout), "line"), exit.then(() => undefined)]);
  if (line === undefined) throw new Error("The Postgres of the tests did not start.");
  project.provide("postgres", JSON.parse(line[0]));
  return async () => {
    guard.stdin.end();
    await exit;
  };
}

/** Each test changes the database in it, so a URL will not do. */
function takenApart(url: string): pg.PoolConfig {
  const { host, port, database, user, password, ssl } = new pg.Client(url);
  return { host, port, database, user, password: password ?? undefined, ssl };
}
