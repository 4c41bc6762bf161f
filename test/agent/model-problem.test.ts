import { APICallError } from "ai";
import { expect, test } from "vitest";
import { findModelKey } from "#agent/models/key";
import { toModelProblem } from "#agent/steps/model-problem";

const MODEL = { label: "Some model", key: findModelKey(["SOME_KEY"], { SOME_KEY: "sk-test-key-0123456789" }) };
const OTHER = "choose another model with `kay config set model`";

function refuse(status: number, body: unknown, headers: Record<string, string> = {}) {
  const responseBody = typeof body === "string" ? body : JSON.stringify(body);
  const fields = { url: "https://model.test", requestBodyValues: {}, statusCode: status, responseBody };
  const { message, hint, code } = toModelProblem(
    MODEL,
    new APICallError({ ...fields, message: "refused", responseHeaders: headers }),
  );
  return { message, hint, code };
}

test.each([
  [
    "Ollama",
    400,
    { error: { message: "registry.ollama.ai/library/gemma:2b does not support tools", type: "api_error" } },
  ],
  ["OpenRouter", 404, { error: { message: "No endpoints found that support tool use.", code: 404 } }],
  [
    "vLLM",
    400,
    { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', code: 400 },
  ],
  [
    "Groq",
    400,
    { error: { message: "`tool calling` is not supported with this model", type: "invalid_request_error" } },
  ],
  ["llama.cpp", 500, { error: { code: 500, message: "tools param requires --jinja flag", type: "server_error" } }],
])("B264 a model that cannot call tools, as reported by %s", (_, status, body) => {
  expect(refuse(status, body)).toEqual({
    code: "MODEL_FAILED",
    message: expect.stringMatching(
      new RegExp(`^Some model cannot call tools, which kay needs \\(HTTP ${status}\\): .+\\.$`),
    ),
    hint: "Choose a model that supports tool calling. `kay model --test` checks it.",
  });
});

test.each([
  [
    "LM Studio",
    400,
    { error: "The number of tokens to keep from the initial prompt is greater than the context length." },
  ],
  ["LM Studio 0.4", 400, { error: { message: "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)" } }],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
      },
    },
  ],
  [
    "OpenAI",
    400,
    { error: { message: "Your input exceeds the context window of this model.", code: "context_length_exceeded" } },
  ],
  [
    "Anthropic",
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 208310 tokens > 200000 maximum" },
    },
  ],
  [
    "Gemini",
    400,
    [
      {
        error: {
          code: 400,
          message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        },
      },
    ],
  ],
])("a conversation that is too long, as reported by %s", (_, status, body) => {
  expect(refuse(status, body)).toMatchObject({ code: "CONTEXT_TOO_LONG" });
});

test.each([
  [
    402,
    { error: { message: "Insufficient credits", code: 402 } },
    "refused the request (HTTP 402): Insufficient credits.",
  ],
  [
    400,
    { type: "error", error: { type: "invalid_request_error", message: "Your credit balance is too low." } },
    "refused the request (HTTP 400): Your credit balance is too low.",
  ],
  [
    429,
    { error: { message: "You exceeded your current quota.", type: "insufficient_quota", code: "insufficient_quota" } },
    "accepts no more requests for now: its rate limit or quota is exhausted (HTTP 429): You exceeded your current quota.",
  ],
])("B211 an account without credit (HTTP %i) is reported in the provider's words", (status, body, sentence) => {
  expect(refuse(status, body)).toEqual({
    code: "MODEL_FAILED",
    message: `Some model ${sentence}`,
    hint: `Check your plan and credit at the provider, or ${OTHER}.`,
  });
});

