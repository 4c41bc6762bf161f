import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { findFreePort } from "#test/ports";
import { formatUrl } from "#test/served";
import { type Client, connectSlack, open } from "./asking.ts";
import { attachClient } from "./attached.ts";
import type { Bench } from "./commands.ts";
import { type Filled, joinDatabase } from "./filled.ts";
import { at, type Server } from "./process.ts";
import { median } from "./rounds.ts";
import { kay } from "./signed-in.ts";
import type { Row } from "./table.ts";
import { inTurn } from "./within.ts";

const FEW = { waiting: 1_000, followers: 500 };
const MANY = { waiting: 10_000, followers: 5_000 };

/** Largest allowed ratio for ten times as many. */
const GOAL = 12;

/** Questions of each measurement, four at once, and how long the nodes are watched at rest, in ms. */
const QUESTIONS = 200;
const IDLE = 10_000;

type World = { nodes: Server[]; clients: Client[]; database: Filled; follow(count: number): Promise<void> };
type Costs = { idle: number; question: number; delay: number; memory: number };

/** Measures two nodes with one Postgres, with few and with ten times as many paused generations and followers. */
export async function scale({ launcher, folder }: Bench): Promise<Row[]> {
  mkdirSync(folder, { recursive: true });
  const database = await joinDatabase(`${folder}/database`);
  const port = await findFreePort();
  const key = () => randomBytes(32).toString("base64");
  const KAY_KEYS = JSON.stringify({ version: 1, signing: { id: "s", key: key() }, sealing: [{ id: "k", key: key() }] });
  const env = { DATABASE_URL: formatUrl(database.config), KAY_KEYS, KAY_MODEL: "offline" };
  // The token of one node counts at the other, which has the same public address.
  const node = (name: string, options: string[]) => {
    const all = ["--json", "--data-dir", `${folder}/${name}`, "--public-url", `http://127.0.0.1:${port}`, ...options];
    return kay(launcher, `${folder}/${name}`, ["serve", ...all], env);
  };
  try {
    return await at(node("one", ["--port", String(port), "--sandbox"]), (one) =>
      at(node("two", ["--port", "0"]), (two) => measureNodes([one, two], database)),
    );
  } finally {
    await database.close();
  }
}

async function measureNodes(nodes: Server[], database: Filled): Promise<Row[]> {
  const [first = "", second = ""] = nodes.map(({ said }) => String(said.url));
  const token = await connectSlack(first);
  const clients = [first, second].map((url) => ({ url, token }));
  const delays: number[] = [];
  let followed = 0;
  const follow = async (count: number) => {
    const before = followed;
    followed = count;
    await inTurn(count - before, 16, (index) =>
      attachClient(clients[index % 2] as Client, pickFinished(before + index), (delay) => void delays.push(delay)),
    );
  };
  const world = { nodes, clients, database, follow };
  const few = await costs(world, FEW, delays);
  const many = await costs(world, MANY, delays);
  const row = (what: string, key: keyof Costs, unit: string): Row => {
    const ratio = many[key] / few[key];
    const numbers = `${many[key].toFixed(1)} ${unit} / ${few[key].toFixed(1)} ${unit}`;
    return { what, measured: `${ratio.toFixed(2)} (${numbers})`, goal: `≤ ${GOAL}`, ok: ratio <= GOAL };
  };
  const what = "two nodes, 10000 paused and 5000 followers / 1000 and 500";
  return [
    row(`${what}: processor of all at rest, in 10 s`, "idle", "ms"),
    row("… processor of all per question", "question", "ms"),
    row("… an event from its append to its follower, median", "delay", "ms"),
    row("… memory of both nodes", "memory", "MB"),
  ];
}

/** Of two conversations, one waits for an approval and one is finished. The finished ones are followed and asked in. */
async function costs(world: World, { waiting, followers }: typeof FEW, delays: number[]): Promise<Costs> {
  const { nodes, clients, database } = world;
  await database.fill(waiting * 2, "one", 2);
  await world.follow(followers);
  const memory = (await Promise.all(nodes.map((node) => node.settled()))).reduce((sum, each) => sum + each, 0);
  const sumCpu = async () => nodes.reduce((sum, node) => sum + node.cpu(), await database.ticks());
  const rest = await sumCpu();
  await nodes[0]?.busy(IDLE);
  const idle = (await sumCpu()) - rest;
  delays.length = 0;
  const begun = await sumCpu();
  await inTurn(QUESTIONS, 4, async (index) => {
    const { session } = pickFinished(index);
    // Every second pair asks at the node where the follower is not.
    const client = clients[(index >> 1) % 2] as Client;
    await (await open(client, "POST", "/ask", { prompt: "hello", session_id: session })).end();
  });
  const question = ((await sumCpu()) - begun) / QUESTIONS;
  return { idle, question, delay: median(delays), memory: memory / 1024 / 1024 };
}

/** A conversation that was filled in and has ended, after its last event. */
function pickFinished(index: number): { session: string; after: number } {
  return { session: `session_bench_${index * 2 + 1}`, after: 8 };
}
