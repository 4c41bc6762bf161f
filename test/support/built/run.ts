import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { until } from "./processes.ts";

const launcher = fileURLToPath(new URL("../../../bin/kay.js", import.meta.url));

/**
 * How a process of kay is started. `stdin`: text to give it, `"open"` for a pipe that stays open and silent; nothing by
 * default.
 */
export type RunOptions = {
  /** Another kay than the built one, as npm installed it. */
  program?: string;
  /** Number of the user and the group that it runs as. */
  uid?: number;
  env?: Record<string, string>;
  cwd?: string;
  stdin?: string | "open";
  /** The limit of `run`, in ms; 30 s. */
  limitMs?: number;
};

/** The result of a process. A signal that ended it counts as in a shell: 128 + its number. */
export type Outcome = { exit: number; stdout: string; stderr: string };

/** A process of kay that runs. */
export type Running = {
  child: ChildProcess;
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves when it has ended and all it wrote was read. */
  ended: Promise<Outcome>;
  /** Waits until it has written something to stderr or stdout that matches; fails as soon as it has ended without. */
  says(text: RegExp, limitMs?: number): Promise<RegExpMatchArray>;
  kill(signal?: NodeJS.Signals): Promise<void>;
};

/** Starts the built kay in a separate process, with only this environment. */
export function startKay(args: string[], options: RunOptions & { env: Record<string, string> }): Running {
  const [program, first] = options.program ? [options.program, []] : [process.execPath, [launcher]];
  const child = spawn(program, [...first, ...args], {
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    env: options.env,
    cwd: options.cwd,
    stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
  child.stdin?.on("error", () => {});
  if (options.stdin !== undefined && options.stdin !== "open") child.stdin?.end(options.stdin);
  let isOver = false;
  const ended = new Promise<Outcome>((resolve) => {
    child.once("close", (code, signal) => {
      isOver = true;
      resolve({ exit: code ?? signalExit(signal), stdout, stderr });
    });
  });
  const silent = (text: RegExp) => `kay ${args.join(" ")} never said ${text}: ${stdout}${stderr}`;
  return {
    child,
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    says: (text, limitMs) =>
      until(
        () => {
          const match = `${stdout}${stderr}`.match(text);
          if (!match && isOver) throw new Error(silent(text));
          return match;
        },
        () => silent(text),
        limitMs,
      ),
    kill: async (signal = "SIGKILL") => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}

/** Waits for a process to end; a timeout is a failure that shows its output. */
export async function runKay(running: Running, { limitMs = 30_000 }: RunOptions = {}): Promise<Outcome> {
  const timer = setTimeout(() => void running.kill(), limitMs);
  const outcome = await running.ended;
  clearTimeout(timer);
  if (running.child.signalCode === "SIGKILL") throw new Error(`kay did not end: ${outcome.stdout}${outcome.stderr}`);
  return outcome;
}

function signalExit(signal: NodeJS.Signals | null): number {
  return { SIGINT: 130, SIGTERM: 143, SIGKILL: 137 }[String(signal)] ?? 128;
}
