import { findMissingConfig, findUsableModel, type ModelSettings } from "./decision.ts";
import { PROVIDER_ORDER, PROVIDERS } from "./providers.ts";

/** Says in a sentence how to get a language model on this machine: one that is here already, a found server, or a key. */
export async function adviseModel(settings: ModelSettings): Promise<string> {
  const { env } = settings;
  const keyed = PROVIDER_ORDER.find((name) => {
    const { local, keys } = PROVIDERS[name];
    return !local && keys.some((key) => env[key]?.trim()) && findMissingConfig(name, settings) === null;
  });
  if (keyed) return `To use a language model, run \`kay config set model ${keyed}\`: its key is set.`;
  const servers = (await settings.local?.()) ?? [];
  for (const server of servers) {
    const { title } = PROVIDERS[server.provider];
    const model = findUsableModel(server);
    if (model)
      return `To use a language model, run \`kay config set model ${server.provider}:${model.name}\`: ${title} has it here.`;
    return `To use a language model, add one that calls tools to ${title}, which runs here; see \`kay model list\`.`;
  }
  return "To use a language model, set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama; see `kay model list`.";
}
