import type { LanguageModel } from "ai";
import type { Clock, Fetch } from "#net/ports";
import type { ModelSettings } from "./decision.ts";
import { decideModel, type ModelDecision } from "./decision.ts";
import { PROVIDERS } from "./providers.ts";

/** The model that answers, what to call it, and where the choice came from. */
export type SelectedModel = Omit<ModelDecision, "model"> & { model: LanguageModel };

/**
 * Choose the model for a generation, and load what it needs; {@link decideModel} says how.
 *
 * @throws Problem MODEL_NOT_CONFIGURED
 */
export async function selectModel(
  settings: ModelSettings,
  { fetch, clock }: { fetch: Fetch; clock: Clock },
): Promise<SelectedModel> {
  const decided = await decideModel(settings);
  if (decided.provider === "offline") {
    const { createPlanner } = await import("#planner/model");
    return { ...decided, model: createPlanner(() => clock.now()) };
  }
  const { env } = settings;
  const provider = PROVIDERS[decided.provider];
  const apiKey = provider.keys.map((variable) => env[variable]?.trim()).find(Boolean) ?? "";
  const baseURL = provider.baseUrl(env);
  return {
    ...decided,
    model: await provider.open({ model: decided.model, apiKey, baseURL, fetch: asFetch(fetch), env }),
  };
}

/**
 * The SDK calls `fetch` with strings, URLs or requests; the port takes addresses. The SDK's own limits begin with the first byte of an answer,
 * so the wait for that is limited here.
 */
function asFetch(fetch: Fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException("no answer", "TimeoutError")), SILENCE_LIMIT_MS);
    const signal = init?.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
    try {
      return await fetch(typeof input === "string" || input instanceof URL ? String(input) : input.url, {
        ...init,
        signal,
      });
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Long enough for a server that first has to load its model into memory. */
const SILENCE_LIMIT_MS = 120_000;
