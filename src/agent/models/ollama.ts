import * as z from "zod/mini";
import type { LocalModel, LocalPorts, LocalServer } from "./local-server.ts";
import { FIRST_BYTE_TIMEOUT_MS, fetchLocal, isModelName } from "./local-server.ts";

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
export async function listOllamaModels({ fetch, env }: LocalPorts): Promise<LocalServer> {
  const url = getOllamaUrl(env);
  const [{ models }, running] = await Promise.all([
    fetchLocal(fetch, `${url}/api/tags`, { schema: Tags, limitMs: FIRST_BYTE_TIMEOUT_MS }),
    fetchLocal(fetch, `${url}/api/ps`, { schema: Running, limitMs: FIRST_BYTE_TIMEOUT_MS }).catch(() => ({
      models: [],
    })),
  ]);
  const loaded = new Map(running.models.map(({ name, context_length }) => [name, context_length]));
  const known = models.filter(({ name }) => isModelName(name));
  const ordered = [...known.filter(({ name }) => loaded.has(name)), ...known.filter(({ name }) => !loaded.has(name))];
  const asked = await Promise.all(
    ordered.map(async (model, index): Promise<LocalModel> => {
      const usable = isLocal(model) && index < MAX_QUERIED_MODELS && (await canCallTools(fetch, url, model));
      const contextWindow = loaded.get(model.name);
      return { name: model.name, usable, ...(contextWindow ? { contextWindow } : {}) };
    }),
  );
  return { provider: "ollama", url, models: asked };
}

const Tag = z.looseObject({
  name: z.string(),
  remote_host: z.optional(z.string()),
  capabilities: z.optional(z.array(z.string())),
});
const Tags = z.looseObject({ models: z.array(Tag) });
const Running = z.looseObject({
  models: z.array(z.looseObject({ name: z.string(), context_length: z.optional(z.number()) })),
});
const Shown = z.looseObject({ capabilities: z.optional(z.array(z.string())) });

function isLocal({ name, remote_host }: z.output<typeof Tag>): boolean {
  return !remote_host && !/[:-]cloud$/.test(name);
}

/** Ollama before 0.6.4 does not report capabilities. Its models must be named. */
async function canCallTools(fetch: LocalPorts["fetch"], url: string, model: z.output<typeof Tag>): Promise<boolean> {
  const body = { model: model.name };
  const asked = { schema: Shown, limitMs: SHOW_LIMIT_MS, body };
  const shown = model.capabilities ? model : await fetchLocal(fetch, `${url}/api/show`, asked).catch(() => null);
  return shown?.capabilities?.includes("tools") ?? false;
}

const USUAL_HOST = "127.0.0.1";
const USUAL_PORT = "11434";

/** Longer than the first-byte limit, because the server is known to run. */
const SHOW_LIMIT_MS = 1_000;

/** Number of models whose capabilities are queried. Few machines have more, and others can be named. */
const MAX_QUERIED_MODELS = 8;
