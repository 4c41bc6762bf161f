import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { inject, onTestFinished } from "vitest";

/** The account `nobody`, which tests running as root use as an ordinary user. */
export const NOBODY = { uid: 65534, gid: 65534 };

export type World = {
  /** kay's data folder; not made yet. */
  folder: string;
  /** Stands for `/var/lib/kay`. */
  system: string;
  /** Stands for `/tmp`. */
  tmp: string;
};

/** A folder for the databases of one test, removed after it. With `owner` it belongs to that user. */
export async function postgresWorld(owner?: { uid: number; gid: number }): Promise<World> {
  const home = await mkdtemp(join(inject("postgresFolder"), "w-"));
  await chmod(home, 0o711);
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [dataParent, tmp] = [join(home, "own"), join(home, "tmp")];
  for (const folder of [dataParent, tmp]) {
    await mkdir(folder, { mode: 0o700 });
    if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
  }
  return { folder: join(dataParent, "data"), system: join(home, "system"), tmp };
}

export type PostgresProcess = {
  /** Its first output: the connection data, or its problem. */
  answer: { config: pg.PoolConfig; folder: string; code?: string; message?: string };
  /** Asks it to stop its Postgres and waits for its end. */
  end(): Promise<void>;
  kill(): Promise<void>;
};

/** Starts Postgres from a separate process, see `postgres-process.ts`. */
export async function startInProcess(world: World, account?: { uid: number; gid: number }): Promise<PostgresProcess> {
  const script = fileURLToPath(new URL("postgres-process.ts", import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [script, world.folder, world.system], {
    ...account,
    env: { ...process.env, TMPDIR: world.tmp },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("the process has no pipes");
  const [line] = await once(createInterface(stdout), "line");
  return {
    answer: JSON.parse(line),
    async end() {
      stdin.end();
      await exit;
    },
    async kill() {
      child.kill("SIGKILL");
      await exit;
    },
  };
}

/** Runs one statement on a separate connection and returns the first column of the first row. */
export async function ask(config: pg.PoolConfig, statement: string): Promise<unknown> {
  const client = new pg.Client(config);
  await client.connect();
  const result = await client.query({ text: statement, rowMode: "array" }).finally(() => client.end());
  return result.rows[0]?.[0];
}

/** Process id of the Postgres that serves a database folder. */
export async function readPostmasterPid(folder: string): Promise<number> {
  return Number.parseInt(await readFile(join(folder, "data", "postmaster.pid"), "utf8"), 10);
}
