import { expect, test } from "vitest";
import { decideModel } from "#agent/models/decision";
import { createLocalModels, getOllamaUrl } from "#agent/models/local-servers";
import { describeModel } from "#agent/models/view";

type Answers = Record<string, unknown>;

const TOOLS = { capabilities: ["completion", "tools"] };
const OLLAMA: Answers = {
  "GET http://127.0.0.1:11434/api/tags": {
    models: [
      { name: "nomic-embed-text:latest" },
      { name: "gpt-oss:120b-cloud", remote_host: "https://ollama.com", ...TOOLS },
      { name: "qwen3:8b" },
      { name: "llama3.2:latest" },
      { name: "evil\u001b[2J:1", ...TOOLS },
    ],
  },
  "GET http://127.0.0.1:11434/api/ps": { models: [] },
  "POST http://127.0.0.1:11434/api/show": ({ model }: { model: string }) =>
    model.startsWith("nomic") ? { capabilities: ["embedding"] } : TOOLS,
};
const LM_STUDIO: Answers = {
  "GET http://127.0.0.1:1234/api/v1/models": {
    models: [
      { type: "embedding", key: "nomic", loaded_instances: [{ id: "n" }] },
      { type: "llm", key: "qwen/qwen3-32b", loaded_instances: [], capabilities: { trained_for_tool_use: true } },
      {
        type: "llm",
        key: "openai/gpt-oss-20b",
        loaded_instances: [{ id: "g", config: { context_length: 32768 } }],
        capabilities: { trained_for_tool_use: true },
      },
    ],
  },
};

test("an Ollama on its usual port answers by default, with its newest model that calls tools", async () => {
  const { settings } = machine(OLLAMA);
  expect(await decideModel(settings())).toEqual({
    provider: "ollama",
    model: "qwen3:8b",
    name: "ollama:qwen3:8b",
    label: "Ollama qwen3:8b",
    source: "found",
    where: "http://127.0.0.1:11434",
  });
});

test("a model that Ollama has loaded comes before a newer one, and its context window is known", async () => {
  const running = { models: [{ name: "llama3.2:latest", context_length: 8192 }] };
  const { settings } = machine({ ...OLLAMA, "GET http://127.0.0.1:11434/api/ps": running });
  expect(await decideModel(settings())).toMatchObject({ name: "ollama:llama3.2:latest", contextWindow: 8192 });
});

test("LM Studio answers with a loaded model if there is no Ollama", async () => {
  expect(await decideModel(machine(LM_STUDIO).settings())).toMatchObject({
    name: "lmstudio:openai/gpt-oss-20b",
    source: "found",
    where: "http://127.0.0.1:1234",
    contextWindow: 32768,
  });
  expect(await decideModel(machine({ ...LM_STUDIO, ...OLLAMA }).settings())).toMatchObject({ name: "ollama:qwen3:8b" });
});

test("a name in the settings takes precedence over what was found, and offline disables the search", async () => {
  const { settings, asked } = machine(OLLAMA);
  expect(await decideModel({ ...settings(), model: "offline" })).toMatchObject({ name: "offline", source: "settings" });
  const keyed = { ...settings({ OPENAI_API_KEY: "k" }), where: "KAY_MODEL", model: "openai:gpt-5" };
  expect(await decideModel(keyed)).toMatchObject({ name: "openai:gpt-5", source: "settings", where: "KAY_MODEL" });
  expect(await decideModel(settings({ OPENAI_API_KEY: "k" }))).toMatchObject({ where: "OPENAI_API_KEY" });
  expect(asked).toEqual([]);
});

test("with only a provider named, its first usable model answers", async () => {
  expect(await decideModel({ ...machine(OLLAMA).settings(), model: "ollama" })).toMatchObject({
    name: "ollama:qwen3:8b",
    source: "settings",
  });
});

test("the search runs at most once a minute, and remembers that nothing was found", async () => {
  const { settings, asked, clock } = machine({});
  await decideModel(settings());
  const once = asked.length;
  expect(once).toBeGreaterThan(0);
  clock.ms += 59_000;
  await Promise.all([decideModel(settings()), decideModel(settings())]);
  expect(asked).toHaveLength(once);
  clock.ms += 2_000;
  await decideModel(settings());
  expect(asked).toHaveLength(once * 2);
});

