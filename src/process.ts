import { readlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, hostname, tmpdir } from "node:os";
import { parse } from "node:path";
import { isatty } from "node:tty";
import { createInterrupts, type ProcessStreams, startWatchdog } from "#cli/terminal/modes";
import { createTerminal } from "#cli/terminal/streams";
import type { Machine } from "#files/processes";
import { createRestWatch } from "#host/rest-watch";
import type { Timer } from "#net/ports";

/** Opens the process's terminal and the signal that ends the work. However kay exits, the terminal is restored. */
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
 * Returns the folder that kay was started in. If it was deleted, the process moves to the root, so that `process.cwd()`
 * works, and no file is found in the returned folder.
 */
export function openWorkingFolder(): string {
  try {
    return process.cwd();
  } catch {
    process.chdir(parse(process.execPath).root);
    return DELETED_FOLDER;
  }
}

/** A path that cannot exist, so that no relative name matches another file. */
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
const jobs: Pick<ProcessStreams, "stop" | "onStop" | "onContinue" | "guard"> = {
  // Stops the whole job, like Ctrl+Z in the terminal. Without a shell that could resume it, the system ignores this.
  stop: () => void process.kill(0, "SIGTSTP"),
  onStop: (listener) => listenTo("SIGTSTP", listener),
  onContinue: (listener) => listenTo("SIGCONT", listener),
  guard: guardTerminal,
};

function listenTo(signal: NodeJS.Signals, listener: () => void): () => void {
  process.on(signal, listener);
  return () => void process.off(signal, listener);
}

/**
 * Starts the watchdog after the first frame, because a process takes 6 ms to start. An idle session also releases
 * memory.
 */
function guardTerminal(off: string): () => void {
  let stop = () => {};
  const start = setImmediate(() => {
    const endWatchdog = startWatchdog(off, process.env);
    const rest = setInterval(createRestWatch(process.memoryUsage), 1_000).unref();
    stop = () => {
      clearInterval(rest);
      endWatchdog();
    };
  });
  return () => {
    clearImmediate(start);
    stop();
  };
}

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
  const kill: Machine["kill"] = (target, signal) => void process.kill(target, signal);
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

/** Returns the home folder; undefined if the user has none, as in containers with a random user ID. */
export function findHomeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
