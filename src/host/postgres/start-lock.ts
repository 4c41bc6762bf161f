import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { getErrno } from "#files/errno";
import { isAlive, type Machine } from "#files/machine";
import { Problem } from "#protocol/errors";
import type { PostgresArea } from "./area.ts";

/** Milliseconds. The holder touches its lock every second; who watches it stand still this long takes it for left behind. */
const WAIT = 60_000;
const HEARTBEAT = 1_000;
const STANDSTILL = 5_000;
const STEP = 25;

/**
 * Runs `work` while no other process starts or stops the same Postgres. Keeps processes from doing the same work twice; that data is made
 * once and served once is ensured by the rename in `postgres-data.ts` and by Postgres' own lock, should this one ever be broken wrongly.
 */
export async function withStartLock<T>(area: PostgresArea, machine: Machine, work: () => Promise<T>): Promise<T> {
  const file = join(area.folder, "start.lock");
  const name = `${machine.pid} ${randomBytes(4).toString("hex")}`;
  await acquire(file, name, machine);
  let beats = 0;
  const heartbeat = setInterval(() => void beat(file, name, ++beats), HEARTBEAT);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if ((await look(file)).startsWith(name)) await rm(file, { force: true });
  }
}

/**
 * Notes that this process uses the Postgres. `leave` takes the note back and says whether nobody else uses it any more. Notes of
 * processes that are gone do not count.
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

async function acquire(file: string, name: string, machine: Machine): Promise<void> {
  const end = AbortSignal.timeout(WAIT);
  let seen = "";
  let still = 0;
  while (!(await create(file, name))) {
    if (end.aborted)
      throw new Problem("DATABASE_UNAVAILABLE", "Another kay has been starting the database for a minute.");
    const now = await look(file);
    still = now === seen ? still + STEP : 0;
    seen = now;
    if (still >= STANDSTILL || holderIsGone(now, machine)) await rm(file, { force: true });
    else await pause(STEP);
  }
}

async function create(file: string, name: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx", 0o600);
    await handle.writeFile(name).finally(() => handle.close());
    return true;
  } catch (error) {
    if (getErrno(error) === "EEXIST") return false;
    throw error;
  }
}

/** The sign of life goes into the file itself, since its times are another machine's where the folder is shared. */
async function beat(file: string, name: string, beats: number): Promise<void> {
  if ((await look(file)).startsWith(name))
    await writeFile(file, `${name} ${beats}`, { flag: "r+" }).catch(() => undefined);
}

/** What the lock says: process id, a random word, signs of life. Empty if it has just gone, or is being written just now. */
async function look(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

function holderIsGone(seen: string, machine: Machine): boolean {
  const pid = Number.parseInt(seen, 10);
  return pid > 0 && !isAlive(machine, pid);
}