test.each([
  ["nothing listens", {}],
  ["another program listens", { "GET http://127.0.0.1:11434/api/tags": "<html>" }],
  ["no model is there", { "GET http://127.0.0.1:11434/api/tags": { models: [] } }],
  ["no model calls tools", { ...OLLAMA, "POST http://127.0.0.1:11434/api/show": { capabilities: ["completion"] } }],
  ["it does not tell what its models can", { ...OLLAMA, "POST http://127.0.0.1:11434/api/show": {} }],
] as [string, Answers][])("the offline planner answers where %s", async (_, answers) => {
  expect(await decideModel(machine(answers).settings())).toMatchObject({ name: "offline", source: "none" });
});

test("a silent port costs no more than the time limit", async () => {
  const silent = (_: string, init?: RequestInit) =>
    new Promise<Response>((_resolve, reject) =>
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
    );
  const local = createLocalModels({ fetch: silent, clock: { now: () => 0 }, env: {} });
  const started = performance.now();
  expect(await local()).toEqual([]);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test.each([
  [undefined, "http://127.0.0.1:11434"],
  ["", "http://127.0.0.1:11434"],
  ["0.0.0.0", "http://127.0.0.1:11434"],
  ["0.0.0.0:9000", "http://127.0.0.1:9000"],
  [":9000", "http://127.0.0.1:9000"],
  ["gpu.lan", "http://gpu.lan:11434"],
  ["http://gpu.lan:9000/", "http://gpu.lan:9000"],
  ["http://gpu.lan", "http://gpu.lan"],
  ["https://gpu.lan/ollama", "https://gpu.lan/ollama"],
])("OLLAMA_HOST %j means %s", (host, url) => {
  expect(getOllamaUrl({ OLLAMA_HOST: host })).toBe(url);
});

test("a found server is reported as found, with its models, and every provider with its requirements", async () => {
  const { settings } = machine(OLLAMA);
  const { available, ...model } = await describeModel(settings({ ANTHROPIC_API_KEY: " " }));
  expect(model).toEqual({
    name: "ollama:qwen3:8b",
    label: "Ollama qwen3:8b",
    offline: false,
    source: "found",
    where: "http://127.0.0.1:11434",
    why: "Ollama was found at http://127.0.0.1:11434, and no other model is configured.",
  });
  expect(available.map(({ name, ready, note }) => [name, ready, note])).toEqual([
    ["openai", false, "Set OPENAI_API_KEY."],
    ["anthropic", false, "Set ANTHROPIC_API_KEY."],
    ["google", false, "Set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY or GOOGLE_API_KEY."],
    ["openai-compatible", false, "Set OPENAI_COMPATIBLE_BASE_URL."],
    ["ollama", true, "Found at http://127.0.0.1:11434."],
    ["lmstudio", false, "LM Studio was not found; start it to use it."],
    ["offline", true, "Needs no configuration."],
  ]);
  expect(available.find(({ name }) => name === "ollama")?.models).toEqual([
    "ollama:qwen3:8b",
    "ollama:llama3.2:latest",
    "ollama:nomic-embed-text:latest",
    "ollama:gpt-oss:120b-cloud",
  ]);
});

/** A machine that answers these requests and refuses everything else. */
function machine(answers: Answers) {
  const asked: string[] = [];
  const clock = { ms: 0, now: () => clock.ms };
  const fetch = async (url: string, init?: RequestInit) => {
    const name = `${init?.method ?? "GET"} ${url}`;
    asked.push(name);
    const answer = answers[name];
    if (answer === undefined) throw new TypeError("fetch failed");
    return Response.json(typeof answer === "function" ? answer(JSON.parse(String(init?.body))) : answer);
  };
  const local = createLocalModels({ fetch, clock, env: {} });
  return { asked, clock, settings: (env: Record<string, string> = {}) => ({ env, local }) };
}
