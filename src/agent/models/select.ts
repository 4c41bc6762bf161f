import type { LanguageModel } from "ai";
import { getRedirectTarget, isFollowable } from "#connectors/mcp/transport/redirect";
import type { Clock, Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";
import { movedProblem, webPageProblem } from "../steps/model-problem.ts";
import { decideModel, findMissingConfig, findUsableModel, type ModelDecision, type ModelSettings } from "./decision.ts";
import { findModelKey, type ModelKey } from "./key.ts";
import { PROVIDER_ORDER, PROVIDERS } from "./providers.ts";

/** The chosen model, its label, its key, and the source of the choice. */
export type SelectedModel = Omit<ModelDecision, "model"> & { model: LanguageModel; key?: ModelKey };

/**
 * Chooses the model for a generation as {@link decideModel} describes, and loads its SDK.
 * @param structured whether the answer must match a JSON Schema, which the offline planner cannot do
 *
 * @throws Problem MODEL_NOT_CONFIGURED
 */
export async function selectModel(
  settings: ModelSettings,
  { fetch, clock }: { fetch: Fetch; clock: Clock },
  structured = false,
): Promise<SelectedModel> {
  const decision = await decideModel(settings);
  if (decision.provider === "offline") {
    const hint = await adviseModel(settings);
    if (structured)
      throw new Problem(
        "MODEL_NOT_CONFIGURED",
        "The offline planner answers in words; --output-schema needs a language model.",
        { hint },
      );
    const { createPlanner } = await import("#planner/model");
    return { ...decision, model: createPlanner(() => clock.now(), hint) };
  }
  const { env } = settings;
  const provider = PROVIDERS[decision.provider];
  const apiKey = provider.keys.map((variable) => env[variable]?.trim()).find(Boolean) ?? "";
  const baseURL = provider.baseUrl(env);
  const key = findModelKey(provider.keys, env);
  return {
    ...decision,
    ...(key ? { key } : {}),
    model: await provider.open({
      model: decision.model,
      apiKey,
      baseURL,
      fetch: toSdkFetch(fetch, decision.label),
      env,
    }),
  };
}

/**
 * Adapts the fetch port to the SDK, which passes strings, URLs or requests. The SDK's time limits start with the first
 * byte, so the wait for that byte is limited here.
 */
function toSdkFetch(fetch: Fetch, label: string): typeof globalThis.fetch {
  return async (input, init) => {
    const timeoutController = new AbortController();
    const timer = setTimeout(
      () => timeoutController.abort(new DOMException("no answer", "TimeoutError")),
      SILENCE_LIMIT_MS,
    );
    const signal = init?.signal ? AbortSignal.any([init.signal, timeoutController.signal]) : timeoutController.signal;
    try {
      const url = typeof input === "string" || input instanceof URL ? String(input) : input.url;
      const response = await followWithin(fetch, url, { ...init, signal, redirect: "manual" }, label);
      if (!response.ok || !/^text\/html\b/i.test(response.headers.get("content-type") ?? "")) return response;
      await response.body?.cancel();
      throw webPageProblem(label);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Follows a redirect within the origin only: another one would get the key and the conversation. */
async function followWithin(fetch: Fetch, url: string, init: RequestInit, label: string): Promise<Response> {
  const response = await fetch(url, init);
  const address = new URL(url);
  const target = getRedirectTarget(response, address);
  if (target === undefined) return response;
  await response.body?.cancel();
  const method = init.method ?? "GET";
  if (!isFollowable(response, target, { asked: address, method })) throw movedProblem(label, target);
  return await fetch(target.href, { ...init, redirect: "error" });
}

/** Long enough for a server that must first load its model into memory. */
const SILENCE_LIMIT_MS = 120_000;

/** Returns a sentence on how to get a language model: with a key that is set, a model server that runs, or a new key. */
async function adviseModel(settings: ModelSettings): Promise<string> {
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
