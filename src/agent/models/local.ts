import { listLmStudioModels } from "./lm-studio.ts";
import type { LocalPorts, LocalServer } from "./local-server.ts";
import { listOllamaModels } from "./ollama.ts";

/** Lists the model servers on this machine. */
export type LocalModels = () => Promise<LocalServer[]>;

/**
 * Creates the search for Ollama and LM Studio on their default ports (for Ollama, OLLAMA_HOST). The result, even an
 * empty one, is reused for one minute.
 */
export function createLocalModels(ports: LocalPorts): LocalModels {
  let last: { at: number; servers: Promise<LocalServer[]> } | undefined;
  return () => {
    const now = ports.clock.now();
    if (!last || now - last.at >= CACHE_MS) last = { at: now, servers: findServers(ports) };
    return last.servers;
  };
}

async function findServers(ports: LocalPorts): Promise<LocalServer[]> {
  const found = await Promise.all(
    [listOllamaModels(ports), listLmStudioModels(ports)].map((each) => each.catch(() => null)),
  );
  return found.filter((server) => server !== null);
}

const CACHE_MS = 60_000;
