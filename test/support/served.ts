import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { afterAll, beforeAll } from "vitest";
import type { RunningHost } from "#host/ports";
import { startHost } from "#host/serve";
import { type TestDatabase, testDatabase } from "./database.ts";
import { thisMachine } from "./machine.ts";

/**
 * The backend of `kay serve --sandbox`, on a free port of 127.0.0.1 with a separate database, for the tests of a file.
 * Returns its URL.
 */
export function useServed(): () => string {
  let folder: string | undefined;
  let database: TestDatabase | undefined;
  let host: RunningHost | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kay-served-"));
    database = await testDatabase();
    host = await startHost(
      { host: "127.0.0.1", port: 0, sandbox: true, dataFolder: folder, databaseUrl: formatUrl(database.config) },
      {
        version: "0.0.0-test",
        env: {},
        setting: () => undefined,
        model: () => ({ model: "offline", env: {} }),
        machine: thisMachine(folder),
        clock: Date,
        random: randomBytes,
        log: () => undefined,
      },
    );
  });
  afterAll(async () => {
    await host?.close();
    await database?.drop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });
  return () => {
    if (!host) throw new Error("The backend is there only while tests run.");
    return host.url;
  };
}

/** Connection data as a URL; a host that is a folder is a Unix socket's. */
export function formatUrl({ host = "", port, user = "", password, database = "" }: pg.PoolConfig): string {
  const url = new URL(`postgres://localhost/${database}`);
  url.username = user;
  if (typeof password === "string") url.password = password;
  if (host.startsWith("/")) url.searchParams.set("host", host);
  else url.hostname = host;
  if (port !== undefined) url.searchParams.set("port", String(port));
  return url.href;
}
