import type { ModelSettings } from "#agent/models/decision";
import { createLocalModels } from "#agent/models/local";
import { createBackend } from "#backend/app";
import { recoverLostWork } from "#backend/generations/recovery";
import { type Listener, listen } from "#backend/http/listen";
import { DEFAULT_LIMITS } from "#backend/http/rate-limits";
import type { Backend, BackendPorts } from "#backend/ports";
import { loadBackendKeys } from "#backend/store/keys";
import { configureServices, type SandboxProvider } from "#connectors/catalogue";
import type { Machine } from "#files/machine";
import type { Log } from "#telemetry/log";
import { readClientSecret, readConfiguredClients } from "./oauth-clients.ts";
import { createOperatorHandler, createOperatorMiddleware, type OperatorView } from "./operator.ts";
import { createOutboundFetch } from "./outbound-fetch.ts";
import { createPrograms } from "./programs.ts";
import { type Role, readRole } from "./roles.ts";
import { listenPreferably, readSharedSandbox, startSandbox } from "./sandbox.ts";
import { createOperatorView } from "./status.ts";
import { makeDataFolder, openStore } from "./store.ts";
import { openTelemetry } from "./telemetry.ts";
import { resolveClientAddress, type TrustPolicy } from "./trusted-proxies.ts";

/** Milliseconds between two looks after what has expired or was left behind. */
const TICK = 1_000;

/**
 * Milliseconds until work stops whose asker has gone without a word: on one's own machine that person has closed the terminal, while the way
 * to a backend elsewhere may only be interrupted.
 */
const LEAVE_EMBEDDED = 700;
const LEAVE_HOSTED = 30_000;

/** What a backend is started with, after flags, environment and settings were weighed. */
export type HostOptions = {
  host: string;
  port: number;
  /** The sandbox for every service, also where a client is configured. */
  sandbox: boolean;
  seed?: string;
  databaseUrl?: string;
  dataFolder: string;
  publicUrl?: string;
  /** Without it this backend answers by itself, or asks the agent server that the environment names. */
  role?: Role;
  localSecret?: string;
  /** What opens the status to whoever can read this process's record. */
  operatorSecret?: string;
  /** Port of 127.0.0.1 where metrics and status are without a key. */
  metricsPort?: number;
  /** Take a free port where `port` is taken. */
  anyPort?: boolean;
  /** Milliseconds that requests are still taken after `GET /ready` began to say no, before it stops; 0. */
  drainMs?: number;
  /** Which servers in front are trusted to say for whom they ask; none. */
  trusts?: TrustPolicy;
};

export type HostPorts = {
  version: string;
  env: Record<string, string | undefined>;
  setting(key: string): string | undefined;
  /** The model as it is set now; asked anew for each generation. */
  model(): ModelSettings;
  machine: Machine;
  clock: { now(): number };
  random(bytes: number): Uint8Array;
  /** Bytes that this process takes. */
  memory?(): { rss: number; heapUsed: number };
  log: Log;
};

export type RunningHost = {
  url: string;
  /** Origins of the sandbox's stand-ins by provider; empty without it. */
  sandbox: Record<string, SandboxProvider>;
  backend: Backend;
  /** Its number among the nodes of its database, as it starts. */
  node: number;
  close(): Promise<void>;
};

/**
 * Run the backend as a process does: database, keys, sandbox, socket. What was started is stopped again when a later part fails.
 *
 * @param front wraps the backend's fetch (idle clock, local control)
 */
