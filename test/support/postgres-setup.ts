import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection data of the run's Postgres; its database is the template of `testDatabase` in `database.ts`. */
    postgres: pg.PoolConfig;
    /** Folder for the databases of single tests, removed after the run with whatever is in it. */
    postgresFolder: string;
  }
}

/**
 * One Postgres for the whole run, with a template database that has all tables. `KAY_TEST_DATABASE_URL` names a running
 * one; nothing else may use its database.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const guard = spawn(process.execPath, [fileURLToPath(new URL("postgres-guard.ts", import.meta.url))], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exit = once(guard, "exit");
  const line = await Promise.race([once(createInterface(guard.stdout), "line"), exit.then(() => undefined)]);
  if (line === undefined) throw new Error("The Postgres of the tests did not start.");
  const { postgres, folder } = JSON.parse(line[0]);
  project.provide("postgres", postgres);
  project.provide("postgresFolder", folder);
  return async () => {
    guard.stdin.end();
    await exit;
  };
}
