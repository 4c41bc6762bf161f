import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { getErrno } from "#files/folders";
import { type Lock, withLock } from "#files/lock";
import { createProcesses, isAlive, type Machine } from "#files/processes";
import { Problem } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import { ROLE } from "./account.ts";
import { addPassword, adoptData, removePassword } from "./adopt.ts";
import { type PostgresArea, prepareArea } from "./area.ts";
import { findBinaries } from "./binaries.ts";
import { ensureData } from "./data.ts";
import { readPassword } from "./password.ts";
import { stopServer } from "./postmaster.ts";
import { isPasswordRefused, launchServer, probeServer } from "./server.ts";

export type PostgresOptions = {
  /** Data folder of kay. The database is in `postgres` below it, or for root in `/var/lib/kay/<hash>`. */
  folder: string;
  machine: Machine;
  log: Log;
  /** Additional Postgres settings; the tests turn `fsync` off. */
  settings?: Record<string, string>;
};

export type RunningPostgres = {
  /** How to connect, with the password. */
  config: pg.PoolConfig;
  /** Folder of the database. */
  folder: string;
  /** Restarts Postgres if it was killed. Does nothing after `stop`. */
  revive(): Promise<void>;
  /** Stops Postgres within about 10 s, unless another process uses it. */
  stop(): Promise<void>;
};

/**
 * Starts the embedded Postgres, creating its database the first time, or joins a running one.
 *
 * @throws Problem DATABASE_UNAVAILABLE with the reason
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { folder, machine } = options;
  try {
    const area = await prepareArea(folder, machine);
    return await withStartLock(area, machine, () => joinOrStart(area, options));
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    const message = `Could not start the embedded Postgres for ${folder} (${getErrno(cause)}).`;
    throw new Problem("DATABASE_UNAVAILABLE", message, { cause });
  }
}

async function joinOrStart(area: PostgresArea, { machine, log, settings }: PostgresOptions): Promise<RunningPostgres> {
  const use = await acquireUse(area, machine);
  try {
    const config = await ensureRunning(area, machine, log, settings).catch(async (error: unknown) => {
      if (!isPasswordRefused(error) || !(await use.isAlone())) throw error;
      log("warn", "database.password_replaced", { folder: area.folder });
      await stopServer(area, machine);
      await removePassword(area);
      return ensureRunning(area, machine, log, settings);
    });
    let isStopped = false;
    const stop = async () => {
      isStopped = true;
      if (await use.leave()) await stopServer(area, machine);
    };
    const revive = async () => {
      if (!isStopped) await ensureRunning(area, machine, log, settings);
    };
    const runLocked = (work: () => Promise<void>) => withStartLock(area, machine, work);
    return { config, folder: area.folder, revive: () => runLocked(revive), stop: () => runLocked(stop) };
  } catch (error) {
    await use.leave();
    throw error;
  }
}

async function ensureRunning(
  area: PostgresArea,
  machine: Machine,
  log: Log,
  settings: Record<string, string> | undefined,
): Promise<pg.PoolConfig> {
  const runningConfig = await readConnection(area).catch(() => undefined);
  if (runningConfig !== undefined && (await probeServer(runningConfig)) === "ready") {
    log("debug", "database.joined", { folder: area.folder });
    return requirePassword(area, runningConfig);
  }
  const bin = await findBinaries(area, machine);
  await ensureData(area, bin, machine, log);
  if (area.socket === "") await writeFile(join(area.folder, "port"), String(await findFreePort()), { mode: 0o600 });
  const config = await readConnection(area);
  await adoptData(area, await readPassword(area));
  await launchServer(area, bin, config, machine, settings);
  log("debug", "database.started", { folder: area.folder });
  return requirePassword(area, config);
}

async function requirePassword(area: PostgresArea, config: pg.PoolConfig): Promise<pg.PoolConfig> {
  return config.password === undefined ? addPassword(area, config) : config;
}

async function readConnection(area: PostgresArea): Promise<pg.PoolConfig> {
  const password = await readPassword(area);
  const common = { user: ROLE, database: "postgres", ssl: false, ...(password === undefined ? {} : { password }) };
  if (area.socket !== "") return { ...common, host: area.socket, port: 5432 };
  const port = Number(await readFile(join(area.folder, "port"), "utf8"));
  return { ...common, host: "127.0.0.1", port };
}

/** Returns a free port. Only Windows needs one, where Node.js cannot use the Unix socket of Postgres. */
async function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** The first start, which creates the database, takes a minute on a slow machine. */
const LIMITS = { waitMs: 90_000, oldMs: 75_000 };

function getProcesses(machine: Machine) {
  return createProcesses(machine.pid, (pid) => isAlive(machine, pid));
}

/**
 * Runs `work` while no other process starts or stops the same Postgres. The lock only avoids duplicate work: the rename
 * in `data.ts` and the lock of Postgres protect the data even if this one is broken by mistake.
 */
async function withStartLock<T>(area: PostgresArea, machine: Machine, work: () => Promise<T>): Promise<T> {
  const lock: Lock = {
    path: join(area.folder, "start.lock"),
    clock: { now: Date.now, sleep: (ms, signal) => pause(ms, undefined, { signal }) },
    processes: getProcesses(machine),
    unique: () => randomBytes(8).toString("hex"),
    limits: LIMITS,
  };
  return withLock(lock, work).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== "STORE_BUSY") throw error;
    throw new Problem("DATABASE_UNAVAILABLE", "Timed out: another kay process is still starting the database.");
  });
}

/** Records that this process uses the Postgres, until `leave`. */
async function acquireUse(area: PostgresArea, machine: Machine): Promise<Use> {
  const folder = join(area.folder, "users");
  const note = `${machine.pid}-${randomBytes(4).toString("hex")}`;
  const processes = getProcesses(machine);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, note), (await processes.getStartTime(machine.pid)) ?? "", { flag: "wx", mode: 0o600 });
  /** Whether the process still runs. The start time tells it from a later one with its number. */
  const isInUse = async (name: string) => {
    const started = await readFile(join(folder, name), "utf8").catch(() => "");
    const current = await processes.getStartTime(Number.parseInt(name, 10));
    return current !== null && (started === "" || started === current);
  };
  const isAlone = async () => {
    let count = 0;
    for (const name of await readdir(folder)) {
      if (name === note) continue;
      if (await isInUse(name)) count++;
      else await rm(join(folder, name), { force: true });
    }
    return count === 0;
  };
  const leave = async () => {
    await rm(join(folder, note), { force: true });
    return isAlone();
  };
  return { isAlone, leave };
}

/** One process's use of a Postgres. Both functions return whether no other living process uses it. */
type Use = { isAlone(): Promise<boolean>; leave(): Promise<boolean> };
