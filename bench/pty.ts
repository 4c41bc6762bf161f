import { readFileSync } from "node:fs";
import { spawn } from "@lydell/node-pty";
import type { Program } from "./rounds.ts";
import { within } from "./within.ts";

/** Milliseconds. */
const LIMIT = 60_000;

/** A program on a terminal of 100 × 30, and the times of its output, in ms since its start. */
export type OnPty = {
  /** Returns when the text first matched, from now or from `from` on. */
  shows(wanted: RegExp, from?: number): Promise<number>;
  type(keys: string): void;
  /** Length of the output so far, for `shows`. */
  length(): number;
  /** When the first visible byte came. */
  visibleAt(): Promise<number>;
  /** When the last byte so far came. */
  lastAt(): number;
  now(): number;
  /** Processor time since its start, in ms, over all threads. */
  cpu(): number;
  /** Memory in bytes; the maximum so far. */
  memory(): { now: number; peak: number };
  /** When it ended. */
  end(): Promise<number>;
  kill(): Promise<void>;
};

export function onPty({ command, args, env }: Program): OnPty {
  let text = "";
  const visible = Promise.withResolvers<number>();
  let last = 0;
  let checkOutput = () => {};
  const start = performance.now();
  const now = () => performance.now() - start;
  const size = { cols: 100, rows: 30 };
  const pty = spawn(command, args, { ...size, env: { ...env, TERM: "xterm-256color" }, name: "xterm-256color" });
  pty.onData((data) => {
    last = now();
    text += data;
    if (text.replace(SEQUENCE, "").trim() !== "") visible.resolve(last);
    checkOutput();
  });
  const end = new Promise<number>((resolve) => pty.onExit(() => resolve(now())));
  const shows = (wanted: RegExp, from = 0) => {
    const seen = new Promise<number>((resolve, reject) => {
      checkOutput = () => wanted.test(text.slice(from)) && resolve(last);
      checkOutput();
      end.then(() => reject(new Error(`it ended without ${wanted}: ${JSON.stringify(text.slice(-500))}`)));
    });
    return within(LIMIT, seen, `${wanted} after ${JSON.stringify(text.slice(-500))}`);
  };
  return {
    shows,
    type: (keys) => pty.write(keys),
    length: () => text.length,
    visibleAt: () => within(LIMIT, visible.promise, "a visible byte"),
    lastAt: () => last,
    now,
    cpu: () => readCpu(pty.pid),
    memory: () => readMemory(pty.pid),
    end: () => within(LIMIT, end, "its end"),
    kill: async () => {
      pty.kill("SIGKILL");
      await end;
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const SEQUENCE = /\x1b(?:\[[^a-zA-Z~]*[a-zA-Z~]|[\]P_][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78])/g;

/** The system counts in hundredths of a second. */
function readCpu(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "");
  const fields = stat.split(" ").map(Number);
  return ((fields[11] ?? 0) + (fields[12] ?? 0)) * 10;
}

function readMemory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  return { now: of("VmRSS"), peak: of("VmHWM") };
}
