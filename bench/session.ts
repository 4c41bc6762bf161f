import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Bench } from "./commands.ts";
import { LAST, pieces } from "./pieces.ts";
import { type OnPty, onPty } from "./pty.ts";
import { median, type Program } from "./rounds.ts";
import { kay } from "./signed-in.ts";
import { type StreamBackend, streamBackend } from "./stream-backend.ts";
import { type Row, ratio, time } from "./table.ts";

const STREAM_ROUNDS = 5;
const TOKENS = 20_000;
/** As long as a real one, so that hiding it in answers is measured too. */
const TOKEN = "bench-token-of-forty-three-characters-012345";
/** Pieces per second of a fast model, and for how long. */
const RATE = 100;
const RATE_SECONDS = 10;

/** The complete frame with its composer. */
const FRAME = /─{40}/;
const SETTLED = /● jira/;

/**
 * Measures a session in a terminal with a backend inside the bench, so that only the client counts: its start and its
 * end.
 */
export async function session(bench: Bench): Promise<Row[]> {
  return withBackend(bench, async (program) => {
    const line: Program = { ...program, args: ["-e", "console.log('kay')"] };
    const base: number[] = [];
    const gone: number[] = [];
    const shown: Shown[] = [];
    for (let round = 0; round <= bench.rounds; round += 1) {
      const script = onPty(line);
      const ended = await script.end();
      const one = await openAndLeave(program);
      if (round > 0) base.push(await script.visibleAt());
      if (round > 0) gone.push(ended - script.lastAt());
      if (round > 0) shown.push(one);
    }
    const of = (key: keyof Shown) => median(shown.map((one) => one[key]));
    const start = median(base);
    return [
      ratio("first visible byte of kay ask / a script that prints a line", of("visible"), start, 1.25),
      ratio("first frame of kay ask / the same", of("frame"), start, 3.5),
      ratio("… with what is connected / the same", of("settled"), start),
      time("exit after the last frame", of("gone"), 15),
      { what: "… of the script", measured: `${median(gone).toFixed(0)} ms` },
      { what: "… after Ctrl+D", measured: `${of("left").toFixed(0)} ms` },
      megabytes("peak memory of an idle session", of("memory"), 70),
    ];
  });
}

/** Measures streaming: processor time, memory, bytes and latency. */
export async function streaming(bench: Bench): Promise<Row[]> {
  return withBackend(bench, async (program) => {
    const raw = fileURLToPath(new URL("./write-raw.ts", import.meta.url));
    const [few, many, least]: Streamed[][] = [[], [], []];
    for (let round = 0; round < STREAM_ROUNDS; round += 1) {
      least?.push(await measureWrite({ ...program, args: [raw, String(TOKENS)] }));
      few?.push(await measureStream(program, TOKENS));
      many?.push(await measureStream(program, TOKENS * 4));
    }
    const of = (all: Streamed[] | undefined, key: keyof Streamed) => median((all ?? []).map((one) => one[key]));
    const slow = await runAtRate(program);
    const growth = of(many, "memory") - of(few, "memory");
    return [
      ratio(`CPU to stream ${TOKENS} tokens / writing them raw`, of(few, "cpu"), of(least, "cpu"), 6.5),
      ratio(`CPU(${TOKENS * 4}) / CPU(${TOKENS})`, of(many, "cpu"), of(few, "cpu"), 4.2),
      megabytes("… memory that the three quarters more leave", growth, 15),
      bytes(`terminal bytes / payload bytes, as fast as it goes`, of(few, "bytes"), payload(TOKENS)),
      bytes(`… at ${RATE} tokens/s`, slow.bytes, payload(RATE * RATE_SECONDS), 5),
      share(`${RATE} tokens/s: of a core`, slow.share, 15),
      time("key press to its echo meanwhile, median", median(slow.echoes), 33),
      time("… p99", percentile(slow.echoes, 0.99), 33),
    ];
  });
}

type Shown = { visible: number; frame: number; settled: number; gone: number; left: number; memory: number };

async function openAndLeave(program: Program): Promise<Shown> {
  const running = onPty(program);
  try {
    const frame = await running.shows(FRAME);
    const settled = await running.shows(SETTLED);
    await pause(500);
    const memory = running.memory().peak;
    const key = running.now();
    running.type("\x04");
    const end = await running.end();
    const gone = end - Math.max(running.lastAt(), key);
    return { visible: await running.visibleAt(), frame, settled, gone, left: end - key, memory };
  } finally {
    await running.kill();
  }
}

