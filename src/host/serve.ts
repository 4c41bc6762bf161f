import { createLocalModels } from "#agent/models/local-servers";
import { createBackend } from "#backend/app";
import { recoverLostWork } from "#backend/generations/recovery";
import { type Listener, listen } from "#backend/http/listen";
import { DEFAULT_LIMITS } from "#backend/http/rate-limits";
import type { Backend, BackendPorts } from "#backend/ports";
import { loadBackendKeys } from "#backend/store/keys";
import { configureServices, type SandboxProvider } from "#connectors/catalogue";
import { isLoopbackHost } from "#net/addresses";
import { Problem } from "#protocol/errors";
import { parseApprovalTimeout } from "#protocol/time";
import type { Log } from "#telemetry/log";
import { createNotifier } from "./notify.ts";
import { readClientDocument, readClientSecret, readConfiguredClients } from "./oauth-clients.ts";
import { createOperatorHandler, createOperatorMiddleware, type OperatorView } from "./operator.ts";
import { createOutboundFetch } from "./outbound-fetch.ts";
import type { HostOptions, HostPorts, RunningHost } from "./ports.ts";
import { createPrograms } from "./programs.ts";
import { createRestWatch } from "./rest-watch.ts";
import { readRole } from "./roles.ts";
import { listenPreferably, readSharedSandbox, startSandbox } from "./sandbox.ts";
import { createOperatorView } from "./status.ts";
import { makeDataFolder, openStore } from "./store.ts";
import { openTelemetry } from "./telemetry.ts";
import { resolveClientAddress } from "./trusted-proxies.ts";

/** Interval between checks for expired and abandoned work, in ms. */
const TICK_MS = 1_000;

/**
 * How long work continues after its client disconnects without a message, in ms. A local client has died, or its
 * terminal was closed and it is about to ask for more time. A remote connection may only be interrupted.
 */
const LEAVE_EMBEDDED_MS = 3_000;
const LEAVE_HOSTED_MS = 30_000;

