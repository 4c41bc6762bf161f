import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import { createBackend } from "#backend/app";
import { recoverLostWork } from "#backend/generations/recovery";
import { listen } from "#backend/http/listen";
import { DEFAULT_LIMITS } from "#backend/http/rate-limits";
import { openDatabase } from "#backend/store/database";
import { createNode } from "#backend/store/node";
import type { Database } from "#backend/store/schema";
import { createLog } from "#telemetry/log";
import { deskServices } from "../desk.ts";
import { watchFetch, watchPool } from "./moments.ts";
import { MODEL, TEST_KEYS } from "./shared.ts";

/** Options of a process: all addresses, and the moment at which it kills itself, if any. */
export type Orders = {
  database: pg.PoolConfig;
  /** Addresses that stand for the model's and the service's. */
  model: string;
  service: string;
  /** The moment's name and occurrence, or its number among all moments. */
  kill?: ({ at: string; time: number } | { moment: number }) & { signal?: "SIGKILL" | "SIGSTOP" };
};

/** Sent later: counts from here on, and kills at this moment instead. */
export type Rearm = { rearm: Orders["kill"] | null };

/** Its answer. */
export type Said = { ready: true } | { url: string } | { log: string } | { moments: string[] };

const TICK = 100;

process.once("message", (orders: Orders) => void run(orders));
say({ ready: true });

/** A backend in a separate process, built like `kay serve`, whose ports count moments. */
async function run(orders: Orders): Promise<void> {
  const counts = new Map<string, number>();
  const moments: string[] = [];
  let { kill } = orders;
  const countMoment = (name: string) => {
    const time = (counts.get(name) ?? 0) + 1;
    counts.set(name, time);
    moments.push(name);
    if (!kill) return;
    if ("moment" in kill ? moments.length === kill.moment : kill.at === name && kill.time === time)
      process.kill(process.pid, kill.signal ?? "SIGKILL");
  };
  const running = new Set<Promise<unknown>>();
  process.on("message", async ({ rearm }: Rearm) => {
    // A client that sees the end of a request may be faster than the response to its commit.
    await Promise.allSettled(running);
    say({ moments: moments.splice(0) });
    counts.clear();
    kill = rearm ?? undefined;
  });
  const log = createLog((line) => say({ log: line }), { level: "info", clock: Date });
  const { pool } = await openDatabase({ max: 8, ...orders.database }, { log });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: watchPool(pool, countMoment, running) }) });
  const getName = (url: string) => (url.startsWith(MODEL) ? "model" : /\/close\//.test(url) ? "service" : undefined);
  const fetchOutside: typeof fetch = (url, init) => fetch(moveUrl(String(url), orders), init);
  const listener = await listen((request, address) => backend.fetch(request, address), { host: "127.0.0.1", port: 0 });
  const backend = createBackend({
    db,
    node: createNode(orders.database, log),
    leaveMs: 30_000,
    keys: TEST_KEYS,
    clock: Date,
    log,
    fetch: watchFetch(fetchOutside as never, getName, countMoment),
    services: deskServices([]),
    model: () => ({
      model: "openai-compatible:scripted",
      env: { OPENAI_COMPATIBLE_BASE_URL: MODEL, OPENAI_BASE_URL: MODEL },
    }),
    // All processes are nodes of one backend, so tokens of one are valid at another.
    publicUrl: "http://127.0.0.1:4000",
    limits: { ...DEFAULT_LIMITS, requestsPerMinute: 1_000_000 },
    version: "0.0.0",
    sandbox: false,
  });
  await recoverLostWork({ db, clock: Date, log });
  const tick = () => backend.tick().catch((error: unknown) => log("warn", "tick_failed", { error }));
  await tick();
  setInterval(() => void tick(), TICK);
  say({ url: listener.url });
}

function moveUrl(url: string, { model, service }: Orders): string {
  if (url.startsWith(MODEL)) return url.replace(MODEL, model);
  return url.replace("https://api.atlassian.com", service);
}

function say(message: Said): void {
  process.send?.(message);
}
