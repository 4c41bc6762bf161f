import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Lock, withLock } from "#files/lock";
import { isAlive, type Machine } from "#files/machine";
import { createProcesses } from "#files/processes";
import { Problem } from "#protocol/errors";
import type { PostgresArea } from "./area.ts";

/** The first start, which creates the database, takes a minute on a slow machine. */
const LIMITS = { waitMs: 90_000, oldMs: 75_000 };

/**
 * Runs `work` while no other process starts or stops the same Postgres. The lock only avoids duplicate work: the rename
 * in `data.ts` and the lock of Postgres protect the data even if this one is broken by mistake.
 */
export async function withStartLock<T>(area: PostgresArea, machine: Machine, work: () => Promise<T>): Promise<T> {
  const lock: Lock = {
    path: join(area.folder, "start.lock"),
    clock: { now: Date.now, sleep: (ms, signal) => pause(ms, undefined, { signal }) },
    processes: createProcesses(machine.pid, (pid) => isAlive(machine, pid)),
    unique: () => randomBytes(8).toString("hex"),
    limits: LIMITS,
  };
  return withLock(lock, work).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== "STORE_BUSY") throw error;
    throw new Problem("DATABASE_UNAVAILABLE", "Timed out: another kay process is still starting the database.");
  });
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