/** `memory` is measured at rest, four seconds after the end. */
type Streamed = { cpu: number; memory: number; bytes: number };

async function measureStream(program: Program, count: number): Promise<Streamed> {
  const running = onPty(program);
  try {
    await running.shows(SETTLED);
    const from = running.length();
    await ask(running, `${count} 0`);
    await running.shows(ENDED, from);
    await pause(300);
    const cpu = running.cpu();
    await pause(4_000);
    return { cpu, memory: running.memory().now, bytes: running.length() - from };
  } finally {
    await running.kill();
  }
}

async function measureWrite(program: Program): Promise<Streamed> {
  const running = onPty(program);
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it rings when all is written
    await running.shows(/\x07/);
    return { cpu: running.cpu(), memory: running.memory().now, bytes: running.length() };
  } finally {
    await running.kill();
  }
}

/** A fast model while the user types. */
async function runAtRate(program: Program): Promise<{ share: number; bytes: number; echoes: number[] }> {
  const quiet = await measureRate(program, () => pause(RATE_SECONDS * 500));
  const echoes: number[] = [];
  await measureRate(program, async (running) => {
    const end = running.now() + RATE_SECONDS * 800;
    for (let index = 0; running.now() < end; index += 1) {
      const key = KEYS[index % KEYS.length] ?? "";
      const pressed = running.now();
      const from = running.length();
      running.type(key);
      echoes.push((await running.shows(new RegExp(key), from)) - pressed);
      running.type("\x7f");
      await pause(40 + ((index * 7) % 30));
    }
  });
  return { ...quiet, echoes };
}

async function measureRate(program: Program, meanwhile: (running: OnPty) => Promise<unknown>) {
  const running = onPty(program);
  try {
    await running.shows(SETTLED);
    const from = running.length();
    await ask(running, `${RATE * RATE_SECONDS} ${RATE}`);
    await running.shows(/service/, from);
    const [cpu, begin] = [running.cpu(), running.now()];
    await meanwhile(running);
    const used = (running.cpu() - cpu) / (running.now() - begin);
    await running.shows(ENDED, from);
    return { share: used, bytes: running.length() - from };
  } finally {
    await running.kill();
  }
}

/** Enter is sent separately; with text it would count as pasted. */
async function ask(running: OnPty, prompt: string): Promise<void> {
  running.type(prompt);
  await pause(400);
  running.type("\r");
}

/** Capital letters that nothing else on the screen has. */
const KEYS = [..."QXZJVYW"];

const ENDED = new RegExp(LAST);

function payload(count: number): number {
  return Array.from({ length: count }, (_, index) => pieces(index).length).reduce((sum, each) => sum + each, 0);
}

async function withBackend(
  { launcher, folder }: Bench,
  work: (program: Program, backend: StreamBackend) => Promise<Row[]>,
): Promise<Row[]> {
  const backend = await streamBackend();
  try {
    const { command, args, env } = kay(launcher, folder, ["ask"], { KAY_API_URL: backend.url, KAY_TOKEN: TOKEN });
    const { CI: _, ...terminal } = env;
    return await work({ command, args, env: terminal }, backend);
  } finally {
    await backend.close();
  }
}

function megabytes(what: string, size: number, goal: number): Row {
  const measured = size / 1024 / 1024;
  return { what, measured: `${measured.toFixed(1)} MB`, goal: `≤ ${goal} MB`, ok: measured <= goal };
}

function bytes(what: string, mine: number, theirs: number, goal?: number): Row {
  const value = mine / theirs;
  const measured = `${value.toFixed(2)} (${(mine / 1024).toFixed(0)} kB / ${(theirs / 1024).toFixed(0)} kB)`;
  return goal === undefined ? { what, measured } : { what, measured, goal: `≤ ${goal}`, ok: value <= goal };
}

function share(what: string, value: number, goal: number): Row {
  return { what, measured: `${(value * 100).toFixed(1)} %`, goal: `≤ ${goal} %`, ok: value * 100 <= goal };
}

function percentile(values: number[], of: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? Number.NaN;
}
