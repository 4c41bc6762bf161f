import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { liveHeap } from "./heap.ts";
import { type Program, slope } from "./rounds.ts";
import { within } from "./within.ts";

/** Milliseconds. */
const START_LIMIT = 60_000;
const STOP_LIMIT = 30_000;

/** Number of samples while the count grows. */
const PARTS = 5;

/** A server in a separate process, with its costs as the system counts them (Linux). */
export type Server = {
  /** The JSON that it printed once it listened. */
  said: Record<string, unknown>;
  /** Returns the memory of the process at rest, in bytes. */
  settled(): Promise<number>;
  /** Returns its live heap in bytes, if it was started as `INSPECTED`. */
  live(): Promise<number>;
  /** Returns the processor time that it used so far, in ms. */
  cpu(): number;
  /** Returns its share of one processor over a time in ms. */
  busy(ms: number): Promise<number>;
  close(): Promise<void>;
};

/** @param complete matches its complete output */
export async function server({ command, args, env }: Program, complete: RegExp): Promise<Server> {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const exit = once(child, "exit");
  let output = "";
  let inspector = "";
  child.stderr.on("data", (chunk) => {
    inspector ||= /ws:\/\/\S+/.exec(String(chunk))?.[0] ?? "";
  });
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
      return readMemory(child);
    },
    live: () => liveHeap(inspector),
    cpu: () => ticks(child) * 10,
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

/** Runs a server during some work, which begins once it has printed its JSON. */
export async function at<T>(program: Program, work: (running: Server) => Promise<T>): Promise<T> {
  const running = await server(program, /^\}\n/m);
  try {
    return await work(running);
  } finally {
    await running.close();
  }
}

/** Measures the bytes that each item costs, as the system counts them, with a sample after each part. */
export async function measureMemory(
  running: Server,
  count: number,
  add: (more: number) => Promise<void>,
): Promise<number> {
  const samples: [number, number][] = [[0, await running.settled()]];
  for (let part = 1; part <= PARTS; part++) {
    const until = Math.round((count * part) / PARTS);
    await add(until - (samples.at(-1)?.[0] ?? 0));
    samples.push([until, await running.settled()]);
  }
  return slope(samples);
}

function readMemory({ pid }: ChildProcess): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

function ticks({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
