import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Asked,
  approve,
  askForApproval,
  type Client,
  connectSlack,
  measureApproval,
  open,
  pauseGeneration,
} from "./asking.ts";
import type { Bench } from "./commands.ts";
import { type Filled, joinDatabase } from "./filled.ts";
import { at, type Server } from "./process.ts";
import { median, type Program } from "./rounds.ts";
import { kay } from "./signed-in.ts";
import { limit, type Row, ratio, time } from "./table.ts";
import { inTurn } from "./within.ts";

/** Questions that are asked before the count begins (V8 compiles), and questions that count, eight at once. */
const WARM = 200;
const COUNTED = 300;
const AT_ONCE = 8;

/** Processor time of a question, as a multiple of the least: 5 ms on the machine where that is 0.44 ms. */
const MOST = 11.4;

/** A statement that runs for fewer than every tenth question is of the backend's timers, not of a question. */
const LEAST = 0.1;

type Cost = { backend: number; postgres: number; statements: number };

/** Measures what one question costs in processor time and statements, beside a program that does only the least. */
export async function question({ launcher, folder, rounds }: Bench): Promise<Row[]> {
  mkdirSync(folder, { recursive: true });
  // Started here, so that it counts statements; the backend uses it too.
  const database = await joinDatabase(`${folder}/data`, { shared_preload_libraries: "pg_stat_statements" });
  try {
    await database.countStatements();
    const options = ["--port", "0", "--sandbox", "--json", "--data-dir", `${folder}/data`];
    const serve = kay(launcher, folder, ["serve", ...options], { KAY_MODEL: "offline" });
    const { first, rows } = await at(serve, (backend) => measureBackend(backend, database, rounds));
    const least = await at(floor(database), (server) => measureFloor(server, database));
    return [
      ratio("a question: processor of the backend / of node:http and pg alone", first.backend, least.backend, MOST),
      ...rows,
      { what: "node:http and pg alone: processor of Postgres", measured: `${least.postgres.toFixed(2)} ms` },
      { what: "… statements", measured: least.statements.toFixed(1) },
    ];
  } finally {
    await database.close();
  }
}

async function measureBackend(
  backend: Server,
  database: Filled,
  rounds: number,
): Promise<{ first: Cost; rows: Row[] }> {
  const url = String(backend.said.url);
  const client: Client = { url, token: await connectSlack(url) };
  const hello = (session_id?: string) => greet(client, session_id);
  await inTurn(WARM, AT_ONCE, () => hello());
  const first = await cost(backend, database, COUNTED, () => hello());
  const sessions = await inTurn(COUNTED, AT_ONCE, () => hello());
  const second = await cost(backend, database, COUNTED, (index) => hello(sessions[index]));
  const long = await measureLongSession(backend, database, client);
  await inTurn(WARM / 4, AT_ONCE, () => pauseGeneration(client));
  const readers: Awaited<ReturnType<typeof askForApproval>>[] = [];
  const pause = await cost(backend, database, COUNTED, async () => void readers.push(await askForApproval(client)));
  for (const { stream } of readers) stream.close();
  // The end of a reader is written, too.
  await backend.settled();
  const end = await cost(backend, database, COUNTED, (index) => approve(client, readers[index]?.asked as Asked));
  const results = await inTurn(Math.max(rounds, 30), 1, () => measureApproval(client));
  const rows = [
    limit("… processor of Postgres", first.postgres, "ms", 4),
    { what: "… statements", measured: first.statements.toFixed(1) },
    {
      what: "second question of a conversation: processor of the backend",
      measured: `${second.backend.toFixed(2)} ms`,
    },
    { what: "… of Postgres", measured: `${second.postgres.toFixed(2)} ms` },
    { what: "… statements", measured: second.statements.toFixed(1) },
    ...long,
    limit("from a question to its pause: statements", pause.statements, "", 7),
    { what: "… processor of backend and Postgres", measured: both(pause) },
    limit("from an approval to the end: statements", end.statements, "", 9),
    { what: "… processor of backend and Postgres", measured: both(end) },
    time("approval → the tool's result on the stream, median", median(results), 20),
  ];
  return { first, rows };
}

/** Questions of a short conversation, and of a long one. */
const SHORT = 20;
const LONG = 200;

/** A question after ten times as many others, and a page of the log that a cache has already. */
async function measureLongSession(backend: Server, database: Filled, client: Client): Promise<Row[]> {
  const sessions = await inTurn(AT_ONCE, AT_ONCE, () => greet(client));
  const ask = (index: number) => greet(client, sessions[index % AT_ONCE]);
  await inTurn((SHORT - 1) * AT_ONCE, AT_ONCE, ask);
  const short = await cost(backend, database, 5 * AT_ONCE, ask);
  await inTurn((LONG - SHORT - 5) * AT_ONCE, AT_ONCE, ask);
  const long = await cost(backend, database, 5 * AT_ONCE, ask);
  const [few, many] = [short.backend + short.postgres, long.backend + long.postgres];
  const page = `/sessions/${sessions[0]}/events?live=false`;
  const first = await open(client, "GET", page);
  const bytes = (await first.end()).length;
  const headers = { authorization: `Bearer ${client.token}`, "if-none-match": String(first.headers.etag) };
  const again = await fetch(client.url + page, { headers });
  const sent = (await again.text()).length;
  return [
    ratio(`a question after ${LONG} others / after ${SHORT}: processor of backend and Postgres`, many, few, 12),
    {
      what: "the log of a conversation, read again with its ETag",
      measured: `${again.status}, ${sent} of ${bytes} bytes`,
      goal: "304",
      ok: again.status === 304,
    },
  ];
}

async function measureFloor(server: Server, database: Filled): Promise<Cost> {
  const client: Client = { url: String(server.said.url), token: "" };
  await inTurn(WARM, AT_ONCE, () => greet(client));
  return await cost(server, database, COUNTED * 4, () => greet(client));
}

async function greet(client: Client, session_id?: string): Promise<string> {
  const stream = await open(client, "POST", "/ask", { prompt: "hello", ...(session_id ? { session_id } : {}) });
  await stream.end();
  return stream.session;
}

/** What one of `count` costs. What the backend does at rest meanwhile is part of it. */
async function cost(
  server: Server,
  database: Filled,
  count: number,
  work: (index: number) => Promise<unknown>,
): Promise<Cost> {
  await database.statements();
  const before = [server.cpu(), await database.ticks()] as const;
  await inTurn(count, AT_ONCE, work);
  const after = [server.cpu(), await database.ticks()] as const;
  const statements = await database.statements(count * LEAST);
  return {
    backend: (after[0] - before[0]) / count,
    postgres: (after[1] - before[1]) / count,
    statements: statements / count,
  };
}

function floor(database: Filled): Program {
  const file = fileURLToPath(new URL("./floor.ts", import.meta.url));
  const env = { PATH: process.env.PATH ?? "", BENCH_DATABASE: JSON.stringify(database.config) };
  return { command: process.execPath, args: ["--disable-warning=ExperimentalWarning", file], env };
}

function both({ backend, postgres }: Cost): string {
  return `${backend.toFixed(2)} ms + ${postgres.toFixed(2)} ms`;
}
