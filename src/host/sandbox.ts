import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Listener, listen } from "#backend/listen";
import type { Log } from "#backend/ports";
import type { SandboxProvider } from "#backend/services/catalogue";
import { Problem } from "#protocol/errors";
import { DROP_HEADER } from "#sandbox/controls/faults";
import { createSandbox } from "#sandbox/sandbox";
import { parseSeed } from "#sandbox/seed";

/** How long changes are collected before they are written, in ms. */
const SAVE_AFTER_MS = 100;

type SandboxHost = {
  /** Data folder; the sandbox's state lies in `sandbox.json` in it. */
  folder: string;
  /** File of `--seed`. */
  seed?: string;
  clock: { now(): number };
  random(bytes: number): Uint8Array;
  log: Log;
};

/** The sandbox with a loopback port per provider. Its state survives a restart, so that connections to it do too. */
export async function startSandbox(
  host: SandboxHost,
): Promise<{ providers: Record<string, SandboxProvider>; close(): Promise<void> }> {
  const file = join(host.folder, "sandbox.json");
  const seed = host.seed === undefined ? undefined : parseSeed(await readSeed(host.seed), host.seed);
  const saved = await readFile(file, "utf8")
    .then(JSON.parse)
    .catch(() => undefined);
  const saver = createSaver(file, host.log);
  const sandbox = createSandbox({ clock: host.clock, random: host.random, seed, saved, save: saver.save });
  const providers: Record<string, SandboxProvider> = {};
  const listeners: Listener[] = [];
  for (const [name, fetch] of Object.entries(sandbox.origins)) {
    const listener = await listen(fetch, { host: "127.0.0.1", port: 0, grace: 1_000, dropHeader: DROP_HEADER });
    listeners.push(listener);
    const { id, secret } = sandbox.clients[name as keyof typeof sandbox.clients];
    providers[name] = { origin: listener.url, client: { id, secret } };
  }
  return {
    providers,
    close: async () => {
      await Promise.all(listeners.map((listener) => listener.close()));
      await saver.flush();
    },
  };
}

async function readSeed(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code ?? "unreadable";
    throw new Problem("USAGE", `The seed ${path} cannot be read (${errno}).`, {
      hint: "Give --seed a YAML or JSON file.",
    });
  }
}

/** Writes the newest state, whole and one at a time. */
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
      .then(async () => {
        await writeFile(`${file}.tmp`, text, { mode: 0o600 });
        await rename(`${file}.tmp`, file);
      })
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
