import { Problem } from "#protocol/errors";
import type { ModelView, ProviderView } from "#protocol/model";
import type { ModelSettings } from "./decision.ts";
import { decideModel, findMissingConfig, findUsableModel, type ModelDecision } from "./decision.ts";
import type { LocalServer } from "./local-servers.ts";
import { PROVIDER_ORDER, PROVIDERS, type ProviderName } from "./providers.ts";

/**
 * Describes which model answers, why, and which others are available. A named model that cannot answer has a `problem`.
 */
export async function describeModel(settings: ModelSettings): Promise<ModelView> {
  const available = await listProviders(settings);
  try {
    const decision = await decideModel(settings);
    const { name, label, source, where, contextWindow } = decision;
    return {
      name,
      label,
      offline: decision.provider === "offline",
      source,
      ...(where ? { where } : {}),
      why: explainDecision(decision),
      ...(contextWindow ? { context_window: contextWindow } : {}),
      available,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, hint } = error;
    const name = settings.model?.trim() ?? "";
    const { where } = settings;
    const base = { name, label: name, offline: false, source: "settings", ...(where ? { where } : {}) } as const;
    return { ...base, why: explainNamedModel(where), problem: { code, message, hint }, available };
  }
}

function explainDecision({ source, where, provider }: ModelDecision): string {
  if (source === "settings") return explainNamedModel(where);
  if (source === "environment") return `${where} is set in the backend's environment.`;
  if (source === "found" && provider !== "offline") {
    return `${PROVIDERS[provider].title} was found at ${where}, and no other model is configured.`;
  }
  return "No model is configured, no provider key is set, and no local model server was found.";
}

function explainNamedModel(where: string | undefined): string {
  return `Set by ${where ?? "the backend's settings"}.`;
}

async function listProviders(settings: ModelSettings): Promise<ProviderView[]> {
  const servers = (await settings.local?.()) ?? [];
  const planner = {
    name: "offline",
    title: "Offline planner",
    ready: true,
    note: "Needs no configuration.",
    models: ["offline"],
  };
  const views = PROVIDER_ORDER.map((name) => {
    const server = servers.find(({ provider }) => provider === name);
    return PROVIDERS[name].local ? toLocalView(name, settings, server) : toKeyView(name, settings);
  });
  return [...views, planner];
}

function toKeyView(name: ProviderName, settings: ModelSettings): ProviderView {
  const { title, keys, keyRequired, detect, defaultModel } = PROVIDERS[name];
  const model = defaultModel(settings.env);
  const variables = keyRequired ? keys : detect;
  const setVariable = variables.find((variable) => settings.env[variable]?.trim());
  const ready = findMissingConfig(name, settings) === null;
  return {
    name,
    title,
    ready,
    note: ready ? `${setVariable} is set.` : `Set ${variables.join(" or ")}.`,
    models: model ? [`${name}:${model}`] : [],
  };
}

function toLocalView(name: ProviderName, { env }: ModelSettings, server: LocalServer | undefined): ProviderView {
  const { title, defaultModel } = PROVIDERS[name];
  const configuredModel = defaultModel(env);
  const localModels = [...(server?.models ?? [])].sort((a, b) => Number(b.usable) - Number(a.usable));
  const models = [
    ...new Set([...(configuredModel ? [configuredModel] : []), ...localModels.map((model) => model.name)]),
  ];
  const ready = server !== undefined && (configuredModel !== undefined || findUsableModel(server) !== undefined);
  return {
    name,
    title,
    ready,
    note: formatLocalNote(title, server, ready),
    models: models.map((model) => `${name}:${model}`),
  };
}

function formatLocalNote(title: string, server: LocalServer | undefined, ready: boolean): string {
  if (!server) return `${title} was not found; start it to use it.`;
  return ready ? `Found at ${server.url}.` : `Found at ${server.url}, but no model is known to call tools.`;
}
