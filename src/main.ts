import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { accessSync, closeSync, constants, mkdirSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { isatty } from "node:tty";
import type { Machine } from "#backend/store/machine";
import { createKay, shapingOf, type World } from "#cli/create";
import { createInterrupts } from "#cli/interrupts";
import type { Kay, LocalTools, ServeOptions } from "#cli/kay";
import { launch } from "#cli/launch";
import { run, wordCrash } from "#cli/run";
import { startWatchdog } from "#cli/session/watchdog";
import { fromStreams, type Streams } from "#cli/streams";
import { type Processes, systemProcesses } from "#client/credentials/processes";
import { systemKeychain } from "#client/credentials/system-keychain";
import { createOpenStream } from "#client/open-stream";
import type { Paths } from "#client/paths";
import type { Clock } from "#client/ports";
import { createSend } from "#client/send";
import { createWay } from "#client/send/way";
import type { Settings } from "#client/settings";
import { Problem } from "#protocol/errors";
import manifest from "../package.json" with { type: "json" };

/** A log of the embedded backend that is longer than this, in bytes, is put aside before the next start. */
const LOG_LIMIT = 5 * 1024 * 1024;

/**
 * The front door: takes the outside world from the process and runs one command line.
 *
 * @param argv the arguments after `kay`
 * @param greeted whether the launcher said already that a session begins
 * @returns the exit code, when everything was written
 */
export async function main(argv: string[], greeted = false): Promise<number> {
  const { terminal, signal, catchInterrupts, unwritten } = openTerminal();
  const kay = createKay({ ...world(terminal, signal, catchInterrupts), greeted });
  endOnCrash(terminal, (error) => wordCrash(error, kay));
  const code = await run(argv, kay);
  await terminal.drained();
  if (unwritten() === "") return code;
  terminal.stderr.write(`✗ The output could not be written (${unwritten()}).\n`);
  return code || 1;
}

/** The process's terminal, which is put back as it was on every way out, and the signal that ends the work. */
export function openTerminal() {
  const ending = new AbortController();
  const interrupts = createInterrupts(() => ending.abort("SIGINT"));
  process.on("SIGINT", interrupts.interrupt);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => ending.abort(signal));
  const columns = Number(process.env.KAY_FORCE_TTY);
  let unwritten = "";
  const terminal = fromStreams({
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
  return { terminal, signal: ending.signal, catchInterrupts: interrupts.catchInterrupts, unwritten: () => unwritten };
}

/** An error that nothing caught is worded on a terminal that is as it was before. */
export function endOnCrash(terminal: { restore(): void }, word: (error: unknown) => number): void {
  const crash = (error: unknown) => {
    terminal.restore();
    process.exit(word(error));
  };
  process.on("uncaughtException", crash).on("unhandledRejection", crash);
}

function world(terminal: World["terminal"], signal: AbortSignal, catchInterrupts: World["catchInterrupts"]): World {
  const { env, platform, execPath } = process;
  const processes = systemProcesses(process.pid, isAlive);
  const uid = process.getuid?.() ?? 0;
  const ways = { builtin: process.getBuiltinModule, env, clock };
  return {
    version: manifest.version,
    build: buildOf(),
    env,
    platform,
    home: homeFolder(),
    cwd: process.cwd(),
    terminal,
    signal,
    catchInterrupts,
    clock,
    random: randomBytes,
    send: createSend(ways),
    openStream: createOpenStream({ way: createWay(ways), clock }),
    keychain: systemKeychain({ platform, env, uid, execPath, clock }),
    processes,
    readText: (path) => {
      try {
        return readFileSync(path, "utf8");
      } catch {
        return "";
      }
    },
    find: findProgram,
    launch,
    edit: async (editor, text) => (await import("#cli/editor")).editText(editor, text),
    spawnBackend,
    localTools,
    serve: (options, kay, ports) => serve(options, kay, { ...ports, processes }),
  };
}

/** What a terminal needs of an operating system with jobs. */
const jobs: Pick<Streams, "stop" | "onContinue" | "guard"> = {
  // The whole job, as the terminal does it for Ctrl+Z. Without a shell that could go on with it, the system leaves it running.
  stop: () => void process.kill(0, "SIGTSTP"),
  onContinue: (listener) => {
    process.on("SIGCONT", listener);
    return () => process.off("SIGCONT", listener);
  },
  guard: (off) => startWatchdog(off, process.env),
};

/** Tools of the backend in this process, for tokens of the environment. */
async function localTools(): Promise<LocalTools> {
  const [{ createLocalTools }, { createOutgoing }] = await Promise.all([
    import("./host/local-tools.ts"),
    import("./host/outgoing.ts"),
  ]);
  const { fetch, close } = createOutgoing(process.env);
  return { ...createLocalTools({ env: process.env, fetch, clock }), close };
}

/** `kay serve`: the one place where the command line and the backend meet. */
async function serve(
  options: ServeOptions,
  kay: Kay,
  ports: { paths: Paths; settings(): Settings; processes: Processes },
): Promise<void> {
  const { serveUntilEnd } = await import("./host/run.ts");
  const { env, version, clock, random, signal, flags, terminal } = kay;
  const quiet = !options.embedded && terminal.stderr.isTerminal && !flags.debug;
  await serveUntilEnd(options, {
    ...ports,
    version,
    build: buildOf(),
    env,
    clock,
    random,
    signal,
    shaping: shapingOf(ports.settings()),
    machine: thisMachine(),
    debug: flags.debug || Boolean(env.KAY_DEBUG),
    write: (line) => void (quiet || terminal.stderr.write(line)),
    ready: (host) => {
      if (options.embedded) return;
      if (flags.json) kay.out.json({ url: host.url, sandbox: sandboxOrigins(host.sandbox) });
      else kay.out.line(`kay backend on ${host.url} (Ctrl+C stops it)`);
    },
  });
}

function sandboxOrigins(sandbox: Record<string, { origin: string }>): Record<string, string> {
  return Object.fromEntries(Object.entries(sandbox).map(([name, { origin }]) => [name, origin]));
}

function thisMachine(): Machine {
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

const clock: Clock = {
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

/** The file of this bundle is a new one with every build. */
function buildOf(): string {
  return `${manifest.version}+${statSync(import.meta.filename).mtimeMs}`;
}

/** The system may know no home folder for this user (containers with a random one). */
function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function findProgram(program: string): string | null {
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

function openLog(log: string): number {
  try {
    mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT) renameSync(log, `${log}.1`);
    return openSync(log, "a", 0o600);
  } catch (error) {
    throw new Problem("STORE_UNREADABLE", `Cannot write ${log} (${(error as NodeJS.ErrnoException).code}).`, {
      hint: "Set XDG_STATE_HOME to a folder that can be written.",
      cause: error,
    });
  }
}

function spawnBackend(log: string, profile: string): { ended(): Promise<number | null> } {
  const output = openLog(log);
  const entry = process.argv[1] ?? "";
  const options = { stdio: ["ignore", output, output] as const, detached: true, windowsHide: true, cwd: dirname(log) };
  const child = spawn(process.execPath, [entry, "serve", "--embedded", "--profile", profile], {
    ...options,
    stdio: [...options.stdio],
  });
  closeSync(output);
  child.unref();
  return {
    ended: () =>
      new Promise((resolve) => {
        child.once("error", () => resolve(null));
        child.once("exit", (code) => resolve(code));
      }),
  };
}
