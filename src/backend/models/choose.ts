import type { LanguageModel } from "ai";
import { Problem } from "#protocol/errors";
import type { BackendPorts, Clock, Fetch, ModelSettings } from "../ports.ts";
import { isProvider, PROVIDER_ORDER, PROVIDERS, type Provider, type ProviderName } from "./providers.ts";

/** The model that answers, what to call it, and where the choice came from. */
export type ChosenModel = { model: LanguageModel; label: string; source: ModelSource };

/** `settings`: somebody named it. A variable: its key was in the environment. `offline`: nothing is configured. */
type ModelSource = "settings" | "offline" | (string & {});

/**
 * Choose the model for a generation. Named in the settings (`provider:model`, or only `provider` for its default model) it is that one or
 * an error; otherwise the first provider with a key in the environment, in the order OpenAI, Anthropic, Google, OpenAI-compatible; otherwise
 * the offline planner. `offline` as a name chooses the planner although keys are there.
 *
 * @throws Problem MODEL_NOT_CONFIGURED when the named provider has no key (the guide's sentence) or is unknown
 */
export async function chooseModel(
  settings: ModelSettings,
  { fetch, clock }: Pick<BackendPorts, "fetch" | "clock">,
): Promise<ChosenModel> {
  const named = settings.model?.trim();
  if (named === "offline") return await offline("settings", clock);
  if (named) return await namedModel(named, settings, fetch);
  for (const name of PROVIDER_ORDER) {
    const provider = PROVIDERS[name];
    const source = provider.detect.find((variable) => settings.env[variable]?.trim());
    const model = provider.defaultModel(settings.env);
    if (source && model) return { ...(await open(provider, model, settings, fetch)), source };
  }
  return await offline("offline", clock);
}

async function namedModel(named: string, settings: ModelSettings, fetch: Fetch): Promise<ChosenModel> {
  const colon = named.indexOf(":");
  const name = colon < 0 ? named : named.slice(0, colon);
  if (!isProvider(name)) throw unknownProvider(name);
  const provider = PROVIDERS[name];
  const model = colon < 0 ? provider.defaultModel(settings.env) : named.slice(colon + 1).trim();
  if (!model) {
    throw new Problem("MODEL_NOT_CONFIGURED", `No model is named for ${provider.title}.`, {
      hint: `Name one: \`kay config set model ${name}:<model>\`.`,
    });
  }
  return { ...(await open(provider, model, settings, fetch)), source: "settings" };
}

async function open(
  provider: Provider,
  model: string,
  { env }: ModelSettings,
  fetch: Fetch,
): Promise<{ model: LanguageModel; label: string }> {
  const key = provider.keys.map((variable) => env[variable]?.trim()).find(Boolean);
  if (!key && provider.keyRequired) {
    throw new Problem("MODEL_NOT_CONFIGURED", `${provider.title} API key is not configured`, {
      hint: `Set ${provider.keys[0]}, or \`kay config unset model\` for the offline planner.`,
    });
  }
  const baseURL = provider.baseUrl(env);
  if (provider.keyRequired === false && !baseURL) {
    throw new Problem("MODEL_NOT_CONFIGURED", `The address of the ${provider.title} endpoint is not configured`, {
      hint: `Set ${provider.detect[0]} to it, for example http://127.0.0.1:8000/v1.`,
    });
  }
  const opened = await provider.open({ model, apiKey: key ?? "", baseURL, fetch: asFetch(fetch) });
  return { model: opened, label: `${provider.title} ${model}` };
}

async function offline(source: ModelSource, clock: Clock): Promise<ChosenModel> {
  const { createPlanner } = await import("./planner/model.ts");
  return { model: createPlanner(() => clock.now()), label: "Offline planner", source };
}

function unknownProvider(name: string): Problem {
  const known = (Object.keys(PROVIDERS) as ProviderName[]).join(", ");
  return new Problem("MODEL_NOT_CONFIGURED", `There is no model provider “${name}”.`, {
    hint: `Use one of ${known}, as in \`kay config set model openai:gpt-6-astra\`, or offline.`,
  });
}

/** The SDK calls `fetch` with strings, URLs or requests; the port takes addresses. */
function asFetch(fetch: Fetch): typeof globalThis.fetch {
  return async (input, init) =>
    await fetch(typeof input === "string" || input instanceof URL ? String(input) : input.url, init);
}
