import type { Kysely } from "kysely";
import type { LocalModels } from "#agent/models/local";
import type { McpClientPool } from "#connectors/mcp/client-pool";
import type { Programs } from "#connectors/mcp/programs";
import type { ServiceConfiguration } from "#connectors/service";
import type { Observe } from "#telemetry/trace";
import type { AgentServer } from "./agent-client/client.ts";
import type { Node, WorkStatus } from "./store/node.ts";
import type { Database } from "./store/schema.ts";

/** Time as the backend sees it. Tests move it; nothing else in the backend reads a clock. */
export type Clock = { now(): number };

/**
 * One line of the structured log. Fields pass the redaction of `log.ts`; tokens, codes, verifiers and prompts are never given to it.
 */
export type Log = (level: "debug" | "info" | "warn" | "error", event: string, fields?: Record<string, unknown>) => void;

/** Outgoing HTTP to services and their authorization servers (undici in production, strict fakes in tests). */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** The way to addresses that one person of many chose: to the open Internet alone, whatever a name resolves to when the socket is opened. */
export type PublicFetch = {
  /** @throws Problem ADDRESS_REFUSED for an address that is not public */
  fetch: Fetch;
  /** IP addresses of a host name, or none. */
  addresses(host: string): Promise<string[]>;
};

/** Which model answers, decided anew for each generation so that a changed setting needs no restart. */
export type ModelSettings = {
  /** `openai:gpt-5`, `anthropic:…`, `google:…`, `openai-compatible:…`, `ollama:…`, `offline`; empty leaves it to what is there. */
  model?: string;
  /** What named it, for people: `KAY_MODEL`, `model of profile work`. */
  where?: string;
  /** Environment of the providers: OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_BASE_URL … */
  env: Record<string, string | undefined>;
  /** Looks for servers of models on this machine; absent, nothing is looked for. */
  local?: LocalModels;
};

/** Secrets of the backend, as raw bytes. The first of each kind signs and seals, all of them verify and open (key rotation). */
export type Keys = {
  /** HS256 keys for access tokens. */
  signing: [Key, ...Key[]];
  /** AES-256-GCM keys for what is stored encrypted: service tokens, PKCE verifiers. 32 bytes each. */
  sealing: Key[];
};

type Key = { id: string; key: Uint8Array };

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
