import * as z from "zod/mini";
import type { Clock, Fetch } from "#net/ports";

/**
 * Sends a request to a server on this machine. The time limit is short, so that an absent server causes no visible
 * delay.
 *
 * @param schema the part of the response to read
 * @param limitMs time limit for the whole exchange
 * @throws on any failure; callers treat it as an absent server
 */
async function fetchLocal<T extends z.core.$ZodType>(
  fetch: Fetch,
  url: string,
  { schema, limitMs, body }: { schema: T; limitMs: number; body?: unknown },
): Promise<z.core.output<T>> {
  const signal = AbortSignal.timeout(limitMs);
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(url, { signal, redirect: "error", ...(body === undefined ? {} : post) });
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new Error(`HTTP ${answer.status}`);
  }
  return z.parse(schema, await answer.json());
}

/** Time limit for the first byte of a server that may be absent, in ms. */
const FIRST_BYTE_TIMEOUT_MS = 300;

/** Returns whether a name is safe to display and to send back. Models with other names are ignored. */
function isModelName(name: string): boolean {
  return /^[\w][\w.:/@+-]{0,199}$/.test(name);
}

/** A model of a server on this machine. */
export type LocalModel = {
  name: string;
  /** The model can call tools and runs on this machine, so it can be used without being named. */
  usable: boolean;
  /** Context window in tokens, as currently loaded. */
  contextWindow?: number;
};

/** A model server on this machine, with its models, the best one first. */
export type LocalServer = { provider: "ollama" | "lmstudio"; url: string; models: LocalModel[] };

export type LocalPorts = { fetch: Fetch; clock: Clock; env: Record<string, string | undefined> };

/**
 * Returns Ollama's address from OLLAMA_HOST, read as Ollama reads it: a host, a port, or both, with or without a
 * scheme. `0.0.0.0` is a listen address and means this machine.
 */
export function getOllamaUrl(env: Record<string, string | undefined>): string {
  const text = env.OLLAMA_HOST?.trim().replace(/(?<!\/)\/+$/, "") ?? "";
  const [, scheme = "http", rest = text] = /^(https?):\/\/(.*)$/i.exec(text) ?? [];
  const url = URL.parse(`${scheme}://${rest.startsWith(":") ? USUAL_HOST : ""}${rest || USUAL_HOST}`);
  if (!url) return `http://${USUAL_HOST}:${USUAL_PORT}`;
  if (["0.0.0.0", "[::]"].includes(url.hostname)) url.hostname = USUAL_HOST;
  // Without a scheme, Ollama defaults to its own port; with one, to the port of the scheme.
  if (rest === text && !/:\d+(\/|$)/.test(rest)) url.port = USUAL_PORT;
  return url.href.replace(/(?<!\/)\/+$/, "");
}

/**
 * Lists the models of Ollama on this machine: loaded models first, then the newest. Models that Ollama forwards to its
 * cloud are never usable, because the conversation would leave the machine without consent.
 *
 * @throws when the server cannot be reached
 */
async function listOllamaModels({ fetch, env }: LocalPorts): Promise<LocalServer> {
  const url = getOllamaUrl(env);
  const [{ models }, running] = await Promise.all([
    fetchLocal(fetch, `${url}/api/tags`, { schema: Tags, limitMs: FIRST_BYTE_TIMEOUT_MS }),
    fetchLocal(fetch, `${url}/api/ps`, { schema: RunningModels, limitMs: FIRST_BYTE_TIMEOUT_MS }).catch(() => ({
      models: [],
    })),
  ]);
  const loaded = new Map(running.models.map(({ name, context_length }) => [name, context_length]));
  const safeModels = models.filter(({ name }) => isModelName(name));
  const ordered = [
    ...safeModels.filter(({ name }) => loaded.has(name)),
    ...safeModels.filter(({ name }) => !loaded.has(name)),
  ];
  const details = await Promise.all(
    ordered.map(async (model, index): Promise<LocalModel> => {
      const usable = isLocal(model) && index < MAX_QUERIED_MODELS && (await canCallTools(fetch, url, model));
      const contextWindow = loaded.get(model.name);
      return { name: model.name, usable, ...(contextWindow ? { contextWindow } : {}) };
    }),
  );
  return { provider: "ollama", url, models: details };
}

const Tag = z.looseObject({
  name: z.string(),
  remote_host: z.optional(z.string()),
  capabilities: z.optional(z.array(z.string())),
});
const Tags = z.looseObject({ models: z.array(Tag) });
const RunningModels = z.looseObject({
  models: z.array(z.looseObject({ name: z.string(), context_length: z.optional(z.number()) })),
});
const ModelDetails = z.looseObject({ capabilities: z.optional(z.array(z.string())) });

function isLocal({ name, remote_host }: z.output<typeof Tag>): boolean {
  return !remote_host && !/[:-]cloud$/.test(name);
}

/** Ollama before 0.6.4 does not report capabilities. Its models must be named. */
async function canCallTools(fetch: LocalPorts["fetch"], url: string, model: z.output<typeof Tag>): Promise<boolean> {
  const body = { model: model.name };
  const request = { schema: ModelDetails, limitMs: SHOW_LIMIT_MS, body };
  const details = model.capabilities ? model : await fetchLocal(fetch, `${url}/api/show`, request).catch(() => null);
  return details?.capabilities?.includes("tools") ?? false;
}

const USUAL_HOST = "127.0.0.1";
const USUAL_PORT = "11434";

/** Longer than the first-byte limit, because the server is known to run. */
const SHOW_LIMIT_MS = 1_000;

/** Number of models whose capabilities are queried. Few machines have more, and others can be named. */
const MAX_QUERIED_MODELS = 8;

/** Default address of LM Studio's server. */
export const LM_STUDIO_URL = "http://127.0.0.1:1234";

/**
 * Lists the models of LM Studio (0.4 or later, REST API v1). Only a loaded model can be used without being named,
 * because loading another one takes memory.
 *
 * @throws when the server cannot be reached
 */
async function listLmStudioModels({ fetch }: LocalPorts): Promise<LocalServer> {
  const url = `${LM_STUDIO_URL}/api/v1/models`;
  const { models } = await fetchLocal(fetch, url, { schema: Models, limitMs: FIRST_BYTE_TIMEOUT_MS });
  const localModels = models.filter(({ type, key }) => type === "llm" && isModelName(key)).map(toLocalModel);
  return {
    provider: "lmstudio",
    url: LM_STUDIO_URL,
    models: [...localModels.filter(({ usable }) => usable), ...localModels.filter(({ usable }) => !usable)],
  };
}

const Instance = z.looseObject({ config: z.optional(z.looseObject({ context_length: z.optional(z.number()) })) });
const Model = z.looseObject({
  type: z.string(),
  key: z.string(),
  loaded_instances: z.optional(z.array(Instance)),
  capabilities: z.optional(z.looseObject({ trained_for_tool_use: z.optional(z.boolean()) })),
});
const Models = z.looseObject({ models: z.array(Model) });

function toLocalModel({ key, loaded_instances: [loaded] = [], capabilities }: z.output<typeof Model>): LocalModel {
  const contextWindow = loaded?.config?.context_length;
  const usable = loaded !== undefined && capabilities?.trained_for_tool_use === true;
  return { name: key, usable, ...(contextWindow ? { contextWindow } : {}) };
}

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
  const servers = await Promise.all(
    [listOllamaModels(ports), listLmStudioModels(ports)].map((search) => search.catch(() => null)),
  );
  return servers.filter((server) => server !== null);
}

const CACHE_MS = 60_000;
