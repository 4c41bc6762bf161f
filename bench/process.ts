import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Program } from "./rounds.ts";
import { within } from "./within.ts";

/** Milliseconds. */
const START_LIMIT = 60_000;
const STOP_LIMIT = 30_000;

/** A server as a process of its own: what it costs, as the system counts it (Linux). */
export type Server = {
  /** The JSON that it said once it listened. */
  said: Record<string, unknown>;
  /** Bytes that the process holds, when it has come to rest. */
  settled(): Promise<number>;
  /** Share of one processor in so many milliseconds. */
  busy(ms: number): Promise<number>;
  close(): Promise<void>;
};

/** @param complete what its output looks like when it has said everything */
export async function server({ command, args, env }: Program, complete: RegExp): Promise<Server> {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const exit = once(child, "exit");
  let output = "";
  const listens = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      output += chunk;
      if (complete.test(output)) resolve();
    });
    exit.then(([code]) => reject(new Error(`${args[1] ?? command} ended with ${code} before it listened`)));
  });
  await within(START_LIMIT, listens, "the server to listen").catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  return {
    said: JSON.parse(output) as Record<string, unknown>,
    settled: async () => {
      await pause(5_000);
      return held(child);
    },
    busy: async (ms) => {
      const before = ticks(child);
      await pause(ms);
      return (ticks(child) - before) / 100 / (ms / 1000);
    },
    close: async () => {
      child.kill("SIGTERM");
      await within(STOP_LIMIT, exit, "the server to end").catch(() => child.kill("SIGKILL"));
    },
  };
}

function held({ pid }: ChildProcess): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

function ticks({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
