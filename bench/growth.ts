import { mkdirSync } from "node:fs";
import { type Client, connectSlack, open } from "./asking.ts";
import type { Bench } from "./commands.ts";
import { type Filled, joinDatabase } from "./filled.ts";
import { type Server, server } from "./process.ts";
import { median } from "./rounds.ts";
import { kay } from "./signed-in.ts";
import type { Row } from "./table.ts";

const FEW = 100;
const MANY = 10_000;

/** Largest allowed ratio for a hundred times as many conversations. */
const GOAL = 1.5;

/** How long an idle backend is observed, in ms. */
const IDLE = 10_000;

type Costs = { times: Record<string, number>; idle: number; memory: number; size: number };

/** Measures the same request with few conversations and with many, of the asking installation and of many others. */
export async function growth(bench: Bench): Promise<Row[]> {
  return [...(await measureGrowth(bench, "one")), ...(await measureGrowth(bench, "many"))];
}

async function measureGrowth({ launcher, folder, rounds }: Bench, whose: "one" | "many"): Promise<Row[]> {
  mkdirSync(folder, { recursive: true });
  const data = `${folder}/${whose}`;
  const options = ["--port", "0", "--sandbox", "--json", "--data-dir", data];
  const backend = await server(kay(launcher, folder, ["serve", ...options], { KAY_MODEL: "offline" }), /^\}\n/m);
  try {
    const url = String(backend.said.url);
    const client: Client = { url, token: await connectSlack(url) };
    const database = await joinDatabase(data);
    try {
      const world = { backend, client, database, rounds: Math.max(rounds, 20), whose };
      const few = await costs(world, FEW);
      return listRows(whose, few, await costs(world, MANY));
    } finally {
      await database.close();
    }
  } finally {
    await backend.close();
  }
}

type World = { backend: Server; client: Client; database: Filled; rounds: number; whose: "one" | "many" };

async function costs({ backend, client, database, rounds, whose }: World, count: number): Promise<Costs> {
  await database.fill(count, whose);
  const own = await open(client, "POST", "/ask", { prompt: "hello" });
  await own.end();
  const { total } = JSON.parse(await (await open(client, "GET", "/sessions")).end()) as { total: number };
  const get = (path: string) => async () => void (await (await open(client, "GET", path)).end());
  const works: Record<string, () => Promise<void>> = {
    "POST /ask until its first event": async () => {
      const stream = await open(client, "POST", "/ask", { prompt: "hello" });
      await stream.part("data-user-message");
      await stream.end();
    },
    "GET /sessions, first page": get("/sessions"),
    "GET /sessions, last page": get(`/sessions?page=${Math.ceil(total / 20)}`),
    "GET /sessions/:id": get(`/sessions/${own.session}`),
    "GET /sessions/:id/events, all of it": get(`/sessions/${own.session}/events?live=false`),
  };
  const times: Costs["times"] = {};
  for (const [what, work] of Object.entries(works)) times[what] = await measureTime(work, rounds);
  const memory = await backend.settled();
  const before = await database.ticks();
  const share = await backend.busy(IDLE);
  const idle = share * IDLE + (await database.ticks()) - before;
  return { times, idle, memory, size: await database.size() };
}

async function measureTime(work: () => Promise<void>, rounds: number): Promise<number> {
  const taken: number[] = [];
  for (let round = -3; round < rounds; round++) {
    const began = performance.now();
    await work();
    if (round >= 0) taken.push(performance.now() - began);
  }
  return median(taken);
}

function listRows(whose: "one" | "many", few: Costs, many: Costs): Row[] {
  const of = whose === "one" ? "of the one who asks" : "of a thousand others";
  const row = (what: string, mine: number, theirs: number, unit: string): Row => ({
    what,
    measured: `${(mine / theirs).toFixed(2)} (${mine.toFixed(1)} ${unit} / ${theirs.toFixed(1)} ${unit})`,
    goal: `≤ ${GOAL}`,
    ok: mine / theirs <= GOAL,
  });
  const megabyte = 1024 * 1024;
  return [
    ...Object.entries(many.times).map(([what, ms], index) => {
      const first = `${MANY} conversations ${of} / ${FEW}: ${what}`;
      return row(index === 0 ? first : `… ${what}`, ms, few.times[what] ?? Number.NaN, "ms");
    }),
    row("… backend and database while nobody asks, in 10 s", many.idle, few.idle, "ms"),
    row("… memory of the backend", many.memory / megabyte, few.memory / megabyte, "MB"),
    { what: "… database of each more", measured: `${((many.size - few.size) / (MANY - FEW) / 1024).toFixed(1)} kB` },
  ];
}
