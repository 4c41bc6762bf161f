import type { Clock, Fetch } from "#backend/ports";
import { listLmStudioModels } from "./lm-studio.ts";
import { listOllamaModels } from "./ollama.ts";

/** One model of a server on this machine. */
export type LocalModel = {
  name: string;
  /** It can call tools and needs no other machine: it may answer without having been named. */
  usable: boolean;
  /** Tokens that it takes at once as it is loaded now. */
  contextWindow?: number;
};

/** A server of models that was found, with its models, the best first. */
export type LocalServer = { provider: "ollama" | "lmstudio"; url: string; models: LocalModel[] };

/** What servers of models run on this machine. */
export type LocalModels = () => Promise<LocalServer[]>;

export type LocalPorts = { fetch: Fetch; clock: Clock; env: Record<string, string | undefined> };

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
