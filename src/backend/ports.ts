import type { Kysely } from "kysely";
import type { ModelSettings } from "#agent/models/decision";
import type { McpClientPool } from "#connectors/mcp/client-pool";
import type { Programs } from "#connectors/mcp/programs";
import type { ServiceConfiguration } from "#connectors/service";
import type { Clock, Fetch, PublicFetch } from "#net/ports";
import type { Log } from "#telemetry/log";
import type { Observe } from "#telemetry/trace";
import type { AgentServer } from "./agent-client/client.ts";
import type { Keys } from "./store/keys.ts";
import type { Node, WorkStatus } from "./store/node.ts";
import type { Database } from "./store/schema.ts";

/** Limits, so that tests and operators can set them; `limits.ts` has the defaults. */
export type Limits = {
  /** Largest accepted request body in bytes. */
  bodyBytes: number;
  /** Requests per minute and address, all routes together. */
  requestsPerMinute: number;
  /** Requests per minute and address on the routes that hand out or spend secrets (connect, status, refresh, confirm). */
  sensitivePerMinute: number;
};

/** Everything the backend takes from outside. Built by `src/main.ts`, and by `test/support` for tests. */
export type BackendPorts = {
  db: Kysely<Database>;
  /** This process among those that share the database. */
  node: Node;
  keys: Keys;
  clock: Clock;
  log: Log;
  fetch: Fetch;
  /** Services that everybody has, with endpoints and client ids; sandbox or real makes no other difference. */
  services: ServiceConfiguration[];
  /** Needed for services that people describe themselves, but on the embedded backend, where `fetch` may go anywhere. */
  guarded?: PublicFetch;
  /** Secret of a described service's OAuth client, from the operator's configuration. */
  clientSecret?(service: string): string | undefined;
  /** Starts MCP servers that are programs; on the embedded backend alone. */
  programs?: Programs;
  /** Links to MCP servers; made by `createBackend` where none are given. */
  links?: McpClientPool;
  model(): ModelSettings;
  /** The agent server that answers instead of a model here. */
  agent?: AgentServer;
  /**
   * This is an agent server itself, for whoever knows the password. `alone`: and no backend for clients. `allowInsecure`: webhooks may be told
   * by plain http beyond this machine.
   */
  agentRole?: { password: string; alone: boolean; allowInsecure: boolean };
  /** Where browsers reach this backend, for redirect URIs: `http://127.0.0.1:4000`. No trailing slash. */
  publicUrl: string;
  /** Host names accepted in `Host` besides the one of `publicUrl`. */
  hosts?: string[];
  /** Set for the embedded backend: every request but the OAuth callback must carry it in `Kay-Local-Secret`. */
  localSecret?: string;
  limits: Limits;
  /** Counts, times and traces for whoever operates it. */
  observe?: Observe;
  /** Milliseconds until work stops for which nobody is there any more, when whoever asked has gone without a word. */
  leaveMs: number;
  version: string;
  sandbox: boolean;
};

/** What a backend is at. `shared` is what all nodes of its database are at; absent, the database did not answer in time. */
export type BackendStatus = { working: number; followers: number; shared?: WorkStatus };

/** A backend without a socket: tests and the listener call `fetch`; `close` ends what it still does. */
export type Backend = {
  fetch(request: Request, address?: string): Promise<Response>;
  /** How many requests and generations are under way, for the idle clock of the embedded backend. */
  busy(): number;
  /** What it is at, for whoever operates it. */
  status(): Promise<BackendStatus>;
  /** To be called about once a second: what has expired, what was left behind by a node that is gone, whose turn it is. */
  tick(): Promise<void>;
  /** It will close soon: `GET /ready` says so from now on, and work is left to other nodes, where there are any. */
  drain(): Promise<void>;
  close(): Promise<void>;
};
