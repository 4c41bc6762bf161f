import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Bench } from "./commands.ts";
import { median } from "./rounds.ts";
import { kay } from "./signed-in.ts";
import { type Row, time } from "./table.ts";

const PAUSED = Number(process.env.P ?? 2_000);
const FOLLOWERS = Number(process.env.F ?? 1_000);
const AT_ONCE = 16;
const PROMPT = 'send "hello" to #general';

/** Generations that wait for a yes, and streams on which nothing happens, in `kay serve --sandbox`. */
export async function generations({ launcher, folder, rounds }: Bench): Promise<Row[]> {
  const backend = await serve(launcher, folder);
  try {
    const token = await connected(backend.url);
    const client: Client = { url: backend.url, token };
    const approvals = await inTurn(Math.max(rounds, 30), 1, () => approved(client));
    await inTurn(200, AT_ONCE, () => paused(client));
    const before = await backend.settled();
    const began = performance.now();
    const asked = await inTurn(PAUSED, AT_ONCE, () => paused(client));
    const pausing = performance.now() - began;
    const after = await backend.settled();
    const idle = await backend.busy(10_000);
    const answering = performance.now();
    await inTurn(PAUSED, AT_ONCE, (index) => answered(client, asked[index] as Asked));
    await none(client);
    const answering2 = performance.now() - answering;
    const calm = await backend.settled();
    const streams = await inTurn(FOLLOWERS, AT_ONCE, (index) => follow(client, asked[index] as Asked));
    const followed = await backend.settled();
    for (const stop of streams) stop();
    return [
      time("approve → the tool's result on the stream, median", median(approvals), 30),
      kilobytes(`${PAUSED} paused generations: memory of each`, (after - before) / PAUSED, 40),
      { what: "… to pause them all", measured: each(pausing) },
      { what: "… to answer them all and carry them to their end", measured: each(answering2) },
      {
        what: "… while they wait: processor of the backend",
        measured: `${(idle * 100).toFixed(1)} %`,
        goal: "≤ 3 %",
        ok: idle <= 0.03,
      },
      kilobytes(`${FOLLOWERS} idle streams: memory of each`, (followed - calm) / FOLLOWERS, 15),
    ];
  } finally {
    await backend.close();
  }
}

type Client = { url: string; token: string };
type Asked = { session: string; interaction: string };

/** In kB of what the system counts for the process, which shrinks late: a negative figure says that it was less than can be seen. */
function kilobytes(what: string, bytes: number, goal: number): Row {
  const measured = Math.max(0, bytes / 1024);
  return { what, measured: `${measured.toFixed(1)} kB`, goal: `≤ ${goal} kB`, ok: measured <= goal };
}