/**
 * Runs the backend as a process: database, keys, sandbox, and socket. If a part fails to start, the parts that did
 * start are stopped.
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
    drain = () => drainBackend(parts.backend, listener, options.drainMs ?? 0);
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
  const { env, log, clock, version } = ports;
  const { trusts } = options;
  const role = readRole({ ...ports, role: options.role });
  makeDataFolder(options.dataFolder);
  const outgoing = createOutboundFetch(env);
  stops.push(outgoing.close);
  const configured = options.sandbox ? { clients: {} } : readConfiguredClients(env, ports.setting);
  const [database, keys, providers] = await waitForAll([
    openStore(options, ports, stops),
    loadBackendKeys(env.KAY_KEYS ? { value: env.KAY_KEYS } : { folder: options.dataFolder }),
    getProviders(options, ports, stops),
  ]);
  let backend: Backend | undefined;
  let operatorView: OperatorView | undefined;
  const getStatus = async () => backend?.status();
  const telemetry = options.localSecret
    ? undefined
    : await openTelemetry({ env, fetch: outgoing.fetch, log, version, pool: database.pool, status: getStatus });
  if (telemetry) stops.push(telemetry.close);
  const { fetch: outboundFetch, guarded } = telemetry?.instrument(outgoing) ?? outgoing;
  const operator = createOperatorMiddleware(() => operatorView, {
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
          createOperatorHandler(() => operatorView),
          { host: "127.0.0.1", port: options.metricsPort },
        )
      ).close,
    );
  const local = createLocalModels({ fetch: outboundFetch, clock, env });
  const services = configureServices({ ...configured, sandbox: providers });
  const publicUrl = options.publicUrl ?? listener.url;
  if (options.mcp) checkMcpUrl(publicUrl);
  const backendPorts: BackendPorts = {
    db: database.db,
    node: database.node,
    leaveMs: options.localSecret ? LEAVE_EMBEDDED_MS : LEAVE_HOSTED_MS,
    keys,
    clock,
    log,
    fetch: outboundFetch,
    guarded,
    ...(telemetry ? { observe: telemetry.observe } : {}),
    // Only the operator's own custom services may use the secrets in the environment, so only a local backend reads
    // them.
    ...(options.localSecret ? { clientSecret: (service) => readClientSecret(env, service) } : {}),
    ...readClientDocument(env, ports.setting),
    // A shared backend must not run programs that its users name.
    ...(options.localSecret ? { programs: createPrograms(env, ports.machine, ports.programRecord) } : {}),
    services,
    model: () => ({ ...ports.model(), local }),
    approvalTimeout: () => parseApprovalTimeout(ports.setting("approval-timeout") ?? ""),
    notify: createNotifier({ setting: () => ports.setting("notify"), fetch: outboundFetch, env, log }),
    ...role({ publicUrl, keys }),
    publicUrl,
    hosts: [options.host],
    ...(options.localSecret ? { localSecret: options.localSecret } : { showsBeginPage: true }),
    mcp: options.mcp === true && options.localSecret === undefined,
    limits: DEFAULT_LIMITS,
    version,
    sandbox: services.some(
      ({ client, service }) => client !== null && client === providers[service.oauth.provider]?.client,
    ),
  };
  backend = createBackend(backendPorts);
  operatorView = createOperatorView(
    {
      ports: backendPorts,
      backend,
      database,
      url: listener.url,
      startedAt: clock.now(),
      pid: ports.machine.pid,
      memory: ports.memory,
    },
    telemetry,
  );
  await recoverLostWork(backendPorts);
  const rest = ports.memory && createRestWatch(ports.memory);
  stops.push(backend.close, startTicking(TICK_MS, backend, { log, rest }));
  return { url: listener.url, sandbox: providers, backend, listener, node: await database.node.number() };
}

/** Checks the address of `/mcp`. @throws Problem USAGE if programs would send their tokens unencrypted */
function checkMcpUrl(publicUrl: string): void {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === "https:" || isLoopbackHost(hostname)) return;
  throw new Problem("USAGE", `Programs would send their tokens for ${publicUrl}/mcp unencrypted.`, {
    hint: "Pass an https: address to --public-url, or omit --mcp.",
  });
}

/** Reports not ready and keeps serving for `ms` milliseconds, so that a load balancer can switch to other nodes. */
async function drainBackend(backend: Backend, listener: Listener, ms: number): Promise<void> {
  listener.drain();
  await backend.drain();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Reads the shared sandbox, or starts one in this process. */
async function getProviders(
  { dataFolder: folder, seed }: HostOptions,
  { env, clock, random, log }: HostPorts,
  stops: (() => Promise<void>)[],
): Promise<Record<string, SandboxProvider>> {
  if (env.KAY_SANDBOX) return await readSharedSandbox(env.KAY_SANDBOX);
  const { providers, close } = await startSandbox({ folder, seed, clock, random, log });
  stops.push(close);
  return providers;
}

/** Calls `rest` and `backend.tick` at an interval, the latter never twice at a time. */
function startTicking(
  ms: number,
  backend: Backend,
  { log, rest }: { log: Log; rest: (() => void) | undefined },
): () => Promise<void> {
  let last = Promise.resolve();
  let isTicking = false;
  const timer = setInterval(() => {
    rest?.();
    if (isTicking) return;
    isTicking = true;
    last = backend
      .tick()
      .catch((error: unknown) => log("warn", "tick_failed", { error }))
      .finally(() => {
        isTicking = false;
      });
  }, ms);
  return async () => {
    clearInterval(timer);
    await last;
  };
}

/** Like `Promise.all`, but waits for all parts before it throws, so that everything that started can be stopped. */
async function waitForAll<T extends unknown[]>(parts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(parts);
  return (await Promise.all(parts)) as T;
}
