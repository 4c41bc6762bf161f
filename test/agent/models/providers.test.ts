import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AgentEvent } from "#agent/events";
import { runAgent } from "#agent/loop";
import type { ModelSettings } from "#agent/models/decision";
import { selectModel } from "#agent/models/select";
import type { AgentTool } from "#agent/tool";

/** A foreign server that speaks the wires of the providers. */
const mock = new LLMock({ port: 0 });

beforeAll(async () => {
  await mock.start();
});
beforeEach(() => {
  mock.clearFixtures();
});
afterAll(async () => {
  await mock.stop();
});

const WIRES: [name: string, settings: () => ModelSettings, label: string][] = [
  ["OpenAI", () => ({ env: { OPENAI_API_KEY: "sk-secret", OPENAI_BASE_URL: `${mock.url}/v1` } }), "OpenAI gpt-6-astra"],
  [
    "Anthropic",
    () => ({ env: { ANTHROPIC_API_KEY: "sk-secret", ANTHROPIC_BASE_URL: mock.url } }),
    "Anthropic claude-sonnet-5-5",
  ],
  [
    "Gemini",
    () => ({ env: { GOOGLE_GENERATIVE_AI_API_KEY: "sk-secret", GOOGLE_GENERATIVE_AI_BASE_URL: mock.url } }),
    "Google gemini-flash-latest",
  ],
  [
    "OpenAI-compatible",
    () => ({ model: "openai-compatible:local", env: { OPENAI_COMPATIBLE_BASE_URL: `${mock.url}/v1` } }),
    "OpenAI-compatible local",
  ],
  ["Ollama", () => ({ model: "ollama:llama", env: { OLLAMA_HOST: mock.url.replace("http://", "") } }), "Ollama llama"],
];

test.each(WIRES)(
  "%s: a tool is called over its wire, gets its result, and the answer comes back",
  async (_, settings, label) => {
    mock.on(
      { userMessage: "status of KAY-3", hasToolResult: false },
      { toolCalls: [{ name: "jira__show", arguments: '{"issue":"KAY-3"}' }] },
    );
    mock.on({ userMessage: "status of KAY-3", hasToolResult: true }, { content: "KAY-3 is open." });
    const { events, ran, chosen } = await run(settings());
    expect(chosen).toBe(label);
    expect(ran).toEqual([{ issue: "KAY-3" }]);
    expect(joinText(events)).toBe("KAY-3 is open.");
    expect(events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
  },
);

const FAULTS: [status: number, message: string, sentence: string][] = [
  [429, "Rate limit reached", "accepts no more requests for now: its rate limit or quota is exhausted (HTTP 429)."],
  [503, "overloaded", "failed on the provider's side (HTTP 503)."],
  [400, "This model's maximum context length is 128000 tokens", ""],
  [404, "The model does not exist", "is not available from its provider (HTTP 404)."],
];

test.each(
  WIRES.slice(0, 3).flatMap(([name, settings, label]) =>
    FAULTS.map((fault) => [name, fault[0], settings, label, fault] as const),
  ),
)(
  "%s: an answer %i is one clean sentence without the key",
  async (_name, _status, settings, label, [status, message, sentence]) => {
    mock.on({ userMessage: /./ }, { error: { message, type: "error" }, status });
    const { events } = await run(settings());
    const wait = status === 429 ? " It asks to wait 1 s." : "";
    const words = sentence
      ? `${label} ${sentence.replace(/\.$/, "")}: ${message}.${wait}`
      : `The conversation is too long for ${label}; start a new one.`;
    const code = sentence ? "MODEL_FAILED" : "CONTEXT_TOO_LONG";
    expect(events.at(-1)).toMatchObject({ type: "error", errorText: words, problem: { code } });
    expect(JSON.stringify(events)).not.toContain("sk-secret");
  },
);

test.each([
  ["OpenAI", "OPENAI_API_KEY"],
  ["Anthropic", "ANTHROPIC_API_KEY"],
  ["Gemini", "GOOGLE_GENERATIVE_AI_API_KEY"],
])(
  "N9 %s: a refused key names its variable and keeps the provider's sentence, without the key",
  async (name, variable) => {
    const settings = WIRES.find(([wire]) => wire === name)?.[1] ?? (() => ({ env: {} }));
    for (const quoted of ["sk-secret", "sk-se***ret"]) {
      mock.clearFixtures();
      mock.on(
        { userMessage: /./ },
        { error: { message: `Incorrect API key provided: ${quoted}.`, type: "error" }, status: 401 },
      );
      const { events, chosen } = await run(settings());
      expect(events.at(-1)).toMatchObject({
        errorText: `${chosen} refused the API key in ${variable} (HTTP 401): Incorrect API key provided: [redacted].`,
        problem: { hint: `Check ${variable}, or choose another model with \`kay config set model\`.` },
      });
      expect(JSON.stringify(events)).not.toMatch(/sk-se/);
    }
  },
);

test("N9 a server that requires a missing key names the variable", async () => {
  mock.on({ userMessage: /./ }, { error: { message: "No auth credentials found", type: "error" }, status: 401 });
  const { events } = await run({
    model: "openai-compatible:local",
    env: { OPENAI_COMPATIBLE_BASE_URL: `${mock.url}/v1` },
  });
  expect(events.at(-1)).toMatchObject({
    errorText: "OpenAI-compatible local requires an API key (HTTP 401): No auth credentials found.",
    problem: { hint: "Set OPENAI_COMPATIBLE_API_KEY, or choose another model with `kay config set model`." },
  });
});

test("an unreachable provider is reported in one sentence", async () => {
  const gone = new LLMock({ port: 0 });
  await gone.start();
  const { url } = gone;
  await gone.stop();
  const { events } = await run({ env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` } });
  expect(events.at(-1)).toMatchObject({
    type: "error",
    errorText: "OpenAI gpt-6-astra could not be reached.",
    problem: { hint: expect.stringMatching(/^Nothing answers at its address\. .* `kay doctor` checks each step\.$/) },
  });
});

async function run(settings: ModelSettings) {
  const ports = { fetch: (url: string, init?: RequestInit) => fetch(url, init), clock: { now: () => 0 } };
  const { model, label, key } = await selectModel(settings, ports);
  const ran: Record<string, unknown>[] = [];
  const events: AgentEvent[] = [];
  const messages = [{ role: "user" as const, content: "what is the status of KAY-3?" }];
  const signal = new AbortController().signal;
  const input = {
    messages,
    tools: [showIssue(ran)],
    model,
    label,
    ...(key ? { key } : {}),
    signal,
    now: 0,
    needsApproval: () => false,
  };
  for await (const event of runAgent(input)) events.push(event);
  return { events, ran, chosen: label };
}

function showIssue(ran: Record<string, unknown>[]): AgentTool {
  return {
    name: "jira.show",
    service: "jira",
    title: "Jira",
    description: "Read one issue.",
    access: "read",
    examples: [],
    schema: {
      type: "object",
      properties: { issue: { type: "string" } },
      required: ["issue"],
      additionalProperties: false,
    },
    parse: (input) => input as Record<string, unknown>,
    summary: () => "Read an issue",
    run: async (input) => {
      ran.push(input);
      return { data: { status: "Open" }, text: "KAY-3 is open." };
    },
  };
}

function joinText(events: AgentEvent[]): string {
  const last = events.findLastIndex(({ type }) => type === "start-step");
  return events
    .slice(last)
    .flatMap((event) => (event.type === "text-delta" ? [event.delta] : []))
    .join("");
}
