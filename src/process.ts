import { execFile, spawn } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readlinkSync, renameSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, hostname, tmpdir } from "node:os";
import { delimiter, dirname, join, parse } from "node:path";
import { isatty } from "node:tty";
import { setFlagsFromString } from "node:v8";
import { createInterrupts, type ProcessStreams, startWatchdog } from "#cli/terminal/modes";
import { createTerminal } from "#cli/terminal/streams";
import { makePrivateFolders } from "#files/folders";
import type { Machine } from "#files/machine";
import type { Timer } from "#net/ports";
import { Problem } from "#protocol/errors";

/** Size in bytes above which the local backend's log is rotated before the next start. */
const LOG_LIMIT = 5 * 1024 * 1024;

/** Opens the process's terminal, which is restored however kay exits, and the signal that ends the work. */
export function openTerminal() {
  const ending = new AbortController();
  const interrupts = createInterrupts(() => ending.abort("SIGINT"));
  process.on("SIGINT", interrupts.interrupt);
  // Without a listener, Node would open its inspector, through which any local user could read the keys.
  process.on("SIGUSR1", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => ending.abort(signal));
  const columns = Number(process.env.KAY_FORCE_TTY);
  let unwritten = "";
  const terminal = createTerminal({
    stdin: () => process.stdin,
    stdout: () => process.stdout,
    stderr: () => process.stderr,
    isTerminal: isatty,
    interrupt: interrupts.interrupt,
    hangUp: () => ending.abort("SIGHUP"),
    readerGone: () => ending.abort("SIGPIPE"),
    cannotWrite: (errno) => {
      unwritten = errno;
    },
    ...(process.platform === "win32" ? {} : jobs),
    ...(process.env.KAY_FORCE_TTY ? { forcedColumns: columns > 0 ? columns : 80 } : {}),
  });
  process.on("exit", terminal.restore);
  return {
    terminal: { ...terminal, place: getPlace() },
    signal: ending.signal,
    catchInterrupts: interrupts.catchInterrupts,
    interrupt: interrupts.interrupt,
    unwritten: () => unwritten,
  };
}

/**
 * Returns the folder that kay was started in. If it was deleted, names in it are not found, and the process moves to the
 * root, so that nothing that asks for the folder fails.
 */
export function openWorkingFolder(): string {
  try {
    return process.cwd();
  } catch {
    process.chdir(parse(process.execPath).root);
    return DELETED_FOLDER;
  }
}

/** A path that cannot exist, so that no other file is meant. */
const DELETED_FOLDER = "/dev/null/deleted";

/** Returns `laptop pts/3`: the host without its domain, and the terminal if the system reports it. */
function getPlace(): string {
  const [host = ""] = hostname().split(".");
  try {
    const [, tty] = /^\/dev\/(tty\S+|pts\/\d+)$/.exec(readlinkSync("/proc/self/fd/0")) ?? [];
    return tty ? `${host} ${tty}` : host;
  } catch {
    return host;
  }
}

/** Reports an uncaught error after the terminal is restored. */
export function endOnCrash(terminal: { restore(): void }, word: (error: unknown) => number): void {
  const crash = (error: unknown) => {
    terminal.restore();
    process.exit(word(error));
  };
  process.on("uncaughtException", crash).on("unhandledRejection", crash);
}

/** Job control for the terminal. */
const jobs: Pick<ProcessStreams, "stop" | "onContinue" | "guard"> = {
  // The whole job, as the terminal does it for Ctrl+Z. Without a shell that could resume it, the system leaves it running.
  stop: () => void process.kill(0, "SIGTSTP"),
  onContinue: (listener) => {
    process.on("SIGCONT", listener);
    return () => process.off("SIGCONT", listener);
  },
  guard: guardTerminal,
};

/** Starts the watchdog after the first frame, because a process takes 6 ms to start. */
function guardTerminal(off: string): () => void {
  let stop = () => {};
  const start = setImmediate(() => {
    for (const flag of MEMORY_FLAGS) setFlagsFromString(flag);
    stop = startWatchdog(off, process.env);
  });
  return () => {
    clearImmediate(start);
    stop();
  };
}

