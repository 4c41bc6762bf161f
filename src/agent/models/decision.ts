import { Problem } from "#protocol/errors";
import type { ModelView } from "#protocol/model";
import type { LocalModel, LocalModels, LocalServer } from "./local-servers.ts";
import { isProvider, PROVIDER_ORDER, PROVIDERS, type ProviderName } from "./providers.ts";

/** The chosen model, decided before any of its code is loaded. */
export type ModelDecision = {
  provider: ProviderName | "offline";
  /** The provider's name for the model; empty for the planner. */
  model: string;
  /** The name used in settings: `openai:gpt-6-astra`, `offline`. */
  name: string;
  /** The name shown to users: `OpenAI gpt-6-astra`. */
  label: string;
  source: ModelView["source"];
  /** The source of the choice: a variable, a setting, or where the model was found. */
  where?: string;
  contextWindow?: number;
};

/**
 * Decides which model answers. A model named in the settings (`provider:model`, or `provider` for its default model) is
 * used or fails. Otherwise the first provider with a key in the environment is used, then a model server on this
 * machine, then the offline planner. The name `offline` always chooses the planner.
 *
 * @throws Problem MODEL_NOT_CONFIGURED when the named provider is unknown or lacks a key or an address
 */
export async function decideModel(settings: ModelSettings): Promise<ModelDecision> {
  const modelName = settings.model?.trim();
  if (modelName) return await decideNamedModel(modelName, settings);
  for (const provider of PROVIDER_ORDER) {
    const { detect, defaultModel } = PROVIDERS[provider];
    const where = detect.find((variable) => settings.env[variable]?.trim());
    const model = defaultModel(settings.env);
    if (!where || !model) continue;
    throwProblem(findMissingConfig(provider, settings));
    return { ...buildDecision(provider, model), source: "environment", where };
  }
  return (await findLocalModel(settings)) ?? { ...OFFLINE, source: "none" };
}

/** Returns the problem if a provider lacks a key or an address, or null. */
export function findMissingConfig(provider: ProviderName, { env }: ModelSettings): Problem | null {
  const { title, keys, keyRequired, detect, baseUrl } = PROVIDERS[provider];
  if (keyRequired && !keys.some((variable) => env[variable]?.trim())) {
    return new Problem("MODEL_NOT_CONFIGURED", `${title} API key is not configured`, {
      hint: `Set ${keys[0]}, or run \`kay config unset model\` to use the offline planner.`,
    });
  }
  if (keyRequired || baseUrl(env)) return null;
  return new Problem("MODEL_NOT_CONFIGURED", `The address of the ${title} endpoint is not configured`, {
    hint: `Set ${detect[0]} to the address, for example http://127.0.0.1:8000/v1.`,
  });
}

/** Returns the model of a local server that can be used without being named in the settings. */
export function findUsableModel({ models }: LocalServer): LocalModel | undefined {
  return models.find(({ usable }) => usable);
}

async function decideNamedModel(modelName: string, settings: ModelSettings): Promise<ModelDecision> {
  const source = { source: "settings", ...(settings.where ? { where: settings.where } : {}) } as const;
  if (modelName === "offline") return { ...OFFLINE, ...source };
  const colon = modelName.indexOf(":");
  const provider = colon < 0 ? modelName : modelName.slice(0, colon);
  if (!isProvider(provider)) throw unknownProviderProblem(provider);
  const model = colon < 0 ? PROVIDERS[provider].defaultModel(settings.env) : modelName.slice(colon + 1).trim();
  throwProblem(findMissingConfig(provider, settings));
  if (model) return { ...buildDecision(provider, model), ...source };
  const local = await findLocalModel(settings, provider);
  if (local) return { ...local, ...source };
  throw new Problem("MODEL_NOT_CONFIGURED", `No model is specified for ${PROVIDERS[provider].title}.`, {
    hint: `Specify one: \`kay config set model ${provider}:<model>\`.`,
  });
}

async function findLocalModel(
  { local }: ModelSettings,
  onlyProvider?: ProviderName,
): Promise<ModelDecision | undefined> {
  const servers = (await local?.()) ?? [];
  for (const server of servers.filter(({ provider }) => onlyProvider === undefined || provider === onlyProvider)) {
    const model = findUsableModel(server);
    if (!model) continue;
    const window = model.contextWindow ? { contextWindow: model.contextWindow } : {};
    return { ...buildDecision(server.provider, model.name), source: "found", where: server.url, ...window };
  }
  return undefined;
}

function buildDecision(provider: ProviderName, model: string) {
  return { provider, model, name: `${provider}:${model}`, label: `${PROVIDERS[provider].title} ${model}` };
}

function throwProblem(problem: Problem | null): void {
  if (problem) throw problem;
}

function unknownProviderProblem(name: string): Problem {
  return new Problem("MODEL_NOT_CONFIGURED", `Unknown model provider “${name}”.`, {
    hint: `Use one of ${PROVIDER_ORDER.join(", ")}, as in \`kay config set model openai:gpt-6-astra\`, or offline.`,
  });
}

const OFFLINE = { provider: "offline", model: "", name: "offline", label: "Offline planner" } as const;

/** The settings that choose the model. They are read for each generation, so a change needs no restart. */
export type ModelSettings = {
  /**
   * `openai:gpt-5`, `anthropic:…`, `google:…`, `openai-compatible:…`, `ollama:…` or `offline`; empty chooses
   * automatically.
   */
  model?: string;
  /** The source of the name, shown to users: `KAY_MODEL`, `model of profile work`. */
  where?: string;
  /** Environment variables of the providers, such as OPENAI_API_KEY and OPENAI_BASE_URL. */
  env: Record<string, string | undefined>;
  /** Finds model servers on this machine. Without it, none are searched for. */
  local?: LocalModels;
};
