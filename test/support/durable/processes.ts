import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { bundleProgram } from "../bundled.ts";
import type { Orders, Said } from "./backend-process.ts";

/** A backend in a separate process. */
export type BackendProcess = {
  url: string;
  pid: number;
  /** Resolves when it has ended, by itself or by {@link kill}. */
  ended: Promise<void>;
  alive(): boolean;
  log: string[];
  /** Kills at another moment, counted from now. Returns the moments so far. */
  rearm(kill?: Orders["kill"]): Promise<string[]>;
  kill(signal?: NodeJS.Signals): Promise<void>;
};

/** Starts processes in advance: one is always loaded and waits for its options, without touching the database. */
export function backendProcesses() {
  const program = bundleProgram(new URL("backend-process.ts", import.meta.url));
  const spare = () => forkProgram(program.path);
  let next = spare();
  const all: ChildProcess[] = [next.child];
  const running: BackendProcess[] = [];
  return {
    async start(orders: Orders): Promise<BackendProcess> {
      const { child, ready } = next;
      next = spare();
      all.push(next.child);
      await ready;
      const backendProcess = await startBackend(child, orders);
      running.push(backendProcess);
      return backendProcess;
    },
    async killRunning(): Promise<void> {
      await Promise.all(running.splice(0).map((backendProcess) => backendProcess.kill()));
    },
    async close(): Promise<void> {
      await Promise.all(all.map(killProcess));
      program.remove();
    },
  };
}

function forkProgram(program: string): { child: ChildProcess; ready: Promise<unknown> } {
  const child = fork(program, { execArgv: [], stdio: "inherit" });
  const ready = once(child, "message");
  ready.catch(() => {});
  return { child, ready };
}

async function startBackend(child: ChildProcess, orders: Orders): Promise<BackendProcess> {
  const log: string[] = [];
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const alive = () => child.exitCode === null && child.signalCode === null;
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  child.on("message", (message: Said) => {
    if ("log" in message) log.push(message.log);
    if ("url" in message) resolve(message.url);
  });
  child.once("error", reject);
  void ended.then(() => resolve(undefined));
  child.send(orders);
  const url = (await promise) ?? "http://127.0.0.1:9";
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    alive,
    log,
    async rearm(kill) {
      const { promise: report, resolve: tell } = Promise.withResolvers<string[]>();
      child.on("message", (message: Said) => "moments" in message && tell(message.moments));
      child.send({ rearm: kill ?? null });
      return await Promise.race([report, ended.then(() => [])]);
    },
    kill: async (signal = "SIGKILL") => {
      if (alive()) child.kill(signal);
      await ended;
    },
  };
}

async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
