import { createHmac } from "node:crypto";
import { readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Processes } from "#files/processes";
import type { Send, Timer } from "#net/ports";
import { clean } from "#protocol/clean";
import { LOCAL_SECRET_HEADER, STOP_PATH, toShapeText } from "#protocol/embedded";
import type { EmbeddedRecord } from "#protocol/embedded-record";
import { Problem } from "#protocol/errors";
import { findProvenRecord, findRunningRecord, provesIdentity } from "./record.ts";

/** Time limit of a start in ms, including a new database on a slow disk. */
const START_LIMIT_MS = 60_000;
const POLL_MS = 20;

/** Time limit of a stop in ms, including running requests and the database. */
const STOP_LIMIT_MS = 30_000;

/** How long an unresponsive process may take to end before it is killed, in ms. */
const END_LIMIT_MS = 10_000;

/** Free space in bytes below which a disk counts as full. */
const FULL_BYTES = 64 * 1024;

/** Ports for finding and starting the local backend. */
export type EmbeddedPorts = {
  /** State folder with the record and the log. */
  folder: string;
  /** Version and build of this kay. */
  build: string;
  env: Record<string, string | undefined>;
  /** Settings that affect a backend, such as client IDs. */
  shaping: Record<string, unknown>;
  clock: Timer;
  /** Ends all waits. */
  signal: AbortSignal;
  processes: Processes;
  send: Send;
  note(text: string): void;
  /** Starts `kay serve --embedded` as a detached process that writes to `log`. */
  spawn(log: string): { waitForExit(): Promise<number | null> };
};

/** URL and secret of the local backend, and its process. */
export type EmbeddedBackend = Pick<EmbeddedRecord, "url" | "secret" | "pid" | "started">;

/**
 * Opens the local backend: a running one with the same version and settings, or a new one. There is one per user;
 * concurrent commands share it.
 *
 * @throws Problem BACKEND_START_FAILED with the last error of its log, STORE_UNREADABLE if the record belongs to another
 * user
 */
export async function openEmbeddedBackend(ports: EmbeddedPorts): Promise<EmbeddedBackend> {
  const running = await findProvenRecord(ports);
  if (running && isCurrent(running, ports)) return running;
  if (running && !(await stopOutdated(running, ports))) return running;
  ports.note("Starting a local backend (stops after 30 minutes of inactivity).");
  return startBackend(ports);
}

/**
 * Whether requests may go to a backend that was opened before: its process has the same start time, or, if the system
 * does not report that, it proves its identity again.
 */
export async function isStillRunning(
  { processes, send }: Pick<EmbeddedPorts, "processes" | "send">,
  backend: EmbeddedBackend,
): Promise<boolean> {
  if ((await processes.getStartTime(backend.pid)) !== backend.started) return false;
  return backend.started !== "" || provesIdentity(send, backend).catch(() => false);
}

/** Computes a keyed digest of the settings a backend was started with, which reveals no settings to other users. */
export function computeFingerprint(
  secret: string,
  build: string,
  env: EmbeddedPorts["env"],
  shaping: Record<string, unknown>,
): string {
  return createHmac("sha256", secret).update(build).update(toShapeText(env, shaping)).digest("hex");
}

function isCurrent(record: EmbeddedRecord, { build, env, shaping }: EmbeddedPorts): boolean {
  return record.fingerprint === computeFingerprint(record.secret, build, env, shaping);
}

/** Stops a backend with other settings. A busy one keeps running and is used as it is. */
async function stopOutdated(record: EmbeddedRecord, ports: EmbeddedPorts): Promise<boolean> {
  if ((await stopBackend(record, ports)) !== "busy") return true;
  ports.note("The local backend is running with older settings. New settings apply after `kay serve --stop`.");
  return false;
}

type StopPorts = Pick<EmbeddedPorts, "folder" | "processes" | "send" | "clock" | "signal">;
type End = (pid: number, signal: "SIGTERM" | "SIGKILL") => void;

/**
 * Stops the local backend if it is running and idle.
 *
 * @param force also stops a backend that is busy
 * @param end sends a signal to one that does not answer
 * @throws Problem BACKEND_START_FAILED when it does not stop within 30 s
 */
