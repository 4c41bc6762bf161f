import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { getErrno } from "#files/folders";
import { isAlive, type Machine } from "#files/machine";
import { Problem } from "#protocol/errors";
import type { PostgresArea } from "./area.ts";

/**
 * The holder updates its lock every second. A lock that does not change for STALE_MS is stale. All values are in
 * ms.
 */
const WAIT_MS = 60_000;
const HEARTBEAT_MS = 1_000;
const STALE_MS = 5_000;
const STEP_MS = 25;

/**
 * Runs `work` while no other process starts or stops the same Postgres. The lock only avoids duplicate work: the rename
 * in `data.ts` and the lock of Postgres protect the data even if this one is broken by mistake.
 */
export async function withStartLock<T>(area: PostgresArea, machine: Machine, work: () => Promise<T>): Promise<T> {
  const file = join(area.folder, "start.lock");
  const name = `${machine.pid} ${randomBytes(4).toString("hex")}`;
  await acquireLock(file, name, machine);
  let beats = 0;
  const heartbeat = setInterval(() => void writeHeartbeat(file, name, ++beats), HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if ((await readLock(file)).startsWith(name)) await rm(file, { force: true });
  }
}

/**
 * Records that this process uses the Postgres. `leave` removes the record and returns whether this was the last user;
 * records of dead processes do not count.
 */
export async function acquireUse(area: PostgresArea, machine: Machine): Promise<{ leave(): Promise<boolean> }> {
  const folder = join(area.folder, "users");
  const note = `${machine.pid}-${randomBytes(4).toString("hex")}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await (await open(join(folder, note), "wx", 0o600)).close();
  return {
    async leave() {
      await rm(join(folder, note), { force: true });
      const others = await readdir(folder);
      for (const other of others.filter((name) => !isAlive(machine, Number.parseInt(name, 10)))) {
        await rm(join(folder, other), { force: true });
      }
      return (await readdir(folder)).length === 0;
    },
  };
}

async function acquireLock(file: string, name: string, machine: Machine): Promise<void> {
  const end = AbortSignal.timeout(WAIT_MS);
  let seen = "";
  let still = 0;
  while (!(await createLockFile(file, name))) {
    if (end.aborted)
      throw new Problem(
        "DATABASE_UNAVAILABLE",
        "Timed out after a minute: another kay process is still starting the database.",
      );
    const now = await readLock(file);
    still = now === seen ? still + STEP_MS : 0;
    seen = now;
    if (still >= STALE_MS || isHolderGone(now, machine)) await rm(file, { force: true });
    else await pause(STEP_MS);
  }
}

async function createLockFile(file: string, name: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx", 0o600);
    await handle.writeFile(name).finally(() => handle.close());
    return true;
  } catch (error) {
    if (getErrno(error) === "EEXIST") return false;
    throw error;
  }
}

/** Writes the heartbeat into the file, because on a shared folder its timestamps come from another machine's clock. */
async function writeHeartbeat(file: string, name: string, beats: number): Promise<void> {
  if ((await readLock(file)).startsWith(name))
    await writeFile(file, `${name} ${beats}`, { flag: "r+" }).catch(() => undefined);
}

/** Reads the lock: process id, a random word, and a heartbeat. Empty if the file is gone or not yet written. */
async function readLock(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

function isHolderGone(seen: string, machine: Machine): boolean {
  const pid = Number.parseInt(seen, 10);
  return pid > 0 && !isAlive(machine, pid);
}
