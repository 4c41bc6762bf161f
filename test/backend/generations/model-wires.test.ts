import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ModelSettings } from "#agent/models/decision";
import { useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { fakeBackend } from "#test/fake-backend";
import { useModelServer, WIRES } from "#test/model-server";

const log: DeskLog = [];
const world = useBackend({ services: deskServices(log) });
const server = useModelServer();
const SHOW = { name: "jira__show_issue", arguments: '{"issue":"KAY-3"}' };

describe.each(WIRES)("%s", (_name, label, settings) => {
  async function ask(prompt: string) {
    const { token } = await connect(world());
    const logLength = log.length;
    const other = server().beside(world(), settings(server().mock.url));
    const answer = await other.call("POST /ask", { token, body: { prompt } });
    return { ...answer, ran: log.slice(logLength) };
  }

  test("text is streamed and is the answer", async () => {
    const { mock } = server();
    mock.on(
      { userMessage: "say hello" },
      { content: "Hello, this is a longer text in several pieces." },
      { chunkSize: 5 },
    );
    expect(await ask("say hello")).toMatchObject({
      status: 200,
      body: { status: "completed", message: "Hello, this is a longer text in several pieces.", receipts: [] },
    });
    expect(mock.getRequests()).toHaveLength(1);
  });

  test("a tool is called, its result is returned, and the answer follows", async () => {
    const { mock } = server();
    mock.on({ userMessage: "how is KAY-3", hasToolResult: false }, { toolCalls: [SHOW] });
    mock.on({ userMessage: "how is KAY-3", hasToolResult: true }, { content: "It is open." });
    expect(await ask("how is KAY-3")).toMatchObject({ body: { message: "It is open." }, ran: ["show KAY-3"] });
    expect(JSON.stringify(mock.getLastRequest()?.body)).toMatch(/KAY-3[^}]+Open/);
  });

  test("parallel tool calls each get their result", async () => {
    const { mock } = server();
    const both = [SHOW, { name: "jira__show_issue", arguments: '{"issue":"KAY-4"}' }];
    mock.on({ userMessage: "compare", hasToolResult: false }, { toolCalls: both });
    mock.on({ userMessage: "compare", hasToolResult: true }, { content: "Both are open." });
    const { body, ran } = await ask("compare KAY-3 and KAY-4");
    expect({ message: body.message, ran: ran.sort() }).toEqual({
      message: "Both are open.",
      ran: ["show KAY-3", "show KAY-4"],
    });
    const sent = JSON.stringify(mock.getLastRequest()?.body);
    expect(sent).toMatch(/KAY-3[^}]+Open/);
    expect(sent).toMatch(/KAY-4[^}]+Open/);
  });

  test("malformed arguments of a tool are an error that the model can react to", async () => {
    const { mock } = server();
    const broken = { name: "jira__show_issue", arguments: '{"issue": 3, "colour": ' };
    mock.on({ userMessage: "show it", hasToolResult: false }, { toolCalls: [broken] });
    mock.on({ userMessage: "show it", hasToolResult: true }, { content: "I wrote that wrongly." });
    expect(await ask("show it")).toMatchObject({ status: 200, body: { message: "I wrote that wrongly." }, ran: [] });
    expect(JSON.stringify(mock.getLastRequest()?.body)).toContain("INVALID_REQUEST");
  });

  test("a refused key is one sentence without the key, and is not retried", async () => {
    const { mock } = server();
    mock.on({ userMessage: /./ }, { error: { message: "Incorrect API key: sk-secret", type: "auth" }, status: 401 });
    const { status, body, text } = await ask("say hello");
    expect({ status, body }).toMatchObject({
      status: 502,
      body: {
        status: "error",
        code: "MODEL_FAILED",
        message: expect.stringMatching(
          new RegExp(`^${label} refused the API key in [A-Z_]+ \\(HTTP 401\\): Incorrect API key: \\[redacted\\]\\.$`),
        ),
      },
    });
    expect(text).not.toContain("sk-secret");
    expect(mock.getRequests()).toHaveLength(1);
  });

  test("N8 a 429 is retried once after Retry-After, then reported in one sentence", async () => {
    const { mock } = server();
    mock.on({ userMessage: /./ }, { error: { message: "Rate limit", type: "rate" }, status: 429, retryAfter: 1 });
    const started = performance.now();
    const { body } = await ask("say hello");
    expect(body.message).toBe(
      `${label} accepts no more requests for now: its rate limit or quota is exhausted (HTTP 429): Rate limit. It asks to wait 1 s.`,
    );
    expect(mock.getRequests()).toHaveLength(2);
    expect(performance.now() - started).toBeGreaterThan(950);
  });

  test("a 429 that a retry resolves is not visible", async () => {
    const { mock } = server();
    mock.on(
      { userMessage: /./, sequenceIndex: 0 },
      { error: { message: "Rate limit", type: "rate" }, status: 429, retryAfter: 1 },
    );
    mock.on({ userMessage: /./, sequenceIndex: 1 }, { content: "Hello." });
    expect(await ask("say hello")).toMatchObject({ status: 200, body: { message: "Hello." } });
  });

  test("a conversation that is too long is CONTEXT_TOO_LONG", async () => {
    const message = "prompt is too long: This model's maximum context length is 128000 tokens";
    server().mock.on({ userMessage: /./ }, { error: { message, type: "invalid_request_error" }, status: 400 });
    expect(await ask("say hello")).toMatchObject({ status: 422, body: { code: "CONTEXT_TOO_LONG" } });
  });

  test("a truncated stream is a failure, and its text is not taken for the answer", async () => {
    const { mock } = server();
    const content = "This answer will never be whole, because the line is cut in the middle of it.";
    mock.on({ userMessage: /./ }, { content }, { chunkSize: 5, truncateAfterChunks: 4 });
    const { status, body } = await ask("say hello");
    expect({ status, body }).toMatchObject({ status: 502, body: { status: "error", code: "MODEL_FAILED" } });
  });

  test("B204 an empty answer, or one of white space, is a failure", async () => {
    for (const content of ["", " \n "]) {
      server().mock.on({ userMessage: /./ }, { content });
      const { status, body } = await ask("say hello");
      expect({ status, body }).toMatchObject({ status: 502, body: { status: "error", code: "MODEL_FAILED" } });
      expect(body.message).toMatch(/ returned an empty answer\.$/);
    }
  });
});

