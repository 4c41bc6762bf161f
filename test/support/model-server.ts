import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { ModelSettings } from "#agent/models/decision";
import type { Fetch } from "#net/ports";
import { createPeer, type World } from "./backend.ts";

/** A foreign server that speaks the wires of the model providers. */
type ModelServer = {
  mock: LLMock;
  /** A copy of the backend with a model at a server on this machine; requests to elsewhere stay with the fake outside. */
  beside(world: World, settings: ModelSettings): World;
};

/** Settings for each provider's own wire. */
export const WIRES: [name: string, label: string, settings: (url: string) => ModelSettings][] = [
  ["OpenAI", "OpenAI gpt-6-astra", (url) => ({ env: { OPENAI_API_KEY: "sk-secret", OPENAI_BASE_URL: `${url}/v1` } })],
  [
    "Anthropic",
    "Anthropic claude-sonnet-5-5",
    (url) => ({ env: { ANTHROPIC_API_KEY: "sk-secret", ANTHROPIC_BASE_URL: url } }),
  ],
  [
    "Gemini",
    "Google gemini-flash-latest",
    (url) => ({ env: { GOOGLE_GENERATIVE_AI_API_KEY: "sk-secret", GOOGLE_GENERATIVE_AI_BASE_URL: url } }),
  ],
  [
    "OpenAI-compatible",
    "OpenAI-compatible local",
    (url) => ({
      model: "openai-compatible:local",
      env: { OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`, OPENAI_COMPATIBLE_API_KEY: "sk-secret" },
    }),
  ],
];

/** One server for the file, empty before each test. */
export function useModelServer(): () => ModelServer {
  const mock = new LLMock({ port: 0 });
  beforeAll(async () => {
    await mock.start();
  });
  beforeEach(() => {
    mock.reset();
  });
  afterAll(async () => {
    await mock.stop();
  });
  const createBeside: ModelServer["beside"] = (world, settings) => {
    const route: Fetch = (url, init) =>
      url.startsWith("http://127.0.0.1:") ? fetch(url, init) : world.outside.fetch(url, init);
    return createPeer(world, { fetch: route, model: () => settings });
  };
  return () => ({ mock, beside: createBeside });
}
