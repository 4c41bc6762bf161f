import { mkdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "#test/ports";
import { type Asked, approve, type Client, connectSlack, follow, pauseGeneration, read, waitForAll } from "./asking.ts";
import type { Bench } from "./commands.ts";
import { INSPECTED } from "./heap.ts";
import { at, measureMemory, type Server } from "./process.ts";
import { kay } from "./signed-in.ts";
import { kilobytes, type Row } from "./table.ts";
import { inTurn } from "./within.ts";

const AT_ONCE = 16;

/** Milliseconds after which the garbage of the work before is collected: by kay once, and by V8 again. */
const COLLECTS = 30_000;

/** Time limit in ms for all approved generations to end. */
const CARRY_LIMIT = 120_000;

/** Measures generations that wait for an approval, and idle streams, in `kay serve --sandbox`. */
export async function generations({ launcher, folder, paused: count }: Bench): Promise<Row[]> {
  mkdirSync(folder, { recursive: true });
  // A token is valid only at the address of its backend, so each process of the group has the same one.
  const options = ["--port", String(await findFreePort()), "--sandbox", "--json", "--data-dir", `${folder}/data`];
  const serve = kay(launcher, folder, ["serve", ...options], INSPECTED);
  const { rows, asked, token } = await at(serve, async (backend) => {
    const url = String(backend.said.url);
    const client: Client = { url, token: await connectSlack(url) };
    return { ...(await crowd(backend, client, count)), token: client.token };
  });
  // In new processes, because memory that was used and freed would hide the cost of a stream.
  const followers = Math.ceil(count / 2);
  const mine = await at(serve, (backend) => {
    const client: Client = { url: String(backend.said.url), token };
    return streams(backend, followers, (index) => follow(client, asked[index] as Asked));
  });
  const file = fileURLToPath(new URL("./plain-server.ts", import.meta.url));
  const plain = { command: process.execPath, args: ["--disable-warning=ExperimentalWarning", file], env: INSPECTED };
  const bare = await at(plain, (node) => streams(node, followers, () => read(String(node.said.url))));
  return [
    ...rows,
    kilobytes(`${followers} idle streams: memory of each`, mine.counted, 15),
    { what: "… live heap of each, after garbage collection", measured: `${(mine.live / 1024).toFixed(1)} kB` },
    { what: "… those of a node:http server that does nothing else", measured: words(bare) },
  ];
}

async function crowd(backend: Server, client: Client, count: number): Promise<{ rows: Row[]; asked: Asked[] }> {
  // Excludes one-time costs.
  const first = await inTurn(Math.min(200, count), AT_ONCE, () => pauseGeneration(client));
  const bare = await backend.live();
  const asked: Asked[] = [];
  let pausedAll = 0;
  const counted = await measureMemory(backend, count, async (more) => {
    const pausing = performance.now();
    asked.push(...(await inTurn(more, AT_ONCE, () => pauseGeneration(client))));
    pausedAll += performance.now() - pausing;
  });
  const live = ((await backend.live()) - bare) / count;
  await pause(COLLECTS);
  const idle = await backend.busy(10_000);
  const answering = performance.now();
  const all = [...first, ...asked];
  await inTurn(all.length, AT_ONCE, (index) => approve(client, all[index] as Asked));
  await waitForAll(client, CARRY_LIMIT);
  const answeredAll = performance.now() - answering;
  const rows = [
    kilobytes(`${count} paused generations: memory of each`, counted, 40),
    { what: "… live heap of each, after garbage collection", measured: `${(live / 1024).toFixed(1)} kB` },
    { what: "… to pause them all", measured: total(pausedAll, count) },
    { what: "… to answer them all and carry them to their end", measured: total(answeredAll, all.length) },
    {
      what: "… while they wait: processor of the backend",
      measured: `${(idle * 100).toFixed(1)} %`,
      goal: "≤ 0.5 %",
      ok: idle <= 0.005,
    },
  ];
  return { rows, asked };
}

type Cost = { counted: number; live: number };

/** Measures the bytes that each idle stream costs. */
async function streams(running: Server, count: number, one: (index: number) => Promise<() => void>): Promise<Cost> {
  for (const stop of await inTurn(Math.min(100, count), AT_ONCE, one)) stop();
  const open: (() => void)[] = [];
  const counted = await measureMemory(running, count, async (more) => {
    const before = open.length;
    open.push(...(await inTurn(more, AT_ONCE, (index) => one(before + index))));
  });
  const all = await running.live();
  for (const stop of open) stop();
  await running.settled();
  return { counted, live: (all - (await running.live())) / count };
}

function words({ counted, live }: Cost): string {
  return `${(counted / 1024).toFixed(1)} kB, ${(live / 1024).toFixed(1)} kB`;
}

function total(ms: number, count: number): string {
  return `${(ms / 1000).toFixed(1)} s (${(ms / count).toFixed(1)} ms each)`;
}
