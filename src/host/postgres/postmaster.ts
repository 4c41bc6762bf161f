import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { getErrno } from "#files/folders";
import { identifyProcess, isAlive, type Machine } from "#files/processes";
import type { PostgresArea } from "./area.ts";

const STOP_LIMIT_MS = 10_000;
const STEP_MS = 20;

/**
 * Whether a Postgres is running on the data without listening. Removes a stale pid file whose number another program
 * now has, because Postgres would mistake that program for a server, and one without a number, which a power failure
 * leaves and which Postgres refuses.
 */
export async function isServerRunning(area: PostgresArea, machine: Machine): Promise<boolean> {
  const pid = await readPostmasterPid(area);
  if (pid !== undefined && !isAlive(machine, pid)) return false;
  if (pid !== undefined && (await isPostmaster(area, machine, pid))) return true;
  await rm(join(area.data, "postmaster.pid"), { force: true });
  return false;
}

/**
 * Stops Postgres and waits until it is gone: a fast shutdown, which rolls back open transactions, then after 10 s an
 * immediate one. Neither loses committed data. A process gets a signal only if it is the Postgres of these data and
 * belongs to its user.
 */
export async function stopServer(area: PostgresArea, machine: Machine): Promise<void> {
  const pid = await readPostmasterPid(area);
  if (pid === undefined) return;
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    if (!(await isPostmaster(area, machine, pid))) return;
    try {
      machine.kill(pid, signal);
    } catch (error) {
      if (getErrno(error) === "ESRCH") return;
      throw error;
    }
    if (await waitUntilGone(area, pid, machine)) return;
  }
}

async function isPostmaster(area: PostgresArea, machine: Machine, pid: number): Promise<boolean> {
  const identity = await identifyProcess(machine.platform, pid);
  if (identity === undefined) return false;
  if (machine.platform === "win32") return /^postgres(\.exe)?$/i.test(identity.command);
  return identity.uid === (area.account?.uid ?? machine.uid) && ` ${identity.command} `.includes(` -D ${area.data} `);
}

async function waitUntilGone(area: PostgresArea, pid: number, machine: Machine): Promise<boolean> {
  const end = AbortSignal.timeout(STOP_LIMIT_MS);
  // A zombie stays in the process table, so half a second without a pid file counts as gone.
  for (let fileGone = 0; !end.aborted && fileGone * STEP_MS < 500; await pause(STEP_MS)) {
    if (!isAlive(machine, pid)) return true;
    fileGone = (await readPostmasterPid(area)) === pid ? 0 : fileGone + 1;
  }
  return !end.aborted;
}

async function readPostmasterPid(area: PostgresArea): Promise<number | undefined> {
  const text = await readFile(join(area.data, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  return pid > 1 ? pid : undefined;
}
