import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Lock, withLock } from "#files/lock";
import { createProcesses, isAlive, type Machine } from "#files/processes";
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

/** Records that this process uses the Postgres, until `leave`. */
export async function acquireUse(area: PostgresArea, machine: Machine): Promise<Use> {
  const folder = join(area.folder, "users");
  const note = `${machine.pid}-${randomBytes(4).toString("hex")}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await (await open(join(folder, note), "wx", 0o600)).close();
  const isAlone = async () => {
    const others = (await readdir(folder)).filter((name) => name !== note);
    const gone = others.filter((name) => !isAlive(machine, Number.parseInt(name, 10)));
    for (const other of gone) await rm(join(folder, other), { force: true });
    return gone.length === others.length;
  };
  const leave = async () => {
    await rm(join(folder, note), { force: true });
    return isAlone();
  };
  return { isAlone, leave };
}

/** One process's use of a Postgres. Both functions return whether no other living process uses it. */
export type Use = { isAlone(): Promise<boolean>; leave(): Promise<boolean> };
