import { setTimeout as pause } from "node:timers/promises";
import { LIVE_NODES_SQL } from "#backend/store/node";
import { until } from "../built/processes.ts";
import type { Cluster, NodeProcess } from "./cluster.ts";
import type { Ledger, Phase } from "./ledger.ts";

/** Milliseconds from a kill until another node took over each generation of the dead one, or it had ended. */
export type TakeOvers = number[];

type Scene = { cluster: Cluster; ledger: Ledger; dice: (below: number) => number; takeOvers: TakeOvers };

/** Time limit of a takeover, in ms. */
const TAKE_OVER_LIMIT = 30_000;

/** Time limit until a node is ready again, in ms. */
const READY_LIMIT = 60_000;

/** Leaves the nodes alone for this time. */
export async function quiet({ ledger }: Scene, ms: number): Promise<void> {
  const began = performance.now();
  ledger.phase = "quiet";
  await pause(ms);
  ledger.quietMs += performance.now() - began;
}

/** A node is killed, and started again after a while. */
export async function killNode(scene: Scene, awayMs: number): Promise<void> {
  const node = one(scene);
  await within(scene, "kill", async () => {
    const takeOver = watchTakeOver(scene);
    await node.end("SIGKILL");
    await pause(awayMs);
    await takeOver;
    await again(scene, node);
  });
}

/** A rolling restart: nobody may notice. */
export async function restartNodes(scene: Scene): Promise<void> {
  await within(scene, "roll", async () => {
    for (const node of scene.cluster.nodes) {
      await node.end("SIGTERM");
      await again(scene, node);
      await pause(500);
    }
  });
}

/** Pauses a node for this time. With `cut`, its database connections are lost, and others take its work. */
export async function pauseNode(scene: Scene, ms: number, cut: boolean): Promise<void> {
  const node = one(scene);
  await within(scene, "stop", async () => {
    node.signal("SIGSTOP");
    try {
      if (cut) {
        await pause(500);
        await scene.cluster.db.query(
          "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()",
          ["kay node"],
        );
      }
      await pause(ms);
    } finally {
      node.signal("SIGCONT");
    }
    await until(() => scene.cluster.balancer.ready(node.name), `${node.name} did not go on`, READY_LIMIT);
  });
}

/** All connections of both nodes to the database are ended. */
async function cut(scene: Scene): Promise<void> {
  await within(scene, "cut", async () => {
    await scene.cluster.db.query(
      "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name like 'kay%' and pid <> pg_backend_pid()",
    );
    await pause(500);
    await allReady(scene);
  });
}

/** Applies random disturbances, with quiet times in between, until the signal fires. */
export async function unrest(scene: Scene, signal: AbortSignal, tell: (subject: string) => void): Promise<void> {
  const { dice } = scene;
  const acts: [string, () => Promise<void>][] = [
    ["kill -9", () => killNode(scene, 200 + dice(4_000))],
    ["kill -9", () => killNode(scene, 200 + dice(4_000))],
    ["kill -9", () => killNode(scene, 0)],
    ["rolling restart", () => restartNodes(scene)],
    ["SIGSTOP", () => pauseNode(scene, 5_000 + dice(15_000), false)],
    ["SIGSTOP, connection cut", () => pauseNode(scene, 5_000 + dice(35_000), true)],
    ["connections terminated", () => cut(scene)],
  ];
  while (!signal.aborted) {
    await quiet(scene, 4_000);
    const [name, act] = acts[dice(acts.length)] ?? acts[0] ?? ["", async () => {}];
    const began = performance.now();
    await act();
    tell(`${name}, ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
}

async function within({ ledger }: Scene, phase: Phase, work: () => Promise<void>): Promise<void> {
  ledger.phase = phase;
  await work();
  // Pending work ends before the next disturbance.
  await pause(1_500);
  ledger.phase = "quiet";
}

function one({ cluster, dice }: Scene): NodeProcess {
  const { nodes } = cluster;
  return nodes[dice(nodes.length)] ?? (nodes[0] as NodeProcess);
}

async function again({ cluster }: Scene, node: NodeProcess): Promise<void> {
  await node.start();
  await until(() => cluster.balancer.ready(node.name), `${node.name} is not ready`, READY_LIMIT);
}

async function allReady({ cluster }: Scene): Promise<void> {
  const ready = () => cluster.nodes.every(({ name }) => cluster.balancer.ready(name));
  await until(ready, "the nodes are not ready", READY_LIMIT);
}

/** Measures how long the work of a killed node waits. */
async function watchTakeOver({ cluster, takeOvers }: Scene): Promise<void> {
  const running = await cluster.db.query<{ id: string; node: number }>(
    "select id, node from generations where node is not null and finished_at is null",
  );
  const began = performance.now();
  const remaining = new Map(running.rows.map(({ id, node }) => [id, node]));
  const orphans = new Set<string>();
  for (let look = 0; performance.now() - began < TAKE_OVER_LIMIT && (look < 10 || orphans.size > 0); look++) {
    await pause(50);
    const { rows } = await cluster.db.query<{ id: string; node: number | null; lives: boolean }>(
      `select id, node, node in (${LIVE_NODES_SQL}) as lives from generations where id = any($1)`,
      [[...remaining.keys()]],
    );
    for (const { id, node, lives } of rows) {
      if (node === remaining.get(id) && !lives) orphans.add(id);
      if (node === remaining.get(id)) continue;
      remaining.delete(id);
      if (orphans.delete(id)) takeOvers.push(performance.now() - began);
    }
  }
  for (const _ of orphans) takeOvers.push(Number.POSITIVE_INFINITY);
}
