import { setTimeout as pause } from "node:timers/promises";
import { untilAborted } from "../built/processes.ts";
import { consent } from "../built/serve.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { type Ledger, newLedger } from "./ledger.ts";
import { type Crowd, person, talker } from "./people.ts";
import type { TakeOvers } from "./unrest.ts";
import { type Figure, verdict } from "./verdict.ts";

export type Scene = { cluster: Cluster; ledger: Ledger; dice(below: number): number; takeOvers: TakeOvers };

type Options = {
  /** Number of users with requests of all kinds, and of those who only request text. */
  people: number;
  talkers: number;
  seed: number;
  /** For Postgres. */
  settings?: Record<string, string>;
  /** When it fires, everything ends at once. */
  signal?: AbortSignal;
};

/** Time for running work to end, in ms. */
const END_LIMIT = 60_000;

type Outcome = { figures: Figure[]; faults: string[]; complaints: string[] };

/**
 * Runs two nodes under load with disturbances, and returns the outcome.
 *
 * @throws the reason of `signal`, when all processes have ended
 */
export async function twoNodes(options: Options, act: (scene: Scene) => Promise<void>): Promise<Outcome> {
  const { settings, signal = new AbortController().signal } = options;
  const cluster = await openCluster(settings);
  try {
    return await untilAborted(runScene(cluster, options, act), signal);
  } finally {
    await cluster.close();
  }
}

async function runScene(
  cluster: Cluster,
  { people, talkers, seed }: Options,
  act: (scene: Scene) => Promise<void>,
): Promise<Outcome> {
  const ledger = newLedger();
  const crowd: Crowd = { url: cluster.balancer.url, token: await connectSlack(cluster.balancer.url), ledger };
  const takeOvers: TakeOvers = [];
  const enough = new AbortController();
  const all = [
    ...Array.from({ length: people }, (_, index) => person(crowd, index, enough.signal)),
    ...Array.from({ length: talkers }, (_, index) => talker(crowd, index, enough.signal)),
  ];
  await act({ cluster, ledger, dice: random(seed), takeOvers });
  enough.abort();
  const controller = new AbortController();
  await Promise.race([Promise.all(all), pause(END_LIMIT, undefined, { signal: controller.signal }).catch(() => {})]);
  controller.abort();
  ledger.over = true;
  for (const task of ledger.underWay.values()) ledger.faults.push(`not over: ${task}`);
  const result = await verdict(cluster, ledger, takeOvers);
  return { ...result, complaints: cluster.nodes.flatMap(({ complaints }) => complaints()) };
}

/** Connects the sandbox's Slack. */
async function connectSlack(url: string): Promise<string> {
  const connect = await fetch(`${url}/connections/connect?service=slack`, { method: "POST", body: "{}" });
  const { authorization_url, state } = (await connect.json()) as Record<string, string>;
  await consent(authorization_url ?? "");
  const { token = "" } = (await (await fetch(`${url}/auth/status/${state}`)).json()) as { token?: string };
  return token;
}

/** Whole numbers below a bound, the same for the same seed (mulberry32). */
export function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