test("N14 an error that a provider sends in the middle of its stream is a failure", async () => {
  const strange = await fakeBackend();
  const piece = JSON.stringify({ choices: [{ index: 0, delta: { content: "Half of" } }] });
  const fault = JSON.stringify({ error: { message: "out of memory with key sk-secret", type: "server_error" } });
  strange.on("POST /v1/chat/completions", {
    headers: { "Content-Type": "text/event-stream" },
    text: `data: ${piece}\n\ndata: ${fault}\n\ndata: [DONE]\n\n`,
  });
  const { token } = await connect(world());
  const other = server().beside(world(), compatible(strange.url));
  const { status, body, text } = await other.call("POST /ask", { token, body: { prompt: "say hello" } });
  expect({ status, body }).toMatchObject({
    status: 502,
    body: {
      status: "error",
      code: "MODEL_FAILED",
      message: "OpenAI-compatible local reported an error in its answer: out of memory with key [redacted].",
    },
  });
  expect(text).not.toContain("sk-secret");
});

test("a model that never answers is given up", async () => {
  const silent = await fakeBackend();
  silent.on("POST /v1/chat/completions", "hang");
  const { token } = await connect(world());
  const other = server().beside(world(), compatible(silent.url));
  const real = globalThis.setTimeout;
  const quick = (work: () => void, ms = 0) => real(work, ms >= 60_000 ? ms / 1000 : ms);
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(quick as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
  const answer = other.call("POST /ask", { token, body: { prompt: "say hello" } });
  expect(await answer).toMatchObject({
    status: 502,
    body: { code: "MODEL_FAILED", message: "OpenAI-compatible local did not answer in time." },
  });
});

function compatible(url: string): ModelSettings {
  return { model: "openai-compatible:local", env: { OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` } };
}
