import { expect, test } from "vitest";
import type { ModelSettings } from "#agent/models/decision";
import { selectModel } from "#agent/models/select";
import type { Problem } from "#protocol/errors";

const ports = { fetch: () => Promise.reject(new Error("not to be called")), clock: { now: () => 0 } };

test.each<[string, ModelSettings, string, string]>([
  ["nothing", { env: {} }, "Offline planner", "none"],
  ["empty variables", { model: " ", env: { OPENAI_API_KEY: "" } }, "Offline planner", "none"],
  ["an OpenAI key", { env: { OPENAI_API_KEY: "k" } }, "OpenAI gpt-6-astra", "environment OPENAI_API_KEY"],
  [
    "an Anthropic key",
    { env: { ANTHROPIC_API_KEY: "k" } },
    "Anthropic claude-sonnet-5-5",
    "environment ANTHROPIC_API_KEY",
  ],
  ["a Gemini key", { env: { GEMINI_API_KEY: "k" } }, "Google gemini-flash-latest", "environment GEMINI_API_KEY"],
  [
    "several keys",
    { env: { GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" } },
    "OpenAI gpt-6-astra",
    "environment OPENAI_API_KEY",
  ],
  [
    "Ollama with a model",
    { env: { OLLAMA_HOST: "127.0.0.1:11434", OLLAMA_MODEL: "llama3" } },
    "Ollama llama3",
    "environment OLLAMA_HOST",
  ],
  ["Ollama without a model", { env: { OLLAMA_HOST: "127.0.0.1:11434" } }, "Offline planner", "none"],
  ["a named model", { model: "openai:gpt-5", env: { OPENAI_API_KEY: "k" } }, "OpenAI gpt-5", "settings"],
  ["a model whose name has a colon", { model: "ollama:llama3:8b", env: {} }, "Ollama llama3:8b", "settings"],
  [
    "only a provider",
    { model: "anthropic", env: { ANTHROPIC_API_KEY: "k" } },
    "Anthropic claude-sonnet-5-5",
    "settings",
  ],
  ["offline by name", { model: "offline", env: { OPENAI_API_KEY: "k" } }, "Offline planner", "settings"],
])("with %s the model is chosen and its source is named", async (_, settings, label, source) => {
  const selection = await selectModel(settings, ports);
  expect([selection.label, [selection.source, selection.where].filter(Boolean).join(" ")]).toEqual([label, source]);
});

test.each<[ModelSettings, string]>([
  [{ model: "openai:gpt-5", env: {} }, "OpenAI API key is not configured"],
  [{ model: "anthropic", env: { OPENAI_API_KEY: "k" } }, "Anthropic API key is not configured"],
  [{ model: "google:gemini-4-argon", env: {} }, "Google API key is not configured"],
  [{ model: "openai-compatible:x", env: {} }, "The address of the OpenAI-compatible endpoint is not configured"],
  [{ model: "ollama", env: {} }, "No model is specified for Ollama."],
  [{ model: "skynet:t800", env: {} }, "Unknown model provider “skynet”."],
  [{ model: "constructor:x", env: {} }, "Unknown model provider “constructor”."],
])("a model that cannot answer is MODEL_NOT_CONFIGURED: %j", async (settings, message) => {
  const problem = await selectModel(settings, ports).catch((error: Problem) => error);
  expect(problem).toMatchObject({ code: "MODEL_NOT_CONFIGURED", message });
});
