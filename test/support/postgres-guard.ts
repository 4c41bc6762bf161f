import { chmod, glob, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { openDatabase } from "#backend/store/database";
import { startPostgres } from "#host/postgres/start";
import { fastFolder } from "./fast-folder.ts";
import { thisMachine } from "./machine.ts";

/**
 * A process that owns the test run's Postgres and the folder for those of single tests. It prints both as one line of
 * JSON. When its stdin ends (the run ended, was interrupted or killed), it stops every Postgres and removes everything.
 */
const folder = await mkdtemp(join(await fastFolder(), "kay-pg-"));
await chmod(folder, 0o711);
const ended = new Promise((resolve) => process.stdin.resume().once("end", resolve));
const log = () => undefined;
try {
  const { config, stop } = await postgres();
  try {
    await (await openDatabase(config, { log })).close();
    process.stdout.write(`${JSON.stringify({ postgres: config, folder })}\n`);
    await ended;
  } finally {
    await stop();
  }
} finally {
  await clear();
}

/** Interrupted tests continue for a moment: their folders (`w-…`) are removed until no more appear. */
async function clear(): Promise<void> {
  const interrupted = (await readdir(folder)).some((name) => name.startsWith("w-"));
  for (let round = interrupted ? 12 : 1; round > 0; round -= 1) {
    for await (const file of glob(join(folder, "**/data/postmaster.pid"))) await quit(file);
    await rm(folder, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
    if (round > 1) await pause(500);
  }
}

async function postgres(): Promise<{ config: pg.PoolConfig; stop(): Promise<void> }> {
  const url = process.env.KAY_TEST_DATABASE_URL;
  if (url !== undefined) return { config: parseUrl(url), stop: async () => undefined };
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" };
  return startPostgres({ folder: join(folder, "data"), machine: thisMachine(join(folder, "system")), log, settings });
}

/** Each test changes the database in it, so a URL will not do. */
function parseUrl(url: string): pg.PoolConfig {
  const { host, port, database, user, password, ssl } = new pg.Client(url);
  return { host, port, database, user, password: password ?? undefined, ssl };
}

/** Ends what an interrupted test left running. */
async function quit(file: string): Promise<void> {
  const pid = Number.parseInt(await readFile(file, "utf8"), 10);
  try {
    if (pid > 1) process.kill(pid, "SIGQUIT");
  } catch {
    // It has ended by itself.
  }
}
