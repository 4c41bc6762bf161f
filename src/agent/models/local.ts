import { listLmStudioModels } from "./lm-studio.ts";
import type { LocalPorts, LocalServer } from "./local-server.ts";
import { listOllamaModels } from "./ollama.ts";

/** What servers of models run on this machine. */
export type LocalModels = () => Promise<LocalServer[]>;

/**
 * Look for Ollama and LM Studio on their usual ports (Ollama where OLLAMA_HOST says), at most once a minute, and remember what was found,
 * nothing included.
 */
export function createLocalModels(ports: LocalPorts): LocalModels {
  let last: { at: number; servers: Promise<LocalServer[]> } | undefined;
  return () => {
    const now = ports.clock.now();
    if (!last || now - last.at >= REMEMBERED_MS) last = { at: now, servers: look(ports) };
    return last.servers;
  };
}

async function look(ports: LocalPorts): Promise<LocalServer[]> {
  const found = await Promise.all(
    [listOllamaModels(ports), listLmStudioModels(ports)].map((each) => each.catch(() => null)),
  );
  return found.filter((server) => server !== null);
}

const REMEMBERED_MS = 60_000;
