import { Problem } from "#protocol/errors";
import type { ModelView } from "#protocol/model";
import type { LocalModels } from "./local.ts";
import type { LocalModel, LocalServer } from "./local-server.ts";
import { isProvider, PROVIDER_ORDER, PROVIDERS, type ProviderName } from "./providers.ts";

/** Which model answers, before anything of it is loaded. */
export type ModelDecision = {
  provider: ProviderName | "offline";
  /** As its provider calls it; empty for the planner. */
  model: string;
  /** As it is set: `openai:gpt-6-astra`, `offline`. */
  name: string;
  /** For people: `OpenAI gpt-6-astra`. */
  label: string;
  source: ModelView["source"];
  /** What named it: a variable, a setting, or where it was found. */
  where?: string;
  contextWindow?: number;
};

/**
 * Decide which model answers. One that is named in the settings (`provider:model`, or only `provider` for its default model) is it, or an
 * error; otherwise the first provider with a key in the environment, in the order OpenAI, Anthropic, Google, OpenAI-compatible; otherwise
 * a model that a server on this machine offers; otherwise the offline planner. `offline` as a name chooses the planner whatever is there.
 *
 * @throws Problem MODEL_NOT_CONFIGURED when the named provider is unknown or lacks something (for a key, the guide's sentence)
 */
export async function decideModel(settings: ModelSettings): Promise<ModelDecision> {
  const named = settings.model?.trim();
  if (named) return await namedModel(named, settings);
  for (const provider of PROVIDER_ORDER) {
    const { detect, defaultModel } = PROVIDERS[provider];
    const where = detect.find((variable) => settings.env[variable]?.trim());
    const model = defaultModel(settings.env);
    if (!where || !model) continue;
    throwIf(findMissingConfig(provider, settings));
    return { ...decision(provider, model), source: "environment", where };
  }
  return (await foundModel(settings)) ?? { ...OFFLINE, source: "none" };
}

/** Why a provider cannot be asked, or null. */
export function findMissingConfig(provider: ProviderName, { env }: ModelSettings): Problem | null {
  const { title, keys, keyRequired, detect, baseUrl } = PROVIDERS[provider];
  if (keyRequired && !keys.some((variable) => env[variable]?.trim())) {
    return new Problem("MODEL_NOT_CONFIGURED", `${title} API key is not configured`, {
      hint: `Set ${keys[0]}, or \`kay config unset model\` for the offline planner.`,
    });
  }
  if (keyRequired || baseUrl(env)) return null;
  return new Problem("MODEL_NOT_CONFIGURED", `The address of the ${title} endpoint is not configured`, {
    hint: `Set ${detect[0]} to it, for example http://127.0.0.1:8000/v1.`,
  });
}

/** The model of a server on this machine that may answer without having been named. */
export function findUsableModel({ models }: LocalServer): LocalModel | undefined {
  return models.find(({ usable }) => usable);
}

async function namedModel(named: string, settings: ModelSettings): Promise<ModelDecision> {
  const source = { source: "settings", ...(settings.where ? { where: settings.where } : {}) } as const;
  if (named === "offline") return { ...OFFLINE, ...source };
  const colon = named.indexOf(":");
  const provider = colon < 0 ? named : named.slice(0, colon);
  if (!isProvider(provider)) throw unknownProvider(provider);
  const model = colon < 0 ? PROVIDERS[provider].defaultModel(settings.env) : named.slice(colon + 1).trim();
  throwIf(findMissingConfig(provider, settings));
  if (model) return { ...decision(provider, model), ...source };
  const found = await foundModel(settings, provider);
  if (found) return { ...found, ...source };
  throw new Problem("MODEL_NOT_CONFIGURED", `No model is named for ${PROVIDERS[provider].title}.`, {
    hint: `Name one: \`kay config set model ${provider}:<model>\`.`,
  });
}

async function foundModel({ local }: ModelSettings, wanted?: ProviderName): Promise<ModelDecision | undefined> {
  const servers = (await local?.()) ?? [];
  for (const server of servers.filter(({ provider }) => wanted === undefined || provider === wanted)) {
    const model = findUsableModel(server);
    if (!model) continue;
    const window = model.contextWindow ? { contextWindow: model.contextWindow } : {};
    return { ...decision(server.provider, model.name), source: "found", where: server.url, ...window };
  }
  return undefined;
}

function decision(provider: ProviderName, model: string) {
  return { provider, model, name: `${provider}:${model}`, label: `${PROVIDERS[provider].title} ${model}` };
}

function throwIf(problem: Problem | null): void {
  if (problem) throw problem;
}

function unknownProvider(name: string): Problem {
  return new Problem("MODEL_NOT_CONFIGURED", `There is no model provider “${name}”.`, {
    hint: `Use one of ${PROVIDER_ORDER.join(", ")}, as in \`kay config set model openai:gpt-6-astra\`, or offline.`,
  });
}

const OFFLINE = { provider: "offline", model: "", name: "offline", label: "Offline planner" } as const;

/** Which model answers, decided anew for each generation so that a changed setting needs no restart. */
export type ModelSettings = {
  /** `openai:gpt-5`, `anthropic:…`, `google:…`, `openai-compatible:…`, `ollama:…`, `offline`; empty leaves it to what is there. */
  model?: string;
  /** What named it, for people: `KAY_MODEL`, `model of profile work`. */
  where?: string;
  /** Environment of the providers: OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_BASE_URL … */
  env: Record<string, string | undefined>;
  /** Looks for servers of models on this machine; absent, nothing is looked for. */
  local?: LocalModels;
};
