import type { LanguageModel, wrapLanguageModel } from "ai";
import { getOllamaUrl, LM_STUDIO_URL } from "./local-servers.ts";
import { createChatRepair } from "./repair-chat.ts";
import { createRepairFetch } from "./repair-fetch.ts";
import { createGeminiRepair } from "./repair-gemini.ts";
import { createMessagesRepair } from "./repair-messages.ts";
import { createResponsesRepair } from "./repair-responses.ts";

type Env = Record<string, string | undefined>;
type Opening = {
  model: string;
  apiKey: string;
  baseURL: string | undefined;
  fetch: typeof globalThis.fetch;
  env: Env;
};

/**
 * Files that the models of a provider read: types of pictures, the largest picture in bytes, and whether PDFs. The AI SDK
 * does not say it.
 */
export type ReadableFiles = { images: readonly string[]; imageBytes?: number; pdf: boolean };

/** A model provider, as data. Its SDK is loaded only when it is used. */
export type Provider = {
  title: string;
  /** Variables that hold its API key; the first one set is used. */
  keys: string[];
  keyRequired: boolean;
  /** Variables that select this provider when no model is named. Messages mention the first. */
  detect: string[];
  /** The server may run on this machine, where kay searches for it. */
  local?: true;
  reads: ReadableFiles;
  defaultModel(env: Env): string | undefined;
  baseUrl(env: Env): string | undefined;
  open(opening: Opening): Promise<LanguageModel>;
};

export type ProviderName = "openai" | "anthropic" | "google" | "openai-compatible" | "ollama" | "lmstudio";

/** Returns whether a name is a provider. */
export function isProvider(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name);
}

/** The order in which providers are tried when no model is named. */
export const PROVIDER_ORDER: ProviderName[] = [
  "openai",
  "anthropic",
  "google",
  "openai-compatible",
  "ollama",
  "lmstudio",
];

const IMAGES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

/** The default models are those that the SDK's documentation uses (ai 7.0, November 2026). */
export const PROVIDERS: Record<ProviderName, Provider> = {
  openai: {
    title: "OpenAI",
    keys: ["OPENAI_API_KEY"],
    keyRequired: true,
    detect: ["OPENAI_API_KEY"],
    // https://platform.openai.com/docs/guides/images-vision and …/pdf-files
    reads: { images: IMAGES, pdf: true },
    defaultModel: (env) => getNonEmpty(env.OPENAI_MODEL) ?? "gpt-6-astra",
    baseUrl: (env) => normalizeAddress(env.OPENAI_BASE_URL),
    open: async ({ model, apiKey, baseURL, fetch }) => {
      const repaired = createRepairFetch(fetch, createResponsesRepair);
      const { createOpenAI } = await import("@ai-sdk/openai");
      return await correctAnswers(createOpenAI({ apiKey, baseURL, fetch: repaired })(model));
    },
  },
  anthropic: {
    title: "Anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    keyRequired: true,
    detect: ["ANTHROPIC_API_KEY"],
    // 5 MB of base64 for a picture: https://platform.claude.com/docs/en/build-with-claude/vision
    reads: { images: IMAGES, imageBytes: 3_750_000, pdf: true },
    defaultModel: (env) => getNonEmpty(env.ANTHROPIC_MODEL) ?? "claude-sonnet-5-5",
    baseUrl: (env) => appendVersion(normalizeAddress(env.ANTHROPIC_BASE_URL), "v1"),
    open: async ({ model, apiKey, baseURL, fetch }) => {
      const repaired = createRepairFetch(fetch, createMessagesRepair);
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return await correctAnswers(createAnthropic({ apiKey, baseURL, fetch: repaired })(model));
    },
  },
  google: {
    title: "Google",
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
    keyRequired: true,
    detect: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    // https://ai.google.dev/gemini-api/docs/image-understanding and …/document-processing
    reads: { images: ["image/png", "image/jpeg", "image/webp"], pdf: true },
    defaultModel: (env) => getNonEmpty(env.GEMINI_MODEL) ?? "gemini-flash-latest",
    baseUrl: (env) =>
      appendVersion(normalizeAddress(env.GOOGLE_GENERATIVE_AI_BASE_URL ?? env.GOOGLE_GEMINI_BASE_URL), "v1beta"),
    open: async ({ model, apiKey, baseURL, fetch }) => {
      const repaired = createRepairFetch(fetch, createGeminiRepair);
      const { createGoogle } = await import("@ai-sdk/google");
      return await correctAnswers(createGoogle({ apiKey, baseURL, fetch: repaired })(model));
    },
  },
  "openai-compatible": {
    title: "OpenAI-compatible",
    keys: ["OPENAI_COMPATIBLE_API_KEY"],
    keyRequired: false,
    detect: ["OPENAI_COMPATIBLE_BASE_URL"],
    reads: { images: IMAGES, pdf: true },
    defaultModel: (env) => getNonEmpty(env.OPENAI_COMPATIBLE_MODEL),
    baseUrl: (env) => normalizeAddress(env.OPENAI_COMPATIBLE_BASE_URL),
    open: createCompatibleModel,
  },
  ollama: {
    title: "Ollama",
    keys: ["OLLAMA_API_KEY"],
    keyRequired: false,
    detect: ["OLLAMA_HOST"],
    reads: { images: IMAGES, pdf: false },
    local: true,
    defaultModel: (env) => getNonEmpty(env.OLLAMA_MODEL),
    baseUrl: (env) => appendVersion(getOllamaUrl(env), "v1"),
    // The key is sent only to a configured host, never to a server found on a local port.
    open: (opening) =>
      createCompatibleModel({ ...opening, apiKey: getNonEmpty(opening.env.OLLAMA_HOST) ? opening.apiKey : "" }),
  },
  lmstudio: {
    title: "LM Studio",
    keys: [],
    keyRequired: false,
    detect: [],
    reads: { images: IMAGES, pdf: false },
    local: true,
    defaultModel: () => undefined,
    baseUrl: () => `${LM_STUDIO_URL}/v1`,
    open: createCompatibleModel,
  },
};

async function createCompatibleModel({ model, apiKey, baseURL, fetch }: Opening): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const repaired = createRepairFetch(fetch, createChatRepair);
  const options = { name: "openai-compatible", baseURL: baseURL ?? "", fetch: repaired, includeUsage: true };
  return await correctAnswers(createOpenAICompatible({ ...options, ...(apiKey ? { apiKey } : {}) })(model), model);
}

async function correctAnswers(
  model: Parameters<typeof wrapLanguageModel>[0]["model"],
  openModel?: string,
): Promise<LanguageModel> {
  const [{ wrapLanguageModel }, { createAnswerMiddleware }] = await Promise.all([
    import("ai"),
    import("./thought-tags.ts"),
  ]);
  return wrapLanguageModel({ model, middleware: createAnswerMiddleware(openModel) });
}

function getNonEmpty(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

/** Accepts an address with or without scheme and trailing slash. */
function normalizeAddress(text: string | undefined): string | undefined {
  const trimmed = getNonEmpty(text)?.replace(/(?<!\/)\/+$/, "");
  return trimmed && !/^https?:\/\//.test(trimmed) ? `http://${trimmed}` : trimmed;
}

/** Appends the API version unless the address ends in one. Some vendors' variables hold only the origin. */
function appendVersion(base: string | undefined, version: string): string | undefined {
  return base && !/\/v\d+(beta)?$/.test(base) ? `${base}/${version}` : base;
}
