import type { ModelSettings } from "#agent/models/decision";
import type { Backend } from "#backend/ports";
import type { SandboxProvider } from "#connectors/catalogue";
import type { Machine } from "#files/processes";
import type { Log } from "#telemetry/log";
import type { createPrograms } from "./programs.ts";
import type { Role } from "./roles.ts";
import type { TrustPolicy } from "./trusted-proxies.ts";

/** Options of a backend, combined from flags, environment, and settings. */
export type HostOptions = {
  host: string;
  port: number;
  /** Uses the sandbox for every service, even if a client is configured. */
  sandbox: boolean;
  seed?: string;
  databaseUrl?: string;
  dataFolder: string;
  publicUrl?: string;
  /** Without a role, this backend runs the agent, or calls the agent server in the environment. */
  role?: Role;
  /** Serves `/mcp` to other programs. */
  mcp?: boolean;
  localSecret?: string;
  /** Opens the status to a client that can read this process's record. */
  operatorSecret?: string;
  /** Port on 127.0.0.1 that serves metrics and status without a key. */
  metricsPort?: number;
  /** Uses a free port if `port` is taken. */
  anyPort?: boolean;
  /** How long to accept requests after `GET /ready` reports draining, in ms (default: 0). */
  drainMs?: number;
  /** Which reverse proxies may report the client's address (default: none). */
  trusts?: TrustPolicy;
};

export type HostPorts = {
  version: string;
  env: Record<string, string | undefined>;
  setting(key: string): string | undefined;
  /** Returns the current model settings; called for each generation. */
  model(): ModelSettings;
  machine: Machine;
  clock: { now(): number };
  random(bytes: number): Uint8Array;
  /** Memory use of this process in bytes. */
  memory?(): { rss: number; heapUsed: number; heapTotal: number };
  log: Log;
  programRecord?: Parameters<typeof createPrograms>[2];
};

export type RunningHost = {
  url: string;
  /** Origins and clients of the sandbox by provider; empty without a sandbox. */
  sandbox: Record<string, SandboxProvider>;
  backend: Backend;
  /** Number of this node in its database, at startup. */
  node: number;
  close(): Promise<void>;
};
