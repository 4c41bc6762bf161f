import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";

const kay = useKay();
const NOBODY = { exit: 4, stdout: "", stderr: "✗ You are not signed in.\n  Run `kay connect <service>`.\n" };
const OPENAI = { env: { OPENAI_API_KEY: "sk-secret" } };

test("model says which model answers, and why", async () => {
  expect(await kay({ signedIn: true, model: OPENAI })("model")).toEqual({
    exit: 0,
    stdout: "OpenAI gpt-6-astra: OPENAI_API_KEY is set in the backend's environment.\n",
    stderr: "",
  });
  expect(await kay({ signedIn: true })("model")).toEqual({
    exit: 0,
    stdout: "Offline planner: No model is configured, no provider key is set, and no local model server was found.\n",
    stderr: "",
  });
});

test("model reports a model found on this machine, and where", async () => {
  const models = [{ name: "qwen3:8b", usable: true, contextWindow: 32768 }];
  const local = async () => [{ provider: "ollama" as const, url: "http://127.0.0.1:11434", models }];
  expect(await kay({ signedIn: true, model: { env: {}, local } })("model")).toEqual({
    exit: 0,
    stdout:
      "Ollama qwen3:8b: Ollama was found at http://127.0.0.1:11434, and no other model is configured.\n" +
      "Context window: 32,768 tokens.\n",
    stderr: "",
  });
});

test("the local backend is asked before the first sign-in, another one is not", async () => {
  const ownMachine = kay({ own: true, model: OPENAI, env: OPENAI.env });
  expect(await ownMachine("model")).toMatchObject({
    exit: 0,
    stdout: "OpenAI gpt-6-astra: OPENAI_API_KEY is set in the environment.\n",
  });
  expect(await kay({ own: true, model: OPENAI })("model")).toMatchObject({
    stdout: "OpenAI gpt-6-astra: OPENAI_API_KEY is set in the environment in which the local backend was started.\n",
  });
  expect(await kay()("model")).toEqual(NOBODY);
});

test("a named model that cannot answer is reported, and is an error", async () => {
  const model = { model: "openai:gpt-5", where: "model of profile default", env: {} };
  const ann = kay({ signedIn: true, model });
  expect(await ann("model")).toEqual({
    exit: 1,
    stdout: "openai:gpt-5: Set by model of profile default.\n",
    stderr:
      "✗ OpenAI API key is not configured\n" +
      "  Set OPENAI_API_KEY, or run `kay config unset model` to use the offline planner.\n",
  });
  const json = await ann("model --json");
  expect({ exit: json.exit, document: parseDocument(json) }).toMatchObject({
    exit: 1,
    document: { name: "openai:gpt-5", problem: { code: "MODEL_NOT_CONFIGURED" } },
  });
});

test("KAY_MODEL of this machine has no effect at a remote backend, and kay says so", async () => {
  const ann = kay({ signedIn: true, env: { KAY_MODEL: "openai:gpt-5" } });
  expect(await ann("model")).toMatchObject({
    exit: 0,
    stderr: "! KAY_MODEL is set here, but the model is configured where the backend runs.\n",
  });
});

test("model list shows every provider, its requirements, and which one answers", async () => {
  expect(await kay({ signedIn: true, model: OPENAI })("model list")).toEqual({
    exit: 0,
    stdout: [
      "openai\tOpenAI\tanswers\tgpt-6-astra\tOPENAI_API_KEY is set.",
      "anthropic\tAnthropic\tnot ready\tclaude-sonnet-5-5\tSet ANTHROPIC_API_KEY.",
      "google\tGoogle\tnot ready\tgemini-flash-latest\tSet GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY or GOOGLE_API_KEY.",
      "openai-compatible\tOpenAI-compatible\tnot ready\t\tSet OPENAI_COMPATIBLE_BASE_URL.",
      "ollama\tOllama\tnot ready\t\tOllama was not found; start it to use it.",
      "lmstudio\tLM Studio\tnot ready\t\tLM Studio was not found; start it to use it.",
      "offline\tOffline planner\tready\toffline\tNeeds no configuration.",
      "",
    ].join("\n"),
    stderr: "Choose one with `kay config set model <provider>:<model>`.\n",
  });
});

test("model --test says whether it works", async () => {
  const { exit, stdout } = await kay({ signedIn: true })("model --test");
  expect({ exit, first: stdout.split("\n")[0], calls: stdout.includes("  Tool calls: yes.\n") }).toEqual({
    exit: 0,
    first: "Offline planner works.",
    calls: true,
  });
  expect(parseDocument(await kay({ signedIn: true })("model --test --json"))).toMatchObject({
    offline: true,
    tools: true,
  });
  expect(await kay({ signedIn: true, model: { model: "openai", env: {} } })("model --test")).toMatchObject({
    exit: 1,
    stdout: "",
    stderr: expect.stringMatching(/^✗ OpenAI API key is not configured\n/),
  });
});
