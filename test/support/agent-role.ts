import { afterEach, beforeEach } from "vitest";
import type { BackendPorts } from "#backend/ports";
import { createNode, type Node } from "#backend/store/node";
import { createWorld, type World } from "./backend.ts";
import { useDatabase } from "./database.ts";

/** The agent server's address; requests go to the one that is alive. */
const AGENT = "http://127.0.0.1:4301";
const BACKEND = "http://127.0.0.1:4000";
export const PASSWORD = "agent-password";

/** A backend and an agent server as two nodes on one database, in this process. */
export type Roles = {
  backend: World;
  /** The live agent server. */
  agent(): World;
  /**
   * As after a kill: its database connection is gone, and whatever it still does has no effect. Another one replaces
   * it.
   */
  killAgent(): Promise<void>;
  /** While false, the webhook cannot be reached. */
  webhook: boolean;
  /** Reports sent to the webhook, whether or not it was reachable. */
  reports: Record<string, unknown>[];
  /** Answers other addresses, instead of the backend's outside. */
  elsewhere: Record<string, (request: Request) => Response | Promise<Response>>;
  /** A stream of the agent server, read to its end. */
  stream(url: string, token: string, prompt: string): Promise<{ status: number; text: string; parts: Part[] }>;
};

export type Part = { type: string } & Record<string, unknown>;

/** New ones for each test, on one database for the file. */
export function useRoles(services: BackendPorts["services"], ports: Partial<BackendPorts> = {}): () => Roles {
  const database = useDatabase();
  let roles: Roles | undefined;
  const nodes: Node[] = [];
  const worlds: World[] = [];
  beforeEach(() => {
    const { db, config } = database();
    const node = () => {
      const node = createNode(config, () => {});
      nodes.push(node);
      return node;
    };
    const clock = { now: () => roles?.backend.clock.now() ?? 0, advance: () => {} };
    const newAgent = () => {
      const agentRole = { password: PASSWORD, alone: true, allowInsecure: false };
      const world = createWorld({
        db,
        node: node(),
        services,
        clock,
        fetch: reach,
        publicUrl: AGENT,
        agentRole,
        ...ports,
      });
      worlds.push(world);
      return world;
    };
    const reach: BackendPorts["fetch"] = async (url, init) => {
      if (roles === undefined) throw new TypeError("too early");
      const request = new Request(url, init);
      const elsewhere = Object.keys(roles.elsewhere).find((origin) => url.startsWith(origin));
      if (elsewhere) return (roles.elsewhere[elsewhere] as (request: Request) => Response)(request);
      if (url.startsWith(AGENT)) return await roles.agent().backend.fetch(request);
      if (!url.startsWith(BACKEND)) return await roles.backend.outside.fetch(url, init);
      roles.reports.push((await request.clone().json()) as Record<string, unknown>);
      if (!roles.webhook) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
      return await roles.backend.backend.fetch(request);
    };
    let agent = newAgent();
    const backend = createWorld({
      db,
      node: node(),
      services,
      fetch: reach,
      agent: { url: AGENT, password: PASSWORD },
      ...ports,
    });
    worlds.push(backend);
    roles = {
      backend,
      agent: () => agent,
      async killAgent() {
        await agent.ports.node.close();
        agent = newAgent();
      },
      webhook: true,
      reports: [],
      elsewhere: {},
      async stream(url, token, prompt) {
        const body = JSON.stringify({ prompt });
        const path = `${url}?token=${encodeURIComponent(token)}`;
        const response = await agent.backend.fetch(new Request(path, { method: "POST", body }));
        const text = await response.text();
        return { status: response.status, text, parts: response.ok ? parseParts(text) : [] };
      },
    };
  });
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map((world) => world.backend.close()));
    await Promise.all(nodes.splice(0).map((node) => node.close()));
    roles?.backend.outside.settled();
  });
  return () => {
    if (!roles) throw new Error("They are there only while tests run.");
    return roles;
  };
}

function parseParts(text: string): Part[] {
  return text
    .split("\n\n")
    .flatMap((event) => /^event: message\ndata: (.*)$/.exec(event)?.[1] ?? [])
    .map((data) => JSON.parse(data));
}
