import { type ChildProcess, spawn } from "node:child_process";
import { open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { getErrno } from "#files/folders";
import type { Machine } from "#files/processes";
import { Problem } from "#protocol/errors";
import type { PostgresArea } from "./area.ts";
import { cannotRunProblem, failedProblem } from "./command.ts";
import { isServerRunning } from "./postmaster.ts";

const START_LIMIT_MS = 50_000;
const CONNECT_LIMIT_MS = 2_000;
const STEP_MS = 20;
const MAX_STARTS = 2;

/** Size in bytes at which the log of Postgres is deleted before the next start. */
const LOG_LIMIT_BYTES = 1_000_000;

/** Keeps the memory use small and the values of statements out of the log. */
const SETTINGS: Record<string, string> = {
  shared_buffers: "16MB",
  max_connections: "100",
  io_method: "sync",
  max_wal_size: "128MB",
  max_wal_senders: "0",
  wal_level: "minimal",
  max_logical_replication_workers: "0",
  jit: "off",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

/** `ready`: accepts queries. `busy`: starting, recovering, or stopping. `absent`: nothing listens. */
export type ServerState = "ready" | "busy" | "absent";

/**
 * Connects once and returns the state of the server.
 *
 * @throws Problem DATABASE_UNAVAILABLE if the server refuses the connection
 */
export async function probeServer(config: pg.PoolConfig): Promise<ServerState> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return "ready";
  } catch (error) {
    await client.end().catch(() => undefined);
    if (["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(getErrno(error))) return "absent";
    if (["57P03", "53300"].includes(getErrno(error)) || /timeout|terminated/i.test(String(error))) return "busy";
    throw new Problem("DATABASE_UNAVAILABLE", "The embedded Postgres refused the connection.", { cause: error });
  }
}

/** Whether the server rejected the password, or got none. */
export function isPasswordRefused(error: unknown): boolean {
  if (!(error instanceof Problem) || !(error.cause instanceof Error)) return false;
  return getErrno(error.cause) === "28P01" || /^SASL: /.test(error.cause.message);
}

/**
 * Starts Postgres and waits until it accepts queries. The server outlives this process.
 *
 * @throws Problem DATABASE_UNAVAILABLE with the last error in its log
 */
export async function launchServer(
  area: PostgresArea,
  bin: string,
  config: pg.PoolConfig,
  machine: Machine,
  settings: Record<string, string> = {},
): Promise<void> {
  const end = AbortSignal.timeout(START_LIMIT_MS);
  if ((await getLogSize(area)) > LOG_LIMIT_BYTES) await rm(getLogFile(area), { force: true });
  const logStart = await getLogSize(area);
  let child: ChildProcess | undefined;
  for (let starts = 0; !end.aborted; await pause(STEP_MS)) {
    const state = await probeServer(config);
    if (state === "ready") return;
    if (state === "busy" || (child !== undefined && isRunning(child))) continue;
    if (await isServerRunning(area, machine)) continue;
    if (starts++ === MAX_STARTS) break;
    await removeSocketLock(area, config);
    child = await spawnPostgres(area, bin, config, machine, settings);
  }
  const line = await readLastError(area, logStart);
  throw failedProblem(`Could not start the embedded Postgres${line === "" ? "" : `: ${line}`}.`, {
    details: { log: getLogFile(area) },
  });
}

async function spawnPostgres(
  area: PostgresArea,
  bin: string,
  config: pg.PoolConfig,
  machine: Machine,
  settings: Record<string, string>,
): Promise<ChildProcess> {
  const log = await open(getLogFile(area), "a", 0o600);
  const reach: Record<string, string> =
    area.socket === ""
      ? { listen_addresses: "127.0.0.1", unix_socket_directories: "" }
      : { listen_addresses: "", unix_socket_directories: area.socket, unix_socket_permissions: "0700" };
  // Some systems have no /dev/shm, or a full one. Windows has only its own kind of shared memory.
  const shared: Record<string, string> = machine.platform === "win32" ? {} : { dynamic_shared_memory_type: "mmap" };
  const all = { ...SETTINGS, ...shared, ...reach, port: String(config.port), ...settings };
  const args = ["-D", area.data, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(join(bin, "postgres"), args, {
        ...area.account,
        cwd: area.folder,
        env: machine.env,
        detached: true,
        stdio: ["ignore", log.fd, log.fd],
        windowsHide: true,
      });
      child.once("error", (cause) => reject(cannotRunProblem(cause)));
      child.once("spawn", () => resolve(child));
      child.unref();
    });
  } finally {
    await log.close();
  }
}

/**
 * Removes the socket's lock file, which a killed Postgres leaves behind. Its pid may belong to another program by now,
 * or to a zombie, which a container may never reap. The folder is private and nothing serves the data, so the file is
 * stale.
 */
async function removeSocketLock(area: PostgresArea, config: pg.PoolConfig): Promise<void> {
  if (area.socket !== "") await rm(join(area.socket, `.s.PGSQL.${config.port}.lock`), { force: true });
}

/** Returns the last fatal error in the log after `logStart` bytes, ignoring rejected probes. */
async function readLastError(area: PostgresArea, logStart: number): Promise<string> {
  const text = (await readFile(getLogFile(area)).catch(() => Buffer.alloc(0))).subarray(logStart).toString("utf8");
  const lines = text.split("\n").filter((line) => /(FATAL|PANIC): |error while/.test(line));
  const line = lines.findLast((entry) => !/database system is (starting|shutting|not yet)/.test(entry)) ?? "";
  return line.replace(/^.*?(FATAL|PANIC): +/, "").trim();
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function getLogSize(area: PostgresArea): Promise<number> {
  return (await stat(getLogFile(area)).catch(() => undefined))?.size ?? 0;
}

function getLogFile(area: PostgresArea): string {
  return join(area.folder, "postgres.log");
}
