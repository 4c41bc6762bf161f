import { link, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import type { Timer } from "#net/ports";
import { Problem } from "#protocol/errors";
import { ensureCredentialFolder } from "./credential-folder.ts";
import { getErrno } from "./folders.ts";
import { requireOwn } from "./own-file.ts";
import type { Processes } from "./processes.ts";
import { unwritableProblem } from "./replace-file.ts";

/** A lock file shared by the processes of one machine. */
export type Lock = {
  path: string;
  clock: Timer;
  processes: Processes;
  unique: () => string;
  /** How long to wait for another process, and the age at which a lock is removed. Default: 30 s and 20 s. */
  limits?: { waitMs: number; oldMs: number };
};

/**
 * Runs `work` while no other process holds this lock. A lock is removed if its process has ended or it is too old.
 *
 * @throws Problem STORE_BUSY if another process holds it for too long, STORE_UNREADABLE if the lock or its folder belongs
 * to another user, or the reason of the signal
 */
export async function withLock<T>(lock: Lock, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const id = await acquireLock(lock, signal);
  try {
    return await work();
  } finally {
    await removeLock(lock, id).catch(() => {});
  }
}

const LIMITS = { waitMs: 30_000, oldMs: 20_000 };

type Holder = { id: string; pid: number; started: string; host: string; at: number };

async function acquireLock(lock: Lock, signal?: AbortSignal): Promise<string> {
  const id = lock.unique();
  const { waitMs } = lock.limits ?? LIMITS;
  const { uid } = lock.processes;
  await requireOwn(dirname(lock.path), uid);
  // Counts sleeps, because a clock that is set back would extend the wait forever.
  for (let waitedMs = 0; ; ) {
    signal?.throwIfAborted();
    await requireOwn(lock.path, uid);
    const holder = await readHolder(lock.path);
    if (!holder) {
      if (await createLock(lock, id)) return id;
      continue;
    }
    if (await isAbandoned(lock, holder)) {
      if (await removeLock(lock, holder.id)) continue;
    }
    if (waitedMs >= waitMs) throw busyProblem(lock.path, holder, waitMs);
    const pause = 10 + Math.min(240, waitedMs / 20) + (id.charCodeAt(0) % 16);
    await lock.clock.sleep(pause, signal);
    waitedMs += pause;
  }
}

/**
 * Creates a lock with its whole content at once: written to a temporary file, then linked. On file systems without hard
 * links, it is created and then written.
 */
async function createLock(lock: Lock, id: string): Promise<boolean> {
  const content = await formatHolder(lock, id);
  const temporary = `${lock.path}.${id}.tmp`;
  try {
    await writeNewFile(lock, temporary, content);
    await link(temporary, lock.path);
    return true;
  } catch (error) {
    if (getErrno(error) === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EXDEV", "EMLINK", "EACCES"].includes(getErrno(error)))
      throw unwritableProblem(lock.path, error);
    // Awaited here, because during `finally` a rejection would be unhandled and end the process.
    return await claimFile(lock.path, content);
  } finally {
    await unlink(temporary).catch(() => {});
  }
}

async function writeNewFile(lock: Lock, path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (getErrno(error) !== "ENOENT") throw error;
    await ensureCredentialFolder(dirname(lock.path));
    await writeFile(path, content, { flag: "wx", mode: 0o600 });
  }
}

/**
 * Removes the lock with this ID and no other. A process first claims the removal of that ID, then checks again: only
 * the owner of the claim can remove the lock.
 *
 * @returns whether that lock is gone
 */
async function removeLock(lock: Lock, id: string): Promise<boolean> {
  const claims: string[] = [];
  for (let n = 1; n <= 9; n++) {
    const claim = `${lock.path}.${id}.${n}`;
    claims.push(claim);
    if (await claimFile(claim, await formatHolder(lock, id))) {
      if ((await readHolder(lock.path))?.id === id) await unlink(lock.path);
      for (const name of claims) await unlink(name).catch(() => {});
      return true;
    }
    const claimer = await readHolder(claim);
    if (claimer && !(await isAbandoned(lock, claimer))) return false;
  }
  return false;
}

async function claimFile(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (getErrno(error) === "EEXIST") return false;
    throw unwritableProblem(path, error);
  }
}

async function formatHolder({ processes, clock }: Lock, id: string): Promise<string> {
  const { pid } = processes;
  const holder: Holder = {
    id,
    pid,
    started: (await processes.getStartTime(pid)) ?? "",
    host: hostname(),
    at: clock.now(),
  };
  return JSON.stringify(holder);
}

/** Returns the holder of a lock, or null. The age of a lock without readable content is that of its file. */
async function readHolder(path: string): Promise<Holder | null> {
  try {
    const holder: Partial<Holder> = JSON.parse(await readFile(path, "utf8"));
    if (typeof holder.id === "string" && /^[\w-]+$/.test(holder.id) && typeof holder.at === "number") {
      return {
        id: holder.id,
        at: holder.at,
        pid: holder.pid ?? 0,
        started: holder.started ?? "",
        host: holder.host ?? "",
      };
    }
  } catch (error) {
    if (getErrno(error) === "ENOENT") return null;
    if (!(error instanceof SyntaxError)) throw unwritableProblem(path, error);
  }
  const info = await stat(path).catch(() => null);
  return info && { id: `${info.ino}-${info.mtimeMs}`, at: info.mtimeMs, pid: 0, started: "", host: "" };
}

/**
 * Whether a lock is abandoned. The lock of another machine (a shared home, a container) can only be judged by its age.
 */
async function isAbandoned({ clock, processes, limits = LIMITS }: Lock, holder: Holder): Promise<boolean> {
  if (Math.abs(clock.now() - holder.at) > limits.oldMs) return true;
  if (holder.host !== hostname() || !holder.pid) return false;
  return (await processes.getStartTime(holder.pid)) !== holder.started;
}

function busyProblem(path: string, holder: Holder, waitMs: number): Problem {
  const message = `Another kay (process ${holder.pid}) has held ${path} for more than ${waitMs / 1000} s.`;
  return new Problem("STORE_BUSY", message, {
    details: { path, pid: holder.pid },
  });
}
