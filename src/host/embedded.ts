import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Backend } from "#backend/ports";
import { compareSecrets } from "#backend/store/secrets";
import { computeFingerprint } from "#client/embedded/embedded";
import { computeProof, findRunningRecord, isChallenge } from "#client/embedded/record";
import { makePrivateFolders } from "#files/folders";
import { type Lock, withLock } from "#files/lock";
import type { Processes } from "#files/processes";
import { writeWholeFile } from "#files/replace-file";
import { EMBEDDED_RECORD, LOCAL_SECRET_HEADER, PROOF_PATH, STOP_PATH } from "#protocol/embedded";
import { EmbeddedRecord } from "#protocol/embedded-record";
import { Problem, toProblemBody } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import type { HostOptions, HostPorts, RunningHost } from "./ports.ts";
import { createProgramRecord, endLeftovers, PROGRAMS_FILE } from "./program-record.ts";
import { startHost } from "./serve.ts";

/** The local backend stops after this time without a request, in ms. */
export const IDLE_LIMIT_MS = 30 * 60_000;

export type EmbeddedOptions = Omit<HostOptions, "localSecret"> & {
  /** The state folder, which contains the record. */
  stateFolder: string;
  idleLimitMs: number;
  shaping: Record<string, unknown>;
};

export type EmbeddedHostPorts = HostPorts & {
  processes: Processes;
  /** Version and build of this kay, for the fingerprint. */
  build: string;
  /** Real timers; the lock waits with `sleep`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  every(ms: number, tick: () => void): () => void;
};

/**
 * Starts the local backend, unless one is already running (then null).
 *
 * @param onStop called at the idle limit, or when a client stops it
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
    const programs = join(stateFolder, PROGRAMS_FILE);
    await endLeftovers(programs, ports.machine, ports.log);
    return start(options, { ...ports, programRecord: createProgramRecord(programs, ports.machine) }, onStop);
  });
}

async function start(options: EmbeddedOptions, ports: EmbeddedHostPorts, onStop: () => void): Promise<RunningHost> {
  const record = join(options.stateFolder, EMBEDDED_RECORD);
  const secret = Buffer.from(ports.random(32)).toString("base64url");
  const { pid } = ports.processes;
  let backend: Backend | undefined;
  let idle: ReturnType<typeof watchIdle> | undefined;
  let url = "";
  const host = await startHost({ ...options, localSecret: secret }, ports, (fetch) =>
    withProof(
      secret,
      () => url,
      async (request, address) => {
        idle?.touch();
        if (new URL(request.url).pathname !== STOP_PATH) return fetch(request, address);
        return handleStop(request, secret, backend, onStop);
      },
    ),
  );
  url = host.url;
  backend = host.backend;
  // Only now, because a start on a slow machine is not idle time.
  idle = watchIdle(
    options.idleLimitMs,
    {
      now: ports.clock.now,
      busy: () => (backend?.busy() ?? 0) > 0,
      isNeeded: async () => backend !== undefined && (await hasOpenWork(backend)),
      every: ports.every,
    },
    onStop,
  );
  const started = (await ports.processes.getStartTime(pid)) ?? "";
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

/** Whether a request is running or waiting for an answer, or a schedule is active. */
async function hasOpenWork(backend: Backend): Promise<boolean> {
  const { shared } = await backend.status();
  if ((shared?.schedules ?? 0) > 0) return true;
  return Object.values(shared?.generations ?? {}).some((count) => (count ?? 0) > 0);
}

/** Stops this backend when its client asks for it. Refuses while a request runs, unless `force=true`. */
function handleStop(request: Request, secret: string, backend: Backend | undefined, onStop: () => void): Response {
  const isTrusted = compareSecrets(request.headers.get(LOCAL_SECRET_HEADER) ?? "", secret);
  if (!isTrusted || request.method !== "POST") {
    const problem = new Problem("LOCAL_SECRET_REQUIRED", "This backend belongs to another user.");
    return Response.json(toProblemBody(problem), { status: problem.status });
  }
  const isForced = new URL(request.url).searchParams.get("force") === "true";
  if (!isForced && (backend?.busy() ?? 0) > 0) {
    const problem = new Problem("BACKEND_BUSY", "This backend is processing requests.");
    return Response.json(toProblemBody(problem), { status: problem.status });
  }
  onStop();
  return Response.json({ stopping: true }, { status: 202 });
}

/** Answers challenges at {@link PROOF_PATH}, and passes on every other request. */
export function withProof(secret: string, getUrl: () => string, fetch: Backend["fetch"]): Backend["fetch"] {
  return async (request, address) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== PROOF_PATH) return fetch(request, address);
    const challenge = searchParams.get("challenge") ?? "";
    if (request.method === "GET" && isChallenge(challenge))
      return new Response(computeProof(secret, getUrl(), challenge), { headers: { "cache-control": "no-store" } });
    const problem = new Problem("INVALID_REQUEST", "Send a challenge with GET.");
    return Response.json(toProblemBody(problem), { status: problem.status });
  };
}

/** Ports of the idle clock. */
export type IdlePorts = {
  now(): number;
  busy(): boolean;
  /** Whether the backend must keep running although it is idle. Called only at the idle limit. */
  isNeeded(): Promise<boolean>;
  every(ms: number, tick: () => void): () => void;
};

/**
 * Calls `onIdle` once after `limitMs` without a request, if nothing runs and the backend is not needed.
 *
 * @returns `touch`, to call with every request, and `stop`
 */
export function watchIdle(limitMs: number, ports: IdlePorts, onIdle: () => void): { touch(): void; stop(): void } {
  let last = ports.now();
  let isAsking = false;
  const stop = ports.every(Math.max(50, Math.min(limitMs / 4, 30_000)), () => {
    // A clock that was set back must not keep an idle backend.
    if (ports.busy() || ports.now() < last) last = ports.now();
    if (isAsking || ports.now() - last < limitMs) return;
    isAsking = true;
    const since = last;
    void ports
      .isNeeded()
      .catch(() => false)
      .then((isNeeded) => {
        isAsking = false;
        if (isNeeded) last = ports.now();
        if (last !== since || ports.busy()) return;
        stop();
        onIdle();
      });
  });
  return {
    touch: () => {
      last = ports.now();
    },
    stop,
  };
}

/** Writes the record of this process atomically, because others may be writing theirs. */
export async function writeRecord(path: string, record: EmbeddedRecord): Promise<void> {
  makePrivateFolders(dirname(path));
  await writeWholeFile(path, `${JSON.stringify(record)}\n`, record.pid);
}

/** Removes the record if it still belongs to this process. */
export async function removeRecord(path: string, pid: number): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return;
  try {
    if (parseShape(EmbeddedRecord, JSON.parse(text), "the record").pid !== pid) return;
  } catch {
    // An unreadable record is useless.
  }
  await rm(path, { force: true });
}
