import type { LanguageModel } from "ai";
import { LM_STUDIO_URL } from "./lm-studio.ts";
import { getOllamaUrl } from "./ollama.ts";

type Env = Record<string, string | undefined>;
type Opening = {
  model: string;
  apiKey: string;
  baseURL: string | undefined;
  fetch: typeof globalThis.fetch;
  env: Env;
};

/** A provider of models, as data. Its SDK is loaded only when it is used. */
export type Provider = {
  title: string;
  /** Variables that hold its key, the first one found counts. */
  keys: string[];
  keyRequired: boolean;
  /** Variables whose presence chooses this provider when nothing is named; the first is the one to tell people. */
  detect: string[];
  /** It is a server that may run on this machine, and is looked for there. */
  local?: true;
  defaultModel(env: Env): string | undefined;
  baseUrl(env: Env): string | undefined;
  open(opening: Opening): Promise<LanguageModel>;
};

export type ProviderName = "openai" | "anthropic" | "google" | "openai-compatible" | "ollama" | "lmstudio";

/** Whether a name of the settings is a provider. */
export function isProvider(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name);
}

/** Which provider answers when nothing is named and several have a key. */
export const PROVIDER_ORDER: ProviderName[] = [
  "openai",
  "anthropic",
  "google",
  "openai-compatible",
  "ollama",
  "lmstudio",
];

/** Default models are the ones which the SDK's own pages use as their examples (ai 7.0, November 2026). */
export const PROVIDERS: Record<ProviderName, Provider> = {
  openai: {
    title: "OpenAI",
    keys: ["OPENAI_API_KEY"],
    keyRequired: true,
    detect: ["OPENAI_API_KEY"],
    defaultModel: (env) => value(env.OPENAI_MODEL) ?? "gpt-6-astra",
    baseUrl: (env) => address(env.OPENAI_BASE_URL),
    open: async ({ model, apiKey, baseURL, fetch }) =>
      (await import("@ai-sdk/openai")).createOpenAI({ apiKey, baseURL, fetch })(model),
  },
  anthropic: {
    title: "Anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    keyRequired: true,
    detect: ["ANTHROPIC_API_KEY"],
    defaultModel: (env) => value(env.ANTHROPIC_MODEL) ?? "claude-sonnet-5-5",
    baseUrl: (env) => versioned(address(env.ANTHROPIC_BASE_URL), "v1"),
    open: async ({ model, apiKey, baseURL, fetch }) =>
      (await import("@ai-sdk/anthropic")).createAnthropic({ apiKey, baseURL, fetch })(model),
  },
  google: {
    title: "Google",
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
    keyRequired: true,
    detect: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    defaultModel: (env) => value(env.GEMINI_MODEL) ?? "gemini-flash-latest",
    baseUrl: (env) => versioned(address(env.GOOGLE_GENERATIVE_AI_BASE_URL ?? env.GOOGLE_GEMINI_BASE_URL), "v1beta"),
    open: async ({ model, apiKey, baseURL, fetch }) =>
      (await import("@ai-sdk/google")).createGoogle({ apiKey, baseURL, fetch })(model),
  },
  "openai-compatible": {
    title: "OpenAI-compatible",
    keys: ["OPENAI_COMPATIBLE_API_KEY"],
    keyRequired: false,
    detect: ["OPENAI_COMPATIBLE_BASE_URL"],
    defaultModel: (env) => value(env.OPENAI_COMPATIBLE_MODEL),
    baseUrl: (env) => address(env.OPENAI_COMPATIBLE_BASE_URL),
    open: openCompatible,
  },
  ollama: {
    title: "Ollama",
    keys: ["OLLAMA_API_KEY"],
    keyRequired: false,
    detect: ["OLLAMA_HOST"],
    local: true,
    defaultModel: (env) => value(env.OLLAMA_MODEL),
    baseUrl: (env) => versioned(getOllamaUrl(env), "v1"),
    // The key is for the host that was named, never for whoever listens on a port of this machine.
    open: (opening) => openCompatible({ ...opening, apiKey: value(opening.env.OLLAMA_HOST) ? opening.apiKey : "" }),
  },
  lmstudio: {
    title: "LM Studio",
    keys: [],
    keyRequired: false,
    detect: [],
    local: true,
    defaultModel: () => undefined,
    baseUrl: () => `${LM_STUDIO_URL}/v1`,
    open: openCompatible,
  },
};

async function openCompatible({ model, apiKey, baseURL, fetch }: Opening): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const options = { name: "openai-compatible", baseURL: baseURL ?? "", fetch, includeUsage: true };
  return createOpenAICompatible({ ...options, ...(apiKey ? { apiKey } : {}) })(model);
}

function value(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

/** Base addresses are given with or without scheme and trailing slash. */
function address(text: string | undefined): string | undefined {
  const trimmed = value(text)?.replace(/\/+$/, "");
  return trimmed && !/^https?:\/\//.test(trimmed) ? `http://${trimmed}` : trimmed;
}

/** Some of the variables hold the origin only, by their vendors' own custom. */
function versioned(base: string | undefined, version: string): string | undefined {
  return base && !/\/v\d+(beta)?$/.test(base) ? `${base}/${version}` : base;
}