export async function stopEmbedded(ports: StopPorts, { force = false, end }: { force?: boolean; end?: End } = {}) {
  let record: EmbeddedRecord | null;
  try {
    record = await findProvenRecord(ports);
  } catch (error) {
    const unproven = force ? await findRunningRecord(ports) : null;
    if (!unproven || !end) throw error;
    return endProcess(unproven, ports, end);
  }
  return record ? stopBackend(record, ports, force) : "not running";
}

/** Ends the process of the record, if necessary with SIGKILL. */
async function endProcess(record: EmbeddedRecord, ports: StopPorts, end: End): Promise<"stopped"> {
  end(record.pid, "SIGTERM");
  if (await isGoneWithin(END_LIMIT_MS, record, ports)) return "stopped";
  end(record.pid, "SIGKILL");
  return waitForEnd(record, ports);
}

async function stopBackend(record: EmbeddedRecord, ports: StopPorts, force = false): Promise<"stopped" | "busy"> {
  const query = force ? "?force=true" : "";
  const headers = { [LOCAL_SECRET_HEADER]: record.secret };
  const answer = await ports
    .send({ method: "POST", url: `${record.url}${STOP_PATH}${query}`, headers, timeoutMs: 2_000 })
    .catch(() => null);
  if (answer?.status === 409) return "busy";
  return waitForEnd(record, ports);
}

async function waitForEnd(record: EmbeddedRecord, ports: StopPorts): Promise<"stopped"> {
  if (await isGoneWithin(STOP_LIMIT_MS, record, ports)) return "stopped";
  throw new Problem("BACKEND_START_FAILED", `The local backend (PID ${record.pid}) did not stop.`, {
    hint: `End process ${record.pid} and try again.`,
  });
}

async function isGoneWithin(limitMs: number, { pid, started }: EmbeddedRecord, ports: StopPorts): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += POLL_MS) {
    if ((await ports.processes.getStartTime(pid)) !== started) return true;
    await ports.clock.sleep(POLL_MS, ports.signal);
  }
  return false;
}

async function startBackend(ports: EmbeddedPorts): Promise<EmbeddedBackend> {
  const log = join(ports.folder, "backend.log");
  const logSize = await getSize(log);
  const child = ports.spawn(log);
  let exit: { code: number | null } | null = null;
  void child.waitForExit().then((code) => {
    exit = { code };
  });
  for (let waitedMs = 0; waitedMs < START_LIMIT_MS; waitedMs += POLL_MS) {
    if (await findRunningRecord(ports)) break;
    if (exit) break;
    await ports.clock.sleep(POLL_MS, ports.signal);
  }
  // The child may have found another backend that was starting, and exited.
  const record = await findProvenRecord(ports);
  if (record) return record;
  const { cause, hint } = (await findLastError(log, logSize)) ?? (await describeFullDisk(ports.folder));
  throw new Problem("BACKEND_START_FAILED", `Could not start the local backend${cause}.`, {
    hint: `${hint}Its log: ${log}`,
  });
}

async function getSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Why a start failed, as a part of a sentence, and its hint. */
type Failure = { cause: string; hint: string };

/** Describes a full disk, which also prevents an entry in the log. */
async function describeFullDisk(folder: string): Promise<Failure> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 1, bsize: FULL_BYTES }));
  if (bavail * bsize >= FULL_BYTES) return { cause: "", hint: "" };
  return { cause: `: the disk with ${folder} is full`, hint: "Free some space, then try again. " };
}

/** Finds the last error and its hint in the log after its first `start` bytes. A long log was rotated on start. */
async function findLastError(log: string, start: number): Promise<Failure | undefined> {
  const bytes = await readFile(log).catch(() => Buffer.alloc(0));
  const news = bytes.subarray(bytes.length >= start ? start : 0).toString("utf8");
  for (const line of news.trim().split("\n").reverse().slice(0, 20)) {
    try {
      const { level, message, hint } = JSON.parse(line) as Record<"level" | "message" | "hint", string | undefined>;
      const cleanText = (text: string) => clean(text, { lines: false, max: 500 }).replace(/\.$/, "");
      if (level === "error" && message)
        return { cause: `: ${cleanText(message)}`, hint: hint ? `${cleanText(hint)}. ` : "" };
    } catch {
      // Not a log entry.
    }
  }
  return undefined;
}
