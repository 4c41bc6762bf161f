import { type ChildProcess, spawn } from "node:child_process";
import { open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { getErrno } from "#files/errno";
import { isAlive, type Machine } from "#files/machine";
import { Problem } from "#protocol/errors";
import type { PostgresArea } from "./area.ts";
import { cannotRunProblem } from "./data.ts";

/** Milliseconds. */
const START_LIMIT = 50_000;
const STOP_LIMIT = 10_000;
const CONNECT_LIMIT = 2_000;
const STEP = 20;
const MOST_STARTS = 2;

/** Bytes after which the log of Postgres begins anew. */
const LOG_LIMIT = 1_000_000;

/** Runs with a small footprint, and never writes a statement's values into its log. */
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

/** `ready`: takes queries. `busy`: starting, recovering or stopping. `absent`: nobody listens. */
export type ServerState = "ready" | "busy" | "absent";

/** Whether the Postgres of these connection data takes queries. */
export async function probeServer(config: pg.PoolConfig): Promise<ServerState> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: CONNECT_LIMIT });
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

/** Starts Postgres on the area's data and waits until it takes queries. It goes on when this process ends, in whatever way. */
export async function launchServer(
  area: PostgresArea,
  bin: string,
  config: pg.PoolConfig,
  machine: Machine,
  settings: Record<string, string> = {},
): Promise<void> {
  const end = AbortSignal.timeout(START_LIMIT);
  if ((await logSize(area)) > LOG_LIMIT) await rm(logFile(area), { force: true });
  const logStart = await logSize(area);
  let child: ChildProcess | undefined;
  for (let starts = 0; !end.aborted; await pause(STEP)) {
    const state = await probeServer(config);
    if (state === "ready") return;
    if (state === "busy" || (child !== undefined && isRunning(child))) continue;
    if (await servesAlready(area, machine)) continue;
    if (starts++ === MOST_STARTS) break;
    await removeSocketLock(area, config);
    child = await spawnPostgres(area, bin, config, machine, settings);
  }
  const line = await lastComplaint(area, logStart);
  throw new Problem("DATABASE_UNAVAILABLE", `The embedded Postgres did not start${line === "" ? "" : `: ${line}`}.`, {
    details: { log: logFile(area) },
  });
}

/** Stops Postgres (fast: open transactions are rolled back) and waits until it is gone; after 10 s without grace, which loses nothing. */
export async function stopServer(area: PostgresArea, config: pg.PoolConfig, machine: Machine): Promise<void> {
  if ((await probeServer(config)) === "absent") return;
  const pid = await postmaster(area);
  if (pid === undefined) return;
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    try {
      machine.kill(pid, signal);
    } catch (error) {
      if (getErrno(error) === "ESRCH") return;
      throw error;
    }
    if (await isGone(area, pid, machine)) return;
  }
}

async function spawnPostgres(
  area: PostgresArea,
  bin: string,
  config: pg.PoolConfig,
  machine: Machine,
  settings: Record<string, string>,
): Promise<ChildProcess> {
  const log = await open(logFile(area), "a", 0o600);
  const reach: Record<string, string> =
    area.socket === ""
      ? { listen_addresses: "127.0.0.1", unix_socket_directories: "" }
      : { listen_addresses: "", unix_socket_directories: area.socket, unix_socket_permissions: "0700" };
  const all = { ...SETTINGS, ...reach, port: String(config.port), ...settings };
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
 * Whether a Postgres works on the data although it does not listen (yet, or any more). Its pid file may be left over and its number in use
 * by another program, which Postgres itself would take for a running server: then the file is removed.
 */
async function servesAlready(area: PostgresArea, machine: Machine): Promise<boolean> {
  const pid = await postmaster(area);
  if (pid === undefined || !isAlive(machine, pid)) return false;
  const command =
    machine.platform === "linux" ? await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "") : area.data;
  if (command.includes(area.data)) return true;
  await rm(join(area.data, "postmaster.pid"), { force: true });
  return false;
}

/**
 * After a kill the socket's lock file stays, and its number may still be in use: by another program, or by the killed one until it is waited
 * for, which in a container may be never. The folder is kay's own and nobody serves its data, so the file means nothing.
 */
async function removeSocketLock(area: PostgresArea, config: pg.PoolConfig): Promise<void> {
  if (area.socket !== "") await rm(join(area.socket, `.s.PGSQL.${config.port}.lock`), { force: true });
}

async function isGone(area: PostgresArea, pid: number, machine: Machine): Promise<boolean> {
  const end = AbortSignal.timeout(STOP_LIMIT);
  // A process that nobody waits for stays in the process table, so for one without a pid file half a second is enough.
  for (let fileGone = 0; !end.aborted && fileGone * STEP < 500; await pause(STEP)) {
    if (!isAlive(machine, pid)) return true;
    fileGone = (await postmaster(area)) === pid ? 0 : fileGone + 1;
  }
  return !end.aborted;
}

async function postmaster(area: PostgresArea): Promise<number | undefined> {
  const text = await readFile(join(area.data, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  return pid > 1 ? pid : undefined;
}

/** The last reason that Postgres gave since the log had this many bytes, besides its answers to kay's own knocking. */
async function lastComplaint(area: PostgresArea, logStart: number): Promise<string> {
  const text = (await readFile(logFile(area)).catch(() => Buffer.alloc(0))).subarray(logStart).toString("utf8");
  const lines = text.split("\n").filter((line) => /(FATAL|PANIC): |error while/.test(line));
  const line = lines.findLast((entry) => !/database system is (starting|shutting|not yet)/.test(entry)) ?? "";
  return line.replace(/^.*?(FATAL|PANIC): +/, "").trim();
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function logSize(area: PostgresArea): Promise<number> {
  return (await stat(logFile(area)).catch(() => undefined))?.size ?? 0;
}

function logFile(area: PostgresArea): string {
  return join(area.folder, "postgres.log");
}