/**
 * Keep the memory of a session small. Otherwise, 60,000 pieces of text leave 45 MB of garbage, because V8 lets the
 * young generation grow, and the heap to a multiple of what lives. Text that arrives faster than a model sends it takes
 * about 10 % more processor time. Other flags for this have no effect in a process that runs.
 */
const MEMORY_FLAGS = ["--semi-space-growth-factor=1", "--heap-growing-percent=50"];

/** The real clock. */
export const clock: Timer = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};

/** Facts about this machine for the embedded Postgres. */
export function readMachine(): Machine {
  const { env, platform, arch, pid } = process;
  const systemEnv = { PATH: env.PATH ?? "", ...(env.SystemRoot ? { SystemRoot: env.SystemRoot } : {}) };
  const { resolve } = createRequire(import.meta.url);
  const kill: Machine["kill"] = (of, signal) => void process.kill(of, signal);
  return {
    platform,
    arch,
    uid: process.getuid?.(),
    pid,
    tmpdir: tmpdir(),
    systemFolder: "/var/lib/kay",
    env: systemEnv,
    kill,
    resolve,
  };
}

/** The system may know no home folder for this user (containers with a random one). */
export function findHomeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** Whether a process of this id runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns the path of a program on the PATH; null if there is none. */
export function findProgram(program: string): string | null {
  for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not there.
    }
  }
  return null;
}

/**
 * Keeps the memory of a local backend small: otherwise, V8 lets young garbage grow to 48 MB. That saves a third of the
 * processor time under the load of many users, so it is not set for `kay serve`.
 */
const YOUNG_GENERATION = "--max-semi-space-size=2";

/** Starts kay's own backend as a detached process. Its output goes to this log. */
export function spawnBackend(
  log: string,
  profile: string,
  { sandbox = false } = {},
): { waitForExit(): Promise<number | null> } {
  const output = openLog(log);
  const entry = process.argv[1] ?? "";
  const options = { stdio: ["ignore", output, output] as const, detached: true, windowsHide: true, cwd: dirname(log) };
  const child = spawn(
    process.execPath,
    [YOUNG_GENERATION, entry, "serve", "--embedded", "--profile", profile, ...(sandbox ? ["--sandbox"] : [])],
    {
      ...options,
      stdio: [...options.stdio],
    },
  );
  closeSync(output);
  child.unref();
  return {
    waitForExit: () =>
      new Promise((resolve) => {
        child.once("error", () => resolve(null));
        child.once("exit", (code) => resolve(code));
      }),
  };
}

/** Milliseconds that a program of the system may take. */
const PROGRAM_LIMIT = 60_000;

/** Runs a program of the system until it ends. Its output is at most a few lines. */
export function runProgram(
  program: string,
  args: string[],
  signal: AbortSignal,
): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve) => {
    const options = { signal, timeout: PROGRAM_LIMIT, windowsHide: true, maxBuffer: 1024 * 1024 };
    const child = execFile(program, args, options, (error, _, stderr) =>
      resolve({ code: error ? child.exitCode : 0, stderr: stderr || (error?.message ?? "") }),
    );
  });
}

/** Starts `checkForUpdate` of this bundle as a detached process. */
export function spawnUpdateCheck(main: string): void {
  const args = ["--input-type=commonjs", "--eval", "require(process.argv[1]).checkForUpdate()", main];
  const child = spawn(process.execPath, args, {
    stdio: "ignore",
    detached: true,
    windowsHide: true,
    cwd: dirname(main),
  });
  child.once("error", () => {}); // Tomorrow tries again.
  child.unref();
}

function openLog(log: string): number {
  try {
    makePrivateFolders(dirname(log));
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT) renameSync(log, `${log}.1`);
    return openSync(log, "a", 0o600);
  } catch (error) {
    throw new Problem("STORE_UNREADABLE", `Could not write ${log} (${(error as NodeJS.ErrnoException).code}).`, {
      hint: "Set XDG_STATE_HOME to a folder that can be written.",
      cause: error,
    });
  }
}