export async function startHost(
  options: HostOptions,
  ports: HostPorts,
  front: (fetch: Backend["fetch"]) => Backend["fetch"] = (fetch) => fetch,
): Promise<RunningHost> {
  const stops: (() => Promise<void>)[] = [];
  let drain = async () => {};
  const close = async () => {
    await drain();
    for (const stop of stops.splice(0).reverse())
      await stop().catch((error) => ports.log("warn", "host.stop_failed", { error }));
  };
  try {
    const { listener, ...parts } = await startParts(options, ports, front, stops);
    drain = () => drained(parts.backend, listener, options.drainMs ?? 0);
    return { ...parts, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(
  options: HostOptions,
  ports: HostPorts,
  front: (fetch: Backend["fetch"]) => Backend["fetch"],
  stops: (() => Promise<void>)[],
): Promise<Omit<RunningHost, "close"> & { listener: Listener }> {
  const { env, log, clock } = ports;
  const { trusts } = options;
  const role = readRole({ ...ports, role: options.role });
  makeDataFolder(options.dataFolder);
  const outgoing = createOutboundFetch(env);
  stops.push(outgoing.close);
  const configured = options.sandbox ? { clients: {} } : readConfiguredClients(env, ports.setting);
  const [database, keys, providers] = await allOrNone([
    openStore(options, ports, stops),
    loadBackendKeys(env.KAY_KEYS ? { value: env.KAY_KEYS } : { folder: options.dataFolder }),
    getProviders(options, ports, stops),
  ]);
  let backend: Backend | undefined;
  let operated: OperatorView | undefined;
  const { version } = ports;
  const status = async () => backend?.status();
  const observing = options.localSecret
    ? undefined
    : await openTelemetry({ env, fetch: outgoing.fetch, log, version, pool: database.pool, status });
  if (observing) stops.push(observing.close);
  const { fetch: reach, guarded } = observing?.ways(outgoing) ?? outgoing;
  const operator = createOperatorMiddleware(() => operated, {
    secret: options.localSecret ?? options.operatorSecret,
    token: env.KAY_METRICS_TOKEN?.trim(),
  });
  const fetch = front(
    operator(
      async (request, peer) =>
        backend?.fetch(request, trusts ? resolveClientAddress(trusts, request.headers, peer) : peer) ??
        new Response(null, { status: 503 }),
    ),
  );
  const open = options.anyPort ? listenPreferably : listen;
  const listener = await open(fetch, { host: options.host, port: options.port });
  stops.push(listener.close);
  if (options.metricsPort !== undefined)
    stops.push(
      (
        await listen(
          createOperatorHandler(() => operated),
          { host: "127.0.0.1", port: options.metricsPort },
        )
      ).close,
    );
  const local = createLocalModels({ fetch: reach, clock, env });
  const services = configureServices({ ...configured, sandbox: providers });
  const publicUrl = options.publicUrl ?? listener.url;
  const backendPorts: BackendPorts = {
    db: database.db,
    node: database.node,
    leaveMs: options.localSecret ? LEAVE_EMBEDDED : LEAVE_HOSTED,
    keys,
    clock,
    log,
    fetch: reach,
    guarded,
    ...(observing ? { observe: observing.observe } : {}),
    // Of an operator's secret only that operator's own descriptions may make use.
    ...(options.localSecret ? { clientSecret: (service) => readClientSecret(env, service) } : {}),
    // A stranger's program is nothing that a backend of many people runs.
    ...(options.localSecret ? { programs: createPrograms(env, ports.machine) } : {}),
    services,
    model: () => ({ ...ports.model(), local }),
    ...role({ publicUrl, keys }),
    publicUrl,
    hosts: [options.host],
    ...(options.localSecret ? { localSecret: options.localSecret } : {}),
    limits: DEFAULT_LIMITS,
    version,
    sandbox: services.some(
      ({ client, service }) => client !== null && client === providers[service.oauth.provider]?.client,
    ),
  };
  backend = createBackend(backendPorts);
  operated = createOperatorView(
    {
      ports: backendPorts,
      backend,
      database,
      url: listener.url,
      startedAt: clock.now(),
      pid: ports.machine.pid,
      memory: ports.memory,
    },
    observing,
  );
  await recoverLostWork(backendPorts);
  stops.push(backend.close, tickEvery(TICK, backend, log));
  return { url: listener.url, sandbox: providers, backend, listener, node: await database.node.number() };
}

/** Whoever is in front learns that others are to be asked, and gets the time to. */
async function drained(backend: Backend, listener: Listener, ms: number): Promise<void> {
  listener.drain();
  await backend.drain();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

/** The sandbox that another process runs, or one of its own. */
async function getProviders(
  { dataFolder: folder, seed }: HostOptions,
  { env, clock, random, log }: HostPorts,
  stops: (() => Promise<void>)[],
): Promise<Record<string, SandboxProvider>> {
  if (env.KAY_SANDBOX) return await readSharedSandbox(env.KAY_SANDBOX);
  const started = await startSandbox({ folder, seed, clock, random, log });
  stops.push(started.close);
  return started.providers;
}

/** One look after another, however long each takes. */
function tickEvery(ms: number, backend: Backend, log: Log): () => Promise<void> {
  let last = Promise.resolve();
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    last = backend
      .tick()
      .catch((error: unknown) => log("warn", "tick_failed", { error }))
      .finally(() => {
        looking = false;
      });
  }, ms);
  return async () => {
    clearInterval(timer);
    await last;
  };
}

/** As `Promise.all`, but a failure is thrown when the others have ended too, so that what they started is known and can be stopped. */
async function allOrNone<T extends unknown[]>(parts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(parts);
  return (await Promise.all(parts)) as T;
}