function each(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s (${(ms / PAUSED).toFixed(1)} ms each)`;
}

async function serve(launcher: string, folder: string) {
  mkdirSync(folder, { recursive: true });
  const { command, args, env } = kay(launcher, folder, [
    "serve",
    "--port",
    "0",
    "--sandbox",
    "--json",
    "--data-dir",
    `${folder}/data`,
  ]);
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const exit = once(child, "exit");
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  while (!/^\}\n/m.test(output) && child.exitCode === null) await pause(20);
  const { url } = JSON.parse(output) as { url: string };
  const status = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]);
  const ticks = () => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };
  return {
    url,
    /** Bytes that the process holds, when it has come to rest. */
    settled: async () => {
      await pause(5_000);
      return status("RssAnon") * 1024;
    },
    /** Share of one processor in so many milliseconds. */
    busy: async (ms: number) => {
      const before = ticks();
      await pause(ms);
      return (ticks() - before) / 100 / (ms / 1000);
    },
    close: async () => {
      child.kill("SIGTERM");
      await exit;
    },
  };
}

async function connected(url: string): Promise<string> {
  const json = async (answer: Promise<Response>) => (await (await answer).json()) as Record<string, string>;
  const begun = await json(fetch(`${url}/connections/connect?service=slack`, { method: "POST", body: "{}" }));
  const { authorization_url = "", state } = begun;
  const body = JSON.stringify({ authorization_url, decision: "allow" });
  const { redirect_url = "" } = await json(
    fetch(`${new URL(authorization_url).origin}/_sandbox/consent`, { method: "POST", body }),
  );
  await (await fetch(redirect_url)).text();
  return (await json(fetch(`${url}/auth/status/${state}`))).token ?? "";
}

/** One generation up to where it waits; then nobody reads any more. */
async function paused(client: Client): Promise<Asked> {
  const stream = await open(client, "POST", "/ask", { prompt: PROMPT });
  const { data } = await stream.part("data-interaction-request");
  await stream.part("data-status", ({ status }) => status === "awaiting_approval");
  stream.close();
  return { session: stream.session, interaction: data.interaction_id as string };
}

/** Milliseconds from the approval to the result, as whoever follows sees it. */
async function approved(client: Client): Promise<number> {
  const stream = await open(client, "POST", "/ask", { prompt: PROMPT });
  const { data } = await stream.part("data-interaction-request");
  await stream.part("data-status", ({ status }) => status === "awaiting_approval");
  await pause(20);
  const began = performance.now();
  const answer = answered(client, { session: stream.session, interaction: data.interaction_id as string });
  await stream.part("tool-output-available");
  const took = performance.now() - began;
  await answer;
  stream.close();
  return took;
}

async function answered(client: Client, { session, interaction }: Asked): Promise<void> {
  const stream = await open(client, "POST", `/sessions/${session}/interactions/${interaction}`, { action: "approve" });
  await stream.end();
}

/** Waits until nothing runs or waits any more. */
async function none(client: Client): Promise<void> {
  for (let left = 1_200; left > 0; left--) {
    const stream = await open(client, "GET", "/sessions?limit=100");
    const { data } = JSON.parse(await stream.end()) as { data: { status: string }[] };
    if (data.every(({ status }) => status === "completed")) return;
    await pause(100);
  }
}

async function follow(client: Client, { session }: Asked): Promise<() => void> {
  const stream = await open(client, "GET", `/sessions/${session}/events`);
  await stream.part("finish");
  return stream.close;
}

let place = 0;

/** A request from one of many addresses of this machine: each of them may ask only so often. */
async function open({ url, token }: Client, method: string, path: string, body?: object) {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: method === "POST" && path === "/ask" ? "text/event-stream" : "*/*",
  };
  place = (place + 1) % 200;
  const sent = request(url + path, { method, headers, localAddress: `127.0.1.${place + 1}`, agent: false });
  sent.end(body && JSON.stringify(body));
  const [answer] = await once(sent, "response");
  sent.on("error", () => {});
  let text = "";
  answer.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  answer.on("error", () => {});
  const ended = once(answer, "close");
  let read = 0;
  type Part = { type: string; data: Record<string, unknown> };
  const next = (): Part | undefined => {
    const end = text.indexOf("\n\n", read);
    if (end < 0) return undefined;
    const line = text
      .slice(read, end)
      .split("\n")
      .find((each) => each.startsWith("data: {"));
    read = end + 2;
    return line ? (JSON.parse(line.slice(6)) as Part) : { type: "", data: {} };
  };
  return {
    session: String(answer.headers["kay-session-id"] ?? ""),
    async part(type: string, wanted: (data: Record<string, unknown>) => boolean = () => true): Promise<Part> {
      for (;;) {
        for (let part = next(); part; part = next()) if (part.type === type && wanted(part.data)) return part;
        if (answer.destroyed) throw new Error(`${path} ended without ${type}: ${text.slice(-400)}`);
        await Promise.race([once(answer, "data"), ended]);
      }
    },
    async end(): Promise<string> {
      await ended;
      return text;
    },
    close: () => void sent.destroy(),
  };
}

/** So many, a few at once, in order. */
async function inTurn<T>(count: number, atOnce: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const one = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return results;
}
