import { join } from "node:path";
import type { ModelSettings } from "#agent/models/decision";
import type { Paths } from "#client/paths";
import type { Settings } from "#client/settings/settings";
import type { Machine, Processes } from "#files/processes";
import type { Timer } from "#net/ports";
import { EMBEDDED_PORT, getServeRecordName, TOUR } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import { createLog, LEVELS, type LogLevel } from "#telemetry/log";
import { IDLE_LIMIT_MS, removeRecord, startEmbedded, withProof, writeRecord } from "./embedded.ts";
import type { HostOptions, HostPorts, RunningHost } from "./ports.ts";
import { publishSandbox, startSandbox } from "./sandbox.ts";
import { startHost } from "./serve.ts";
import { makeDataFolder } from "./store.ts";
import { parseDrainTime, parseTrustedProxies } from "./trusted-proxies.ts";

/** Command-line options of `kay serve`. */
export type ServeRequest = Omit<HostOptions, "dataFolder" | "localSecret" | "drainMs" | "trusts"> & {
  dataDir?: string;
  embedded: boolean;
  /** Whether the local backend keeps running when it is idle. */
  stay?: boolean;
  /** Runs only the sandbox, for nodes that share it. */
  sandboxOnly?: boolean;
  /** In seconds. */
  drain?: string;
  trustProxy?: string;
};

/** The parts of the command line's context that a backend needs. */
export type RunPorts = {
  version: string;
  /** Version and build of kay, part of the fingerprint. */
  build: string;
  env: Record<string, string | undefined>;
  clock: Timer;
  random(bytes: number): Uint8Array;
  signal: AbortSignal;
  paths: Paths;
  /** Reads the settings again on each call. */
  settings(): Settings;
  /** Settings that are part of the local backend's fingerprint. */
  shaping: Record<string, unknown>;
  machine: Machine;
  processes: Processes;
  debug: boolean;
  memory?(): { rss: number; heapUsed: number; heapTotal: number };
  /** Writes a line to the log. */
  write(line: string): void;
  /** Called once the backend listens. */
  ready(host: RunningHost): void;
  /** Called once a separate sandbox listens, with its origins and the file that other nodes read. */
  sandboxReady(origins: Record<string, { origin: string }>, file: string): void;
};

/**
 * Runs the backend until the signal aborts or the local backend reaches its idle limit. Resolves when everything has
 * stopped.
 */
export async function runServe(request: ServeRequest, ports: RunPorts): Promise<void> {
  const { clock, signal } = ports;
  const log = createLog(ports.write, { level: readLogLevel(ports.env, ports.debug), clock });
  const end = Promise.withResolvers<void>();
  const stop = () => end.resolve();
  if (signal.aborted) return;
  signal.addEventListener("abort", stop, { once: true });
  if (request.sandboxOnly) return await runSandboxOnly(request, ports, log, end.promise);
  const hostPorts: HostPorts = {
    ...ports,
    setting: (key) => readSetting(ports.settings(), key),
    model: () => getModel(ports),
    log,
  };
  const host = await startBackend(request, ports, hostPorts, stop).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    log("error", "start_failed", { message, ...(error instanceof Problem ? { hint: error.hint } : {}) });
    throw error;
  });
  if (!host) return log("info", "already_running");
  const { url, node } = host;
  log("info", "listening", { url, version: ports.version, node, pid: ports.processes.pid });
  ports.ready(host);
  await end.promise;
  log("info", "stopping");
  await host.close();
}

async function runSandboxOnly(request: ServeRequest, ports: RunPorts, log: Log, end: Promise<void>): Promise<void> {
  const folder = getDataFolder(request, ports);
  makeDataFolder(folder);
  const sandbox = await startSandbox({ ...ports, folder, seed: request.seed, log });
  try {
    ports.sandboxReady(sandbox.providers, await publishSandbox(folder, sandbox.providers));
    await end;
  } finally {
    await sandbox.close();
  }
}

function getDataFolder(request: ServeRequest, { paths }: RunPorts): string {
  const { dataDir, embedded } = request;
  return dataDir ?? join(paths.data(), isTour(request) ? TOUR : embedded ? "embedded" : "serve");
}

/** The tour's backend shares nothing with the one that has the user's accounts. */
function isTour({ embedded, sandbox }: ServeRequest): boolean {
  return embedded && sandbox;
}

