import { expect, test } from "vitest";
import { useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { useModelServer, WIRES } from "#test/model-server";

const world = useBackend();
const server = useModelServer();

test("GET /model says which model answers and why", async () => {
  const { token } = await connect(world());
  const { status, body } = await world().call("GET /model", { token });
  const { available, ...model } = body;
  expect({ status, model }).toEqual({
    status: 200,
    model: {
      name: "offline",
      label: "Offline planner",
      offline: true,
      source: "none",
      why: "No model is configured, no provider key is set, and no local model server was found.",
    },
  });
  expect((available as { name: string }[]).map(({ name }) => name)).toEqual([
    "openai",
    "anthropic",
    "google",
    "openai-compatible",
    "ollama",
    "lmstudio",
    "offline",
  ]);
});

test("a named model that cannot answer is reported with its problem, and never with a key", async () => {
  const { token } = await connect(world());
  const settings = { model: "anthropic", where: "KAY_MODEL", env: { OPENAI_API_KEY: "sk-secret" } };
  const { status, body, text } = await server().beside(world(), settings).call("GET /model", { token });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      name: "anthropic",
      source: "settings",
      where: "KAY_MODEL",
      why: "Set by KAY_MODEL.",
      problem: { code: "MODEL_NOT_CONFIGURED", message: "Anthropic API key is not configured" },
    },
  });
  expect(text).not.toContain("sk-secret");
});

test("both need a sign-in, unless the caller has the local secret", async () => {
  expect(await world().call("GET /model")).toMatchObject({ status: 401, body: { code: "TOKEN_MISSING" } });
  expect(await world().call("POST /model/test")).toMatchObject({ status: 401, body: { code: "TOKEN_MISSING" } });
  const { createWorld } = await import("#test/backend");
  const localBackend = createWorld({ ...world().ports, localSecret: "s" });
  expect(await localBackend.call("GET /model")).toMatchObject({ status: 403, body: { code: "LOCAL_SECRET_REQUIRED" } });
  expect(await localBackend.call("GET /model", { headers: { "kay-local-secret": "s" } })).toMatchObject({
    status: 200,
  });
});

test.each(WIRES)("POST /model/test asks %s once, with a tool, and reports the result", async (_, label, settings) => {
  const { mock } = server();
  const call = { name: "kay__add", arguments: '{"a":17,"b":25}' };
  mock.on({ userMessage: /Add 17 and 25/, hasToolResult: false }, { toolCalls: [call] });
  mock.on({ userMessage: /Add 17 and 25/, hasToolResult: true }, { content: "The result is 42." }, { chunkSize: 4 });
  const { token } = await connect(world());
  const { status, body } = await server().beside(world(), settings(mock.url)).call("POST /model/test", { token });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      name: expect.stringContaining(":"),
      label,
      offline: false,
      first_ms: 0,
      total_ms: 0,
      tools: true,
      streaming: true,
      message: "The result is 42.",
    },
  });
});

test("a model that ignores the tool is reported as one that calls none", async () => {
  server().mock.on({ userMessage: /./ }, { content: "42" });
  const { token } = await connect(world());
  const other = server().beside(world(), { env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${server().mock.url}/v1` } });
  expect((await other.call("POST /model/test", { token })).body).toMatchObject({ tools: false, message: "42" });
});

test("a model that refuses is the error that a request would end with", async () => {
  server().mock.on({ userMessage: /./ }, { error: { message: "bad key sk-secret", type: "auth" }, status: 401 });
  const { token } = await connect(world());
  const env = { OPENAI_API_KEY: "sk-secret", OPENAI_BASE_URL: `${server().mock.url}/v1` };
  const { status, body, text } = await server().beside(world(), { env }).call("POST /model/test", { token });
  expect({ status, body }).toMatchObject({
    status: 502,
    body: {
      code: "MODEL_FAILED",
      message: "OpenAI gpt-6-astra refused the API key in OPENAI_API_KEY (HTTP 401): bad key [redacted].",
    },
  });
  expect(text).not.toContain("sk-secret");
});

test("the offline planner can be tested too", async () => {
  const { token } = await connect(world());
  const { status, body } = await world().call("POST /model/test", { token });
  expect({ status, body }).toMatchObject({ status: 200, body: { name: "offline", offline: true, tools: true } });
});
