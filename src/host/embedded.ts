import { timingSafeEqual } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Backend } from "#backend/ports";
import { computeFingerprint, findRunningRecord } from "#client/embedded/embedded";
import { makePrivateFolders } from "#files/folders";
import { type Lock, withLock } from "#files/lock";
import type { Processes } from "#files/processes";
import { writeWholeFile } from "#files/replace-file";
import { EMBEDDED_RECORD, LOCAL_SECRET_HEADER, STOP_PATH } from "#protocol/embedded";
import { EmbeddedRecord } from "#protocol/embedded-record";
import { Problem, toProblemBody } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { type HostOptions, type HostPorts, type RunningHost, startHost } from "./serve.ts";

/** How long the local backend stays up without a request, in ms. */
export const IDLE_LIMIT_MS = 30 * 60_000;

export type EmbeddedOptions = Omit<HostOptions, "localSecret"> & {
  /** State folder, which holds the record of the running backend. */
  stateFolder: string;
  idleLimitMs: number;
  shaping: Record<string, unknown>;
};

export type EmbeddedHostPorts = HostPorts & {
  processes: Processes;
  /** Version and build, part of the fingerprint. */
  build: string;
  /** Waits in real time; used while the lock is taken. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  every(ms: number, tick: () => void): () => void;
};

/**
 * Starts the local backend, or returns null if one is already running.
 *
 * @param onStop called after the idle limit, or when a client asks the backend to stop
 */
export async function startEmbedded(
  options: EmbeddedOptions,
  ports: EmbeddedHostPorts,
  onStop: () => void,
): Promise<RunningHost | null> {
  const { stateFolder } = options;
  const { processes, random } = ports;
  const lock: Lock = {
    path: join(stateFolder, "backend.lock"),
    clock: { now: ports.clock.now, sleep: ports.sleep },
    processes,
    unique: () => Buffer.from(random(8)).toString("hex"),
  };
  return withLock(lock, async () => {
    if (await findRunningRecord({ folder: stateFolder, processes })) return null;
    return startBackend(options, ports, onStop);
  });
}

async function startBackend(
  options: EmbeddedOptions,
  ports: EmbeddedHostPorts,
  onStop: () => void,
): Promise<RunningHost> {
  const record = join(options.stateFolder, EMBEDDED_RECORD);
  const secret = Buffer.from(ports.random(32)).toString("base64url");
  const { pid } = ports.processes;
  let inside: Backend | undefined;
  let idle: ReturnType<typeof watchIdle> | undefined;
  const host = await startHost({ ...options, localSecret: secret }, ports, (fetch) => async (request, address) => {
    idle?.touch();
    if (new URL(request.url).pathname !== STOP_PATH) return fetch(request, address);
    return handleStop(request, secret, inside, onStop);
  });
  inside = host.backend;
  // Starts the idle clock after the backend is up, so that a slow start does not count as idle time.
  idle = watchIdle(
    options.idleLimitMs,
    { now: ports.clock.now, busy: () => (inside?.busy() ?? 0) > 0, every: ports.every },
    onStop,
  );
  const started = (await ports.processes.started(pid)) ?? "";
  const mark = computeFingerprint(secret, ports.build, ports.env, options.shaping);
  await writeRecord(record, { pid, started, url: host.url, secret, version: ports.version, fingerprint: mark });
  return {
    ...host,
    close: async () => {
      idle?.stop();
      await removeRecord(record, pid);
      await host.close();
    },
  };
}

function handleStop(request: Request, secret: string, backend: Backend | undefined, onStop: () => void): Response {
  const given = Buffer.from(request.headers.get(LOCAL_SECRET_HEADER) ?? "");
  const wanted = Buffer.from(secret);
  const known = given.length === wanted.length && timingSafeEqual(given, wanted);
  if (!known || request.method !== "POST") {
    const problem = new Problem("LOCAL_SECRET_REQUIRED", "This backend belongs to another user.");
    return Response.json(toProblemBody(problem), { status: problem.status });
  }
  if ((backend?.busy() ?? 0) > 0) {
    const problem = new Problem("BACKEND_BUSY", "The local backend is still working on a request.");
    return Response.json(toProblemBody(problem), { status: problem.status });
  }
  onStop();
  return Response.json({ stopping: true }, { status: 202 });
}

/** Time and workload, as the idle clock sees them. */
export type IdlePorts = { now(): number; busy(): boolean; every(ms: number, tick: () => void): () => void };

/**
 * Calls `onIdle` once after `limitMs` without a request and without running work.
 *
 * @returns `touch`, to call on every request, and `stop`
 */
export function watchIdle(limitMs: number, ports: IdlePorts, onIdle: () => void): { touch(): void; stop(): void } {
  let last = ports.now();
  const stop = ports.every(Math.max(50, Math.min(limitMs / 4, 30_000)), () => {
    if (ports.busy()) last = ports.now();
    if (ports.now() - last < limitMs) return;
    stop();
    onIdle();
  });
  return {
    touch: () => {
      last = ports.now();
    },
    stop,
  };
}

/** Writes the record of this process atomically. */
export async function writeRecord(path: string, record: EmbeddedRecord): Promise<void> {
  makePrivateFolders(dirname(path));
  await writeWholeFile(path, `${JSON.stringify(record)}\n`, record.pid);
}

/** Removes the record unless another backend has replaced it. */
export async function removeRecord(path: string, pid: number): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return;
  try {
    if (parseShape(EmbeddedRecord, JSON.parse(text), "the record").pid !== pid) return;
  } catch {
    // An unreadable record is useless, so it is removed.
  }
  await rm(path, { force: true });
}
