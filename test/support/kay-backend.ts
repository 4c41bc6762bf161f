import { randomBytes } from "node:crypto";
import type { ModelSettings } from "#agent/models/decision";
import { createBackend } from "#backend/app";
import { DEFAULT_LIMITS } from "#backend/http/rate-limits";
import type { Backend, BackendPorts } from "#backend/ports";
import { configureServices } from "#connectors/catalogue";
import type { Fetch } from "#net/ports";
import { createSandbox, type Sandbox } from "#sandbox/sandbox";
import { BACKEND, createNetwork, type Network } from "./network.ts";
import { type VirtualClock, virtualClock } from "./virtual-clock.ts";

/** Noon of a day in 2026. */
const NOON = Date.UTC(2026, 10, 27, 12);

const ORIGINS = {
  atlassian: "http://127.0.0.1:4010",
  bitbucket: "http://127.0.0.1:4011",
  slack: "http://127.0.0.1:4012",
  github: "http://127.0.0.1:4013",
  google: "http://127.0.0.1:4014",
} as const;
type Provider = keyof typeof ORIGINS;

/** The default stand-ins of a backend. */
const USUAL: Provider[] = ["atlassian", "bitbucket"];

/**
 * The other side of a command line: the real backend over a real database, the real sandbox, and the network to them.
 */
export type Place = {
  clock: VirtualClock;
  network: Network;
  backend: Backend;
  /** Uses a control of a stand-in: `control("atlassian", "PUT /state", seed)`. */
  control(provider: Provider, call: string, body?: unknown): Promise<Record<string, unknown>>;
  /** The user's action at a consent page. Returns the status that the browser then shows. */
  consent(authorizationUrl: string, answer?: { decision?: "allow" | "deny"; account?: string }): Promise<number>;
};

export type PlaceOptions = {
  db: BackendPorts["db"];
  /** Whether `db` has a running query. */
  isUsed(): boolean;
  node: BackendPorts["node"];
  /** The stand-ins; Atlassian's and Bitbucket's unless given. */
  providers?: Provider[];
  /** Changes what is configured, for instance its tools. */
  services?(configured: BackendPorts["services"]): BackendPorts["services"];
  /** The backend's model settings; none by default. */
  model?: ModelSettings;
  localSecret?: string;
  /** A remote agent server answers instead of a model; `elsewhere` reaches it. */
  agent?: NonNullable<BackendPorts["agent"]>;
  /** Starts MCP servers that are programs. */
  starter?: NonNullable<BackendPorts["programs"]>;
  /** URL of the client metadata document, if the operator hosts one. */
  clientDocument?: string;
  /** Serves `/mcp` to programs. */
  mcp?: boolean;
  /** Answers besides the sandbox: a custom service. */
  elsewhere?: Fetch;
};

export function createPlace(options: PlaceOptions): Place {
  const {
    db,
    isUsed,
    node,
    providers = USUAL,
    services = (same) => same,
    model = { env: {} },
    localSecret,
    elsewhere,
    agent,
    starter,
    clientDocument,
    mcp,
  } = options;
  const clock = virtualClock(NOON);
  const network = createNetwork(clock);
  const sandbox = createSandbox({ clock, random: randomBytes });
  const standIns = Object.fromEntries(
    providers.map((name) => [name, { origin: ORIGINS[name], client: sandbox.clients[name] }]),
  );
  const backend = createBackend({
    db,
    node,
    leaveMs: 100,
    keys: {
      signing: [{ id: "s1", key: new Uint8Array(32).fill(1) }],
      sealing: [{ id: "k1", key: new Uint8Array(32).fill(2) }],
    },
    clock,
    log: () => {},
    fetch: (url, init) =>
      elsewhere && !names().some((name) => url.startsWith(`${ORIGINS[name]}/`))
        ? elsewhere(url, init)
        : standIn(sandbox, new Request(url, init)),
    ...(elsewhere ? { guarded: { fetch: elsewhere, addresses: async () => ["93.184.215.14"] } } : {}),
    services: services(configureServices({ clients: {}, sandbox: standIns })),
    model: () => model,
    publicUrl: BACKEND,
    // Its counters use real time, which hardly passes here.
    limits: { ...DEFAULT_LIMITS, requestsPerMinute: 1e6, sensitivePerMinute: 1e6 },
    version: "0.0.0-test",
    sandbox: true,
    ...(localSecret ? { localSecret } : {}),
    ...(agent ? { agent } : {}),
    ...(clientDocument ? { clientDocument } : {}),
    ...(starter ? { programs: starter } : {}),
    ...(mcp ? { mcp } : {}),
  });
  network.serve(BACKEND, (request) => backend.fetch(request));
  clock.whileWorking(() => backend.busy() > network.streaming());
  clock.whileUsing(isUsed);
  for (const name of names()) network.serve(ORIGINS[name], (request) => standIn(sandbox, request));
  const control: Place["control"] = async (provider, call, body = {}) => {
    const [method = "", path = ""] = call.split(" ");
    const url = `${ORIGINS[provider]}/_sandbox${path}`;
    const payload = method === "GET" ? {} : { body: JSON.stringify(body) };
    const answer = await standIn(sandbox, new Request(url, { method, ...payload }));
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${call} at ${provider}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const consent: Place["consent"] = async (authorizationUrl, { decision = "allow", account } = {}) => {
    const provider = names().find((name) => authorizationUrl.startsWith(ORIGINS[name])) ?? "atlassian";
    const answer = { authorization_url: authorizationUrl, decision, ...(account ? { account } : {}) };
    const { redirect_url } = await control(provider, "POST /consent", answer);
    return (await backend.fetch(new Request(String(redirect_url)))).status;
  };
  return {
    clock,
    network,
    backend,
    control,
    consent: (authorizationUrl, answer) => clock.during(consent(authorizationUrl, answer)),
  };
}

async function standIn(sandbox: Sandbox, request: Request): Promise<Response> {
  const name = names().find((provider) => ORIGINS[provider] === new URL(request.url).origin);
  if (!name) throw new TypeError(`nothing listens at ${request.url}`);
  return sandbox.origins[name](request, "127.0.0.1");
}

function names(): Provider[] {
  return Object.keys(ORIGINS) as Provider[];
}
