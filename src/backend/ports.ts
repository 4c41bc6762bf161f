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

/** A request that needs an answer while no client follows its conversation. It has no content of the user. */
export type Notice = {
  /** ID for `kay answer`. */
  id: string;
  kind: "approval" | "input" | "auth";
  /** The service; several, separated by commas, for a connection request; `kay` if kay itself asks. */
  service: string;
  /** One line for the user. */
  line: string;
  /** The page to answer on, for a device that is signed in. It holds no secret. */
  url: string;
  session_id: string;
  installation_id: string;
};

/** Sends notices, if the user chose where to. `send` never throws for a notice that does not arrive. */
export type Notifier = { isOn(): boolean; send(notice: Notice): Promise<void> };

/** Request limits, for tests and operators to set. `rate-limits.ts` has the defaults. */
export type Limits = {
  /** Maximum size of a request body, in bytes. */
  bodyBytes: number;
  /** Requests per minute and address on all routes together. */
  requestsPerMinute: number;
  /** Requests per minute and address on routes that issue or spend secrets (connect, status, refresh, confirm). */
  sensitivePerMinute: number;
};

/** Everything the backend needs from outside. `src/main.ts` builds it; `test/support` builds it for tests. */
export type BackendPorts = {
  db: Kysely<Database>;
  /** This process among the nodes of the database. */
  node: Node;
  keys: Keys;
  clock: Clock;
  log: Log;
  fetch: Fetch;
  /** Built-in services with their endpoints and client IDs. Sandbox and real services differ in nothing else. */
  services: ServiceConfiguration[];
  /** Required for custom services, except on the embedded backend, where `fetch` may reach any address. */
  guarded?: PublicFetch;
  /** Returns the OAuth client secret of a custom service from the operator's configuration. */
  clientSecret?(service: string): string | undefined;
  /** URL of the OAuth client metadata document that the operator hosts, for backends that are not on the network. */
  clientDocument?: string;
  /** Starts MCP servers that are local programs; only on the embedded backend. */
  programs?: Programs;
  /** MCP clients; `createBackend` creates the pool if it is absent. */
  links?: McpClientPool;
  model(): ModelSettings;
  /** The agent server that answers instead of a model. */
  agent?: AgentServer;
  /**
   * Set if this process is an agent server, for clients that know the password. `alone`: it is not a backend as well.
   * `allowInsecure`: webhooks may use plain HTTP beyond this machine.
   */
  agentRole?: { password: string; alone: boolean; allowInsecure: boolean };
  /** The URL at which browsers reach this backend, for redirect URIs: `http://127.0.0.1:4000`. No trailing slash. */
  publicUrl: string;
  /** Host names accepted in `Host`, in addition to that of `publicUrl`. */
  hosts?: string[];
  /** Whether links to connect a service lead to a page of this backend first; see `needsBeginPage`. */
  showsBeginPage?: boolean;
  /** Serves `/mcp` to programs that users let in. */
  mcp?: boolean;
  /** Set on the embedded backend: every request except the OAuth callback must carry it in `Kay-Local-Secret`. */
  localSecret?: string;
  limits: Limits;
  /** Metrics and traces for the operator. */
  observe?: Observe;
  /** Returns how long approvals and forms wait, in seconds, if the operator chose that. */
  approvalTimeout?(): number | undefined;
  /** Notifies the user of requests that no client sees; see `notices.ts`. */
  notify?: Notifier;
  /** How long a generation runs after its last client disconnects without cancelling, in ms. */
  leaveMs: number;
  version: string;
  sandbox: boolean;
};

/**
 * Work of a backend. `shared` covers all nodes of its database; it is absent if the database did not respond in time.
 */
export type BackendStatus = { working: number; followers: number; shared?: WorkStatus };

/** A backend without a socket: tests and the listener call `fetch`; `close` stops its running work. */
export type Backend = {
  fetch(request: Request, address?: string): Promise<Response>;
  /** Number of running requests and generations, for the idle timer of the embedded backend. */
  busy(): number;
  /** Returns its current work, for the operator. */
  status(): Promise<BackendStatus>;
  /** Handles what has expired, recovers the work of lost nodes and starts queued work. Call it about once a second. */
  tick(): Promise<void>;
  /** Prepares for shutdown: `GET /ready` reports it from now on, and work is left to other nodes, if any. */
  drain(): Promise<void>;
  close(): Promise<void>;
};
