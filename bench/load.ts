import { mkdirSync } from "node:fs";
import { findFreePort } from "#test/ports";
import { type Client, connectSlack, open, pauseGeneration } from "./asking.ts";
import { type Attached, attachClient } from "./attached.ts";
import type { Bench } from "./commands.ts";
import { at, measureMemory, type Server } from "./process.ts";
import { median, quantile } from "./rounds.ts";
import { kay } from "./signed-in.ts";
import { kilobytes, type Row } from "./table.ts";
import { inTurn } from "./within.ts";

const AT_ONCE = 16;
const RUNNING = 50;

/** Duration of the measurement, in ms. */
const SPAN = 20_000;

/** Measures followed conversations, waiting generations, and running ones, all at once. */
export async function load({ launcher, folder, paused: count }: Bench): Promise<Row[]> {
  mkdirSync(folder, { recursive: true });
  // A token is valid only at the address of its backend, so each process of the group has the same one.
  const options = ["--port", String(await findFreePort()), "--sandbox", "--json", "--data-dir", `${folder}/crowd`];
  const serve = kay(launcher, folder, ["serve", ...options], { KAY_MODEL: "offline" });
  const { token, places } = await at(serve, async (backend) => {
    const url = String(backend.said.url);
    const client: Client = { url, token: await connectSlack(url) };
    await inTurn(count, AT_ONCE, () => pauseGeneration(client));
    return { token: client.token, places: await inTurn(Math.ceil(count / 2), AT_ONCE, () => greet(client)) };
  });
  // In a new process, because memory left from creating these would hide the cost of a client.
  const rows = await at(serve, (backend) =>
    measureFollowers(backend, { url: String(backend.said.url), token }, count, places),
  );
  // As kay starts its own backend (src/process.ts).
  const embedded = { ...serve, args: ["--max-semi-space-size=2", ...serve.args] };
  const memory = await at(embedded, (backend) =>
    measureClientMemory(backend, { url: String(backend.said.url), token }, places),
  );
  return [...rows, kilobytes("… memory of each at a backend for one person", memory, 15)];
}

/** Bytes of each attached client, without events. */
async function measureClientMemory(backend: Server, client: Client, places: Place[]): Promise<number> {
  const follow = (index: number) => attachClient(client, places[index] as Place, () => {});
  for (const one of await inTurn(Math.min(100, places.length), AT_ONCE, follow)) one.close();
  let open = 0;
  return measureMemory(backend, places.length, async (more) => {
    const before = open;
    open += more;
    await inTurn(more, AT_ONCE, (index) => follow(before + index));
  });
}

async function measureFollowers(backend: Server, client: Client, waiting: number, places: Place[]): Promise<Row[]> {
  const clients = places.length;
  let delays: number[] = [];
  const follow = (index: number): Promise<Attached> =>
    attachClient(client, places[index] as Place, (delay) => void delays.push(delay));
  // Excludes one-time costs.
  for (const one of await inTurn(Math.min(100, clients), AT_ONCE, follow)) one.close();
  const all: Attached[] = [];
  const memory = await measureMemory(backend, clients, async (more) => {
    const before = all.length;
    all.push(...(await inTurn(more, AT_ONCE, (index) => follow(before + index))));
  });
  delays = [];
  const busy = backend.busy(SPAN);
  const requests = await sendRequests(client, all);
  const share = await busy;
  for (const one of all) one.close();
  const what = `${RUNNING} run, ${waiting} wait, ${clients} clients follow`;
  return [
    { what: `${clients} attached clients: memory of each`, measured: `${(memory / 1024).toFixed(1)} kB` },
    { what: `${what}: an event from its append to the client, median`, measured: `${median(delays).toFixed(0)} ms` },
    { what: "… p99", measured: `${quantile(delays, 0.99).toFixed(0)} ms` },
    { what: "… requests answered", measured: `${(requests / (SPAN / 1000)).toFixed(1)} /s` },
    { what: "… events that reached clients", measured: `${(delays.length / (SPAN / 1000)).toFixed(0)} /s` },
    { what: "… processor of the backend", measured: `${(share * 100).toFixed(0)} %` },
  ];
}

type Place = { session: string; after: number };

/** A conversation with one answer in it. */
async function greet(client: Client): Promise<Place> {
  const stream = await open(client, "POST", "/ask", { prompt: "hello" });
  const text = await stream.end();
  return { session: stream.session, after: Number([...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? 0) };
}

/** Sends requests in the followed conversations, a few at a time, and checks each afterwards. */
async function sendRequests(client: Client, followed: Attached[]): Promise<number> {
  const end = performance.now() + SPAN;
  let requests = 0;
  await Promise.all(
    Array.from({ length: RUNNING }, async (_, first) => {
      for (let index = first; performance.now() < end; index += RUNNING) {
        const { session } = followed[index % followed.length] as Attached;
        await (await open(client, "POST", "/ask", { prompt: "hello", session_id: session })).end();
        await (await open(client, "GET", `/sessions/${session}`)).end();
        if (performance.now() < end) requests += 2;
      }
    }),
  );
  return requests;
}
