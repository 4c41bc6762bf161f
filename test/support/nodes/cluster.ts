import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "#host/postgres/start";
import { createHome, type Home } from "../built/home.ts";
import { until } from "../built/processes.ts";
import type { Running } from "../built/run.ts";
import { type FakeModel, fakeModel } from "../durable/outside.ts";
import { fastFolder } from "../fast-folder.ts";
import { thisMachine } from "../machine.ts";
import { findFreePort } from "../ports.ts";
import { formatUrl } from "../served.ts";
import { type Balancer, openBalancer } from "./balancer.ts";
import { createStep } from "./model.ts";

/** Drain time of a node, in seconds. */
const DRAIN = "1.5";

/** One `kay serve`. */
export type NodeProcess = {
  name: string;
  url: string;
  pid(): number;
  start(): Promise<void>;
  /** Sends it a signal and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** What it logged at level warn or error, over all its starts. */
  complaints(): string[];
};

/** Two nodes on one Postgres, a sandbox and a model that both use, and a balancer in front. */
export type Cluster = {
  nodes: NodeProcess[];
  balancer: Balancer;
  model: FakeModel;
  /** A connection to the database, beside the nodes. */
  db: pg.Pool;
  /** The sandbox's stand-ins by provider. */
  sandbox: Record<string, string>;
  close(): Promise<void>;
};

/** @param settings for Postgres beyond kay's own */
export async function openCluster(settings: Record<string, string> = {}): Promise<Cluster> {
  const { home, close: closeHome } = createHome({});
  const stops: (() => unknown)[] = [closeHome];
  const closing = new AbortController();
  const close = async () => {
    closing.abort();
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return { ...(await parts(home, settings, stops, closing.signal)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function parts(
  home: Home,
  settings: Record<string, string>,
  stops: (() => unknown)[],
  closing: AbortSignal,
): Promise<Omit<Cluster, "close">> {
  const system = join(await fastFolder(), `kay-nodes-${randomBytes(6).toString("hex")}`);
  const log = () => undefined;
  const folder = join(home.folder, "database");
  stops.push(() => rm(system, { recursive: true, force: true, maxRetries: 5 }));
  const postgres = await startPostgres({ folder, machine: thisMachine(system), log, settings });
  stops.push(postgres.stop);
  const db = new pg.Pool({ ...postgres.config, max: 2, application_name: "watcher" });
  db.on("error", log);
  stops.push(() => db.end());
  const model = await fakeModel(createStep, 8, false);
  stops.push(model.close);
  const shared = home.start(["serve", "--sandbox-only", "--json", "--data-dir", join(home.folder, "sandbox")]);
  stops.push(() => shared.kill("SIGTERM"));
  await shared.says(/^\}\n/m, 60_000);
  const { sandbox, file } = JSON.parse(shared.stdout()) as { sandbox: Record<string, string>; file: string };
  const ports = [await findFreePort(), await findFreePort()];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const balancer = await openBalancer({ a: urls[0] ?? "", b: urls[1] ?? "" });
  stops.push(balancer.close);
  const env = {
    DATABASE_URL: formatUrl(postgres.config),
    KAY_KEYS: keys(),
    KAY_SANDBOX: file,
    KAY_TRUST_PROXY: "loopback",
    KAY_DRAIN: DRAIN,
    KAY_MODEL: "openai-compatible:scripted",
    OPENAI_COMPATIBLE_BASE_URL: model.url,
  };
  const nodes = ["a", "b"].map((name, index) => {
    const args = ["--data-dir", join(home.folder, name), "--port", String(ports[index])];
    return node(name, urls[index] ?? "", () => {
      closing.throwIfAborted();
      return home.start(["serve", ...args, "--public-url", balancer.url, "--mcp"], { env });
    });
  });
  stops.push(() => Promise.all(nodes.map(({ end }) => end("SIGKILL"))));
  await Promise.all(nodes.map(({ start }) => start()));
  for (const { name } of nodes) await until(() => balancer.ready(name), `node ${name} is not ready`);
  return { nodes, balancer, model, db, sandbox };
}

function node(name: string, url: string, launch: () => Running): NodeProcess {
  let running: Running | undefined;
  const logs: (() => string)[] = [];
  return {
    name,
    url,
    pid: () => running?.pid ?? 0,
    start: async () => {
      running = launch();
      logs.push(running.stderr);
      await running.says(/kay backend on/, 60_000);
    },
    end: async (signal) => running?.kill(signal),
    signal: (signal) => void running?.child.kill(signal),
    complaints: () =>
      logs
        .flatMap((text) => text().split("\n"))
        .filter((line) => /"level":"(warn|error)"/.test(line) || !/^\{|^$/.test(line)),
  };
}

function keys(): string {
  const key = () => randomBytes(32).toString("base64");
  return JSON.stringify({ version: 1, signing: { id: "s1", key: key() }, sealing: [{ id: "k1", key: key() }] });
}
