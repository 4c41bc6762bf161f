import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { type Listener, type ListenOptions, listen } from "#backend/http/listen";
import type { SandboxProvider } from "#connectors/catalogue";
import { writeWholeFile } from "#files/replace-file";
import { Problem } from "#protocol/errors";
import { DROP_HEADER } from "#sandbox/controls/faults";
import { createSandbox } from "#sandbox/sandbox";
import { parseSeed } from "#sandbox/seed";
import type { Log } from "#telemetry/log";

/** How long changes are collected before they are written, in ms. */
const SAVE_AFTER_MS = 100;

type SandboxHost = {
  /** Data folder; the state of the sandbox is in its `sandbox.json`. */
  folder: string;
  /** File passed to `--seed`. */
  seed?: string;
  clock: { now(): number };
  random(bytes: number): Uint8Array;
  log: Log;
};

/**
 * Starts the sandbox with a loopback port for each provider. Its state survives a restart, and so do connections to it.
 */
export async function startSandbox(
  host: SandboxHost,
): Promise<{ providers: Record<string, SandboxProvider>; close(): Promise<void> }> {
  const file = join(host.folder, "sandbox.json");
  const portsFile = join(host.folder, "sandbox-ports.json");
  const seed = host.seed === undefined ? undefined : parseSeed(await readSeed(host.seed), host.seed);
  const saved = await readSaved(file);
  const saver = createSaver(file, host.log);
  const sandbox = createSandbox({
    clock: host.clock,
    random: host.random,
    seed,
    saved,
    save: saver.save,
    warn: (message) => host.log("warn", "sandbox.world_set_aside", { message }),
  });
  // Prefers the ports of the last run, because stored connections link to the sandbox's pages.
  const ports = await readPorts(portsFile);
  const options = { host: "127.0.0.1", grace: 1_000, dropHeader: DROP_HEADER };
  const listening = Object.entries(sandbox.origins).map(async ([name, fetch]) => {
    const listener = await listenPreferably(fetch, { ...options, port: ports[name] ?? 0 });
    return { name: name as keyof typeof sandbox.clients, listener };
  });
  const providers: Record<string, SandboxProvider> = {};
  const listeners: Listener[] = [];
  for (const { name, listener } of await Promise.all(listening)) {
    ports[name] = listener.port;
    listeners.push(listener);
    const { id, secret } = sandbox.clients[name];
    providers[name] = { origin: listener.url, client: { id, secret } };
  }
  await writeWholeFile(portsFile, JSON.stringify(ports)).catch((error: unknown) =>
    host.log("warn", "sandbox.ports_not_saved", { error }),
  );
  return {
    providers,
    close: async () => {
      await Promise.all(listeners.map((listener) => listener.close()));
      await saver.flush();
    },
  };
}

/** Returns the saved state; undefined without one, or the text of a file that is not JSON, which the sandbox sets aside. */
async function readSaved(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  try {
    return text && JSON.parse(text);
  } catch {
    return text;
  }
}

async function readPorts(file: string): Promise<Record<string, number>> {
  const saved: unknown = await readFile(file, "utf8")
    .then(JSON.parse)
    .catch(() => null);
  const isPort = (value: unknown) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
  const entries = typeof saved === "object" && saved !== null ? Object.entries(saved) : [];
  return Object.fromEntries(entries.filter(([, port]) => isPort(port)));
}

async function readSeed(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code ?? "unreadable";
    throw new Problem("USAGE", `Could not read the seed file ${path} (${errno}).`, {
      hint: "Pass a YAML or JSON file to --seed.",
    });
  }
}

/** Creates a writer that saves the newest state atomically, one write at a time. */
function createSaver(file: string, log: Log): { save(state: unknown): void; flush(): Promise<void> } {
  let pending: unknown;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (pending === undefined) return;
    const text = JSON.stringify(pending);
    pending = undefined;
    writing = writing
      .then(() => writeWholeFile(file, text))
      .catch((error: unknown) => log("warn", "sandbox.not_saved", { error }));
  };
  return {
    save: (state) => {
      pending = state;
      timer ??= setTimeout(write, SAVE_AFTER_MS);
    },
    flush: () => {
      write();
      return writing;
    },
  };
}

/** Listens on the requested port, or on a free one if that is taken. */
export async function listenPreferably(fetch: Parameters<typeof listen>[0], options: ListenOptions): Promise<Listener> {
  try {
    return await listen(fetch, options);
  } catch (error) {
    if (!(error instanceof Problem) || options.port === 0) throw error;
    return listen(fetch, { ...options, port: 0 });
  }
}

const Providers = z.record(
  z.string(),
  z.object({ origin: z.url(), client: z.object({ id: z.string(), secret: z.string() }) }),
);

/**
 * Writes the origins and clients of a sandbox to a private file, for nodes that share it.
 *
 * @returns the path of the file
 */
export async function publishSandbox(folder: string, providers: Record<string, SandboxProvider>): Promise<string> {
  const file = join(folder, "sandbox-clients.json");
  await writeWholeFile(file, JSON.stringify(providers));
  return file;
}

/** Reads the file of a sandbox in another process (`kay serve --sandbox-only`). @throws Problem STORE_UNREADABLE */
export async function readSharedSandbox(file: string): Promise<Record<string, SandboxProvider>> {
  try {
    return Providers.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    throw new Problem("STORE_UNREADABLE", `KAY_SANDBOX is not a sandbox file: ${file}.`, {
      hint: "Run `kay serve --sandbox-only`, which prints the path of its file.",
      cause,
    });
  }
}
