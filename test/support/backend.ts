import { afterAll, afterEach, beforeEach, onTestFinished } from "vitest";
import { createBackend } from "#backend/app";
import { DEFAULT_LIMITS } from "#backend/http/rate-limits";
import type { Backend, BackendPorts } from "#backend/ports";
import { createNode, type Node } from "#backend/store/node";
import { configureServices } from "#connectors/catalogue";
import { createLog } from "#telemetry/log";
import { useDatabase } from "./database.ts";
import { createOutside, type Outside } from "./outside.ts";

/** Noon of a day in 2026. */
export const NOON = Date.UTC(2026, 10, 27, 12);

/**
 * A backend in this process, with a real database, a clock that only tests move, and an outside that only they answer.
 */
export type World = {
  ports: BackendPorts;
  backend: Backend;
  outside: Outside;
  clock: { now(): number; advance(milliseconds: number): void };
  /** Every line of the log. */
  log: string[];
  /** One request to the backend; the answer's body is parsed when it is JSON. */
  call(request: string, options?: CallOptions): Promise<Answer>;
};

type CallOptions = { body?: unknown; token?: string; headers?: Record<string, string>; address?: string };
export type Answer = { status: number; body: Record<string, unknown>; text: string; headers: Headers };

/** A world for each test over one database for the file. Unused or unknown requests to the outside fail the test. */
export function useBackend(overrides: Partial<BackendPorts> = {}): () => World {
  const database = useDatabase();
  let world: World | undefined;
  let node: Node | undefined;
  beforeEach(() => {
    const { db, config } = database();
    node ??= createNode(config, () => {});
    world = createWorld({ db, node, ...overrides });
  });
  afterEach(async () => {
    await world?.backend.close();
    world?.outside.settled();
  });
  afterAll(() => node?.close());
  return () => {
    if (!world) throw new Error("The backend is there only while tests run.");
    return world;
  };
}

/** A backend with these ports, and the default ones otherwise. The caller closes it. */
export function createWorld(overrides: Partial<BackendPorts> & Pick<BackendPorts, "db" | "node">): World {
  let now = NOON;
  const log: string[] = [];
  const outside = createOutside();
  const clock = {
    now: () => now,
    advance(milliseconds: number) {
      now += milliseconds;
    },
  };
  const ports: BackendPorts = {
    keys: {
      signing: [{ id: "s1", key: new Uint8Array(32).fill(1) }],
      sealing: [{ id: "k1", key: new Uint8Array(32).fill(2) }],
    },
    clock,
    log: createLog((line) => void log.push(line), { level: "debug", clock }),
    fetch: outside.fetch,
    services: configureServices({
      clients: {
        atlassian: { id: "atlassian-client", secret: "atlassian-secret" },
        bitbucket: { id: "bitbucket-client", secret: "bitbucket-secret" },
        google: { id: "google-client", secret: "google-secret" },
        notion: { id: "notion-client", secret: "notion-secret" },
      },
    }),
    model: () => ({ env: {} }),
    publicUrl: "http://127.0.0.1:4000",
    limits: DEFAULT_LIMITS,
    leaveMs: 100,
    version: "0.0.0",
    sandbox: false,
    ...overrides,
  };
  const backend = createBackend(ports);
  return { ports, backend, outside, clock, log, call: (request, options) => call(backend, ports, request, options) };
}

/** Another backend on the ports of a world, as after a restart; closed when the test ends. */
export function createPeer(world: World, overrides: Partial<BackendPorts> = {}): World {
  const peer = createWorld({ ...world.ports, ...overrides });
  onTestFinished(() => peer.backend.close());
  return peer;
}

async function call(
  backend: Backend,
  ports: BackendPorts,
  request: string,
  options: CallOptions = {},
): Promise<Answer> {
  const [method = "GET", path = "/"] = request.split(" ");
  const { body, token, headers = {}, address } = options;
  const response = await backend.fetch(
    new Request(ports.publicUrl + path, {
      method,
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    }),
    address,
  );
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return {
    status: response.status,
    body: isJson && text !== "" ? JSON.parse(text) : {},
    text,
    headers: response.headers,
  };
}