test.each([
  [
    { error: { message: "Provider returned error", metadata: { raw: "m is temporarily rate-limited upstream." } } },
    "m is temporarily rate-limited upstream",
  ],
  [
    { error: { message: "Provider returned error", metadata: { raw: '{"error":{"message":"No images, please"}}' } } },
    "No images, please",
  ],
  [{ error_code: 336003, error_msg: "the max length of a question is 2000" }, "the max length of a question is 2000"],
  [{ __type: "ValidationException", Message: "Malformed input" }, "Malformed input"],
  [{ error: ["`max_new_tokens` must be <= 250"] }, "`max_new_tokens` must be <= 250"],
  [
    { object: "error", message: { detail: [{ loc: ["body", "tools"], msg: "Extra inputs are not permitted" }] } },
    "Extra inputs are not permitted",
  ],
])("B211 the provider's own sentence is found in %j", (body, sentence) => {
  expect(refuse(400, body).message).toBe(`Some model refused the request (HTTP 400): ${sentence}.`);
});

test("B264 an error in the stream says that the model cannot call tools", () => {
  const { message, hint } = toModelProblem(MODEL, { message: "Tool use is not supported by this model" });
  expect(message).toBe("Some model cannot call tools, which kay needs: Tool use is not supported by this model.");
  expect(hint).toBe("Choose a model that supports tool calling. `kay model --test` checks it.");
});

test.each([
  [{}, { "retry-after": "34" }, "34 s"],
  [{}, { "retry-after": "600" }, "10 min"],
  [{}, { "retry-after": "Sun, 29 Nov 2026 08:00:30 GMT", date: "Sun, 29 Nov 2026 08:00:00 GMT" }, "30 s"],
  [{ details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "27.5s" }] }, {}, "27 s"],
  [{}, { "retry-after-ms": "21500" }, "22 s"],
  [{ type: "Please try again in 1m12.3s." }, {}, "72 s"],
])("N8 the wait that a provider requests is in the error: %j %j", (more, headers, wait) => {
  const body = [{ error: { code: 429, message: "Resource has been exhausted", ...more } }];
  expect(refuse(429, body, headers)).toEqual({
    code: "MODEL_FAILED",
    message: `Some model accepts no more requests for now: its rate limit or quota is exhausted (HTTP 429): Resource has been exhausted. It asks to wait ${wait}.`,
    hint: `Try again in ${wait}, or ${OTHER}.`,
  });
});

test.each([
  ["Incorrect API key provided: sk-test-key-0123456789. See https://model.test/keys", 401],
  ["Incorrect API key provided: sk-test-********6789.", 401],
  ["API key not valid: 0123456789", 400],
  ["The key y-0123456 may not use this API key", 403],
])("N9 a key that a provider quotes is not in the error: %s", (sentence, status) => {
  const { message, hint } = refuse(status, { error: { message: sentence } });
  expect(message).toMatch(/^Some model refused the API key in SOME_KEY \(HTTP \d+\): /);
  expect(message).not.toMatch(/0123456|6789|sk-test/);
  expect(hint).toBe(`Check SOME_KEY, or ${OTHER}.`);
});

test.each([
  [404, { detail: "Not Found" }],
  [404, "404 page not found"],
  [405, "Method Not Allowed"],
  [308, ""],
])("HTTP %i that names no model says to check the URL", (status, body) => {
  expect(refuse(status, body).hint).toMatch(/^Check the base URL of the provider\./);
});

test("a model that does not exist is told from a wrong URL", () => {
  const { hint } = refuse(404, { error: { message: 'model "x" not found, try pulling it first' } });
  expect(hint).toMatch(/^Run `kay model list`/);
});

test("an HTML page is not a reason", () => {
  expect(refuse(502, "<html><body>Bad Gateway</body></html>").message).toBe(
    "Some model failed on the provider's side (HTTP 502).",
  );
});

test("control characters and long texts of a provider do not reach the terminal", () => {
  const { message } = refuse(400, { error: { message: `\u001b[31mred\u001b[0m ${"x".repeat(5_000)}` } });
  expect(message).not.toContain("\u001b");
  expect(message.length).toBeLessThan(400);
});
