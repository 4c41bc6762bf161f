import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { getErrno } from "./folders.ts";

/** Processes of this machine, to detect locks whose process has ended. */
export type Processes = {
  /** ID of this process. */
  pid: number;
  /** ID of its user; undefined on Windows, and where files are not checked. */
  uid?: number | undefined;
  /** Returns when a process started, as the system reports it ("" if it does not); null if it is not running. */
  getStartTime(pid: number): Promise<string | null>;
};

/**
 * Creates the real processes: on Linux from /proc, which reveals reused pids, elsewhere with a signal.
 *
 * @param alive whether `process.kill(pid, 0)` succeeds
 */
export function createProcesses(pid: number, alive: (pid: number) => boolean, uid?: number): Processes {
  return {
    pid,
    uid,
    async getStartTime(pid) {
      const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
      if (line !== null) return parseStartTime(line);
      const hasProc = await readFile("/proc/self/stat").then(
        () => true,
        () => false,
      );
      return !hasProc && alive(pid) ? "" : null;
    },
  };
}

/** Returns field 22 of proc(5) stat. The name in parentheses may contain anything. A zombie is not running. */
function parseStartTime(line: string): string | null {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? "");
}

// Called late, because reading `execFile` loads `node:child_process` (6 ms).
const run = (program: string, args: string[], options: { timeout: number; windowsHide?: boolean }) =>
  promisify(execFile)(program, args, options);
const TIME_LIMIT_MS = 2_000;

/** A running process: the ID of its user (undefined on Windows) and its command line, which is "" while it is started. */
export type ProcessIdentity = { uid: number | undefined; command: string };

/**
 * Identifies a process before kay sends it a signal, because a number in a file may belong to another program by now.
 *
 * @param platform as `process.platform`
 * @returns undefined if it is not running, or the system cannot identify it
 */
export async function identifyProcess(platform: string, pid: number): Promise<ProcessIdentity | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined;
  if (platform === "linux") return readProc(pid);
  return platform === "win32" ? listTask(pid) : askPs(pid);
}

async function readProc(pid: number): Promise<ProcessIdentity | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const uid = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1];
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return uid === undefined ? undefined : { uid: Number(uid), command: command.replaceAll("\0", " ") };
}

async function askPs(pid: number): Promise<ProcessIdentity | undefined> {
  const args = ["-ww", "-o", "uid=,args=", "-p", String(pid)];
  const { stdout } = await run("/bin/ps", args, { timeout: TIME_LIMIT_MS }).catch(() => ({ stdout: "" }));
  const [, uid, command = ""] = /^[ \t]*(\d+)[ \t]+(.*)$/m.exec(stdout) ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), command };
}

/** Windows names only the program; its command line would need a slow query. */
async function listTask(pid: number): Promise<ProcessIdentity | undefined> {
  const args = ["/FI", `PID eq ${pid}`, "/FO", "CSV", "/NH"];
  const options = { timeout: TIME_LIMIT_MS, windowsHide: true };
  const { stdout } = await run("tasklist", args, options).catch(() => ({ stdout: "" }));
  const command = /^"([^"]+)"/m.exec(stdout)?.[1];
  return command === undefined ? undefined : { uid: undefined, command };
}

/** Facts about the machine for the embedded Postgres. `src/process.ts` builds them from `process`. */
export type Machine = {
  /** `process.platform`. */
  platform: string;
  /** `process.arch`. */
  arch: string;
  /** `process.getuid()`; undefined on Windows. */
  uid: number | undefined;
  pid: number;
  tmpdir: string;
  /** Data folder if kay runs as root (`/var/lib/kay`), because Postgres then runs as another user. */
  systemFolder: string;
  /** Environment of the Postgres processes: only what the system needs (`PATH`, on Windows `SystemRoot`). */
  env: Record<string, string>;
  /** Like `process.kill`: throws `ESRCH` if the process does not exist. */
  kill(pid: number, signal: 0 | "SIGINT" | "SIGQUIT" | "SIGTERM" | "SIGKILL"): void;
  /**
   * Like `import.meta.resolve`, but returns the path of an installed package's main file. Throws if it is not
   * installed.
   */
  resolve(name: string): string;
};

/** Whether a process with this ID exists, as far as this user can know. */
export function isAlive(machine: Machine, pid: number): boolean {
  try {
    machine.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrno(error) === "EPERM";
  }
}
