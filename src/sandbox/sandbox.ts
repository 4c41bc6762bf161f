import { hash } from "node:crypto";
import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { createGrantRows, GrantRows } from "./oauth/grants.ts";
import type { Client } from "./oauth/token.ts";
import { createOrigin, type Origin } from "./origin.ts";
import type { Provider } from "./provider.ts";
import { buildState, checkSeed, PROVIDERS, type ProviderName } from "./seed.ts";

/** Ports of the sandbox. */
export type SandboxPorts = {
  clock: { now(): number };
  /** Cryptographic random bytes. */
  random(bytes: number): Uint8Array;
  /** A seed from `parseSeed`; undefined for the built-in world. */
  seed?: unknown;
  /** The last value passed to `save`, if any, so that issued tokens and changed state remain valid. */
  saved?: unknown;
  /**
   * Called with plain JSON at the end of every turn in which something changed. It has hashes of tokens, but client
   * secrets in plain text.
   */
  save?(state: unknown): void;
  /** Called with one sentence for each saved world that cannot be continued. */
  warn?(sentence: string): void;
};

/** The stand-ins, without sockets: `src/main.ts` gives each origin a loopback port. */
export type Sandbox = {
  /** One handler per provider origin; `address` is the peer's, for the controls. */
  origins: Record<ProviderName, Origin["fetch"]>;
  /** kay's client at each provider. */
  clients: Record<ProviderName, Client>;
};

const SavedOrigin = z.object({ seed: z.string(), world: z.unknown(), tokens: GrantRows });
const Saved = z.object({
  version: z.literal(1),
  clients: z.record(z.string(), z.object({ id: z.string(), secret: z.string() })),
  /** Each is checked separately, so that a damaged one does not affect the others. */
  origins: z.record(z.string(), z.unknown()),
});
type Saved = z.infer<typeof Saved>;

/**
 * Stand-ins for the services: real paths, payloads, errors, paging and OAuth, over worlds in memory. A saved world
 * continues as long as its seed is the same; another seed starts a new one and keeps only the client.
 *
 * @throws Problem USAGE for an invalid seed
 */
export function createSandbox(ports: SandboxPorts): Sandbox {
  const seed = ports.seed === undefined ? {} : checkSeed(ports.seed, "The seed");
  const saved = readSaved(ports);
  const names = Object.keys(PROVIDERS) as ProviderName[];
  const clients = record(names, (name) => saved.clients[name] ?? createClient(name, ports.random));
  const digests = record(names, (name) => computeDigest(seed[name] ?? "built-in"));
  const save = coalesce(() => ports.save?.(snapshot()));
  const origins: Record<ProviderName, Origin> = record(names, (name) =>
    createLazyOrigin(() =>
      start(PROVIDERS[name], {
        ports,
        changed: save,
        client: clients[name],
        seed: seed[name],
        saved: saved.origins[name],
        digest: digests[name],
      }),
    ),
  );
  const snapshot = (): Saved => ({
    version: 1,
    clients,
    origins: record(names, (name) => ({ seed: digests[name], ...structuredClone(origins[name].snapshot()) })),
  });
  save();
  return { origins: record(names, (name) => origins[name].fetch), clients };
}

type Start = {
  ports: SandboxPorts;
  changed(): void;
  client: Client;
  seed: unknown;
  saved: unknown;
  digest: string;
};

function start<World>(provider: Provider<World>, startOptions: Start): Origin {
  const { ports, changed, client, digest } = startOptions;
  const getNow = () => ports.clock.now();
  const seed = startOptions.seed ?? provider.builtIn;
  const check = (part: unknown) => buildState(provider, part, getNow(), "The state");
  const { reason, world = seed, tokens = createGrantRows() } = continueSaved(startOptions.saved, digest, check);
  if (reason !== undefined) {
    ports.warn?.(`The sandbox set the saved world of ${provider.title} aside and starts with a fresh one. ${reason}`);
  }
  const saved = { world, tokens };
  return createOrigin({ provider, client, seed, saved, check, now: getNow, random: ports.random, changed });
}

type SavedParts = { world?: unknown; tokens?: GrantRows; reason?: string };

/**
 * Returns the usable parts of a saved origin, and why the rest is set aside. Connections outlive a damaged world.
 */
function continueSaved(value: unknown, digest: string, check: (world: unknown) => unknown): SavedParts {
  if (value === undefined) return {};
  const { success, data } = SavedOrigin.safeParse(value);
  if (!success) return { reason: "It is damaged." };
  if (data.seed !== digest) return { reason: "It grew from another seed." };
  try {
    check(data.world);
    return data;
  } catch (error) {
    return { tokens: data.tokens, reason: error instanceof Problem ? error.message : "It is damaged." };
  }
}

/** Creates an origin that is built on first use, because building a world is slow and most are never used. */
function createLazyOrigin(build: () => Origin): Origin {
  let origin: Origin | undefined;
  const getOrigin = () => {
    origin ??= build();
    return origin;
  };
  return { fetch: async (...input) => getOrigin().fetch(...input), snapshot: () => getOrigin().snapshot() };
}

/** State of another version, or damaged state, is set aside: everything in the sandbox can be created again. */
function readSaved({ saved, warn }: SandboxPorts): Saved {
  const result = Saved.safeParse(saved);
  if (result.success) return result.data;
  if (saved !== undefined) warn?.("The sandbox set its saved worlds aside and starts afresh: they cannot be read.");
  return { version: 1, clients: {}, origins: {} };
}

function createClient(name: string, random: SandboxPorts["random"]): Client {
  return { id: `kay-sandbox-${name}`, secret: Buffer.from(random(24)).toString("base64url") };
}

/** Changes within one turn of the event loop are saved together. */
function coalesce(run: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      run();
    });
  };
}

function computeDigest(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "base64url");
}

function record<Name extends string, T>(names: Name[], make: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>;
}