function startBackend(
  request: ServeRequest,
  ports: RunPorts,
  hostPorts: HostPorts,
  stop: () => void,
): Promise<RunningHost | null> {
  const { env, paths, clock } = ports;
  const address = isTour(request) ? undefined : env.KAY_DATABASE_URL || env.DATABASE_URL;
  const databaseUrl = request.databaseUrl ?? (address || undefined);
  const options: HostOptions = { ...request, databaseUrl, dataFolder: getDataFolder(request, ports) };
  if (!request.embedded)
    return startServing(
      { ...options, ...readProxyOptions(request, env) },
      { ...hostPorts, processes: ports.processes, state: paths.state() },
    );
  const idleLimitMs = request.stay ? Number.POSITIVE_INFINITY : Number(env.KAY_IDLE_LIMIT_MS) || IDLE_LIMIT_MS;
  const stateFolder = isTour(request) ? join(paths.state(), TOUR) : paths.state();
  return startEmbedded(
    { ...options, port: EMBEDDED_PORT, anyPort: true, stateFolder, idleLimitMs, shaping: ports.shaping },
    { ...hostPorts, processes: ports.processes, build: ports.build, sleep: clock.sleep, every: startInterval },
    stop,
  );
}

function readProxyOptions(request: ServeRequest, env: RunPorts["env"]): Pick<HostOptions, "drainMs" | "trusts"> {
  const trusted = request.trustProxy ?? env.KAY_TRUST_PROXY;
  return {
    drainMs: parseDrainTime((request.drain ?? env.KAY_DRAIN) || "0"),
    ...(trusted ? { trusts: parseTrustedProxies(trusted) } : {}),
  };
}

function startInterval(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms);
  return () => clearInterval(timer);
}

function readSetting(settings: Settings, key: string): string | undefined {
  return settings
    .list()
    .find((setting) => setting.key === key)
    ?.value?.toString();
}

/**
 * Returns the model settings. An invalid setting is the operator's mistake, not the caller's, so it gets another code.
 */
function getModel({ env, settings }: RunPorts): ModelSettings {
  try {
    const { value, where } = settings().get("model");
    return value === undefined ? { env } : { model: String(value), where, env };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { message, hint } = error;
    throw new Problem("MODEL_NOT_CONFIGURED", message, { hint, cause: error });
  }
}

/**
 * Returns the log level: KAY_LOG_LEVEL, otherwise `debug` with `--debug` or KAY_DEBUG, otherwise `info`.
 *
 * @throws Problem USAGE for an unknown level
 */
export function readLogLevel(env: Record<string, string | undefined>, debug: boolean): LogLevel {
  const text = env.KAY_LOG_LEVEL?.trim().toLowerCase();
  if (!text) return debug ? "debug" : "info";
  const level = LEVELS.find((level) => level === text);
  if (level) return level;
  throw new Problem("USAGE", `Unknown log level ${JSON.stringify(text)} in KAY_LOG_LEVEL.`, {
    hint: `Set KAY_LOG_LEVEL to one of ${LEVELS.join(", ")}.`,
  });
}

type Ports = HostPorts & {
  processes: Processes;
  /** State folder, which holds the record. */
  state: string;
};

/**
 * Starts `kay serve` and writes a record that only its user can read, so that `kay serve --status` of that user shows
 * details. A record that cannot be written is only logged.
 */
export async function startServing(options: HostOptions, ports: Ports): Promise<RunningHost> {
  const { processes, version, log } = ports;
  const { pid } = processes;
  const secret = Buffer.from(ports.random(32)).toString("base64url");
  let url = "";
  const host = await startHost({ ...options, operatorSecret: secret }, ports, (fetch) =>
    withProof(secret, () => url, fetch),
  );
  url = host.url;
  const record = join(ports.state, getServeRecordName(Number(new URL(host.url).port || 80)));
  const started = (await processes.getStartTime(pid)) ?? "";
  await writeRecord(record, { pid, started, url: host.url, secret, version, fingerprint: "" }).catch((error: unknown) =>
    log("warn", "record_not_written", { error }),
  );
  return {
    ...host,
    close: async () => {
      await removeRecord(record, pid).catch(() => {});
      await host.close();
    },
  };
}
