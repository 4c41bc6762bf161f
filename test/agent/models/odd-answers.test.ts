import { describe, expect, test } from "vitest";
import type { ModelSettings } from "#agent/models/decision";
import { type Body, runModel, toSse as sse } from "#test/model-run";

type Json = Record<string, unknown>;

const CHAT: ModelSettings = {
  model: "openai-compatible:m",
  env: { OPENAI_COMPATIBLE_BASE_URL: "http://model.test/v1" },
};
const ANTHROPIC: ModelSettings = { model: "anthropic", env: { ANTHROPIC_API_KEY: "k" } };
const OPENAI: ModelSettings = { model: "openai:m", env: { OPENAI_API_KEY: "k" } };

const chunk = (delta: unknown, finish_reason: unknown = null, more: Json = {}): Json => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const END = [chunk({}, "stop"), "[DONE]"];
const HI = chunk({ content: "Hi." });
const INPUT = '{"project":"KAY"}';
const call = (input: unknown = INPUT, name = "jira__search") => ({
  index: 0,
  id: "c1",
  type: "function",
  function: { name, arguments: input },
});
const nameCall = (name: string) => ({ index: 0, function: { name } });
const input = (text: string) => ({ index: 0, function: { arguments: text } });
const calls = (...deltas: unknown[]) =>
  sse(...deltas.map((call) => chunk({ tool_calls: call })), chunk({}, "tool_calls"), "[DONE]");
const json = (body: unknown) => Response.json(body);

describe("Chat Completions of other servers", () => {
  test.each<[string, Body]>([
    ["usage without choices", sse(HI, chunk({}, "stop"), { usage: { prompt_tokens: 3 } }, "[DONE]")],
    ["choices of null", sse(HI, chunk({}, "stop"), { choices: null, usage: { prompt_tokens: 3 } }, "[DONE]")],
    ["an error of null in each chunk", sse({ ...HI, error: null }, { ...chunk({}, "stop"), error: null })],
    ["another role", sse(chunk({ role: "model", content: "Hi." }), ...END)],
    ["numbers as texts and texts as numbers", sse({ ...HI, created: "17", id: 7 }, ...END)],
    ["token counts as texts", sse(HI, chunk({}, "stop", { usage: { prompt_tokens: "3", completion_tokens: "2" } }))],
    ["a reason that is a number", sse(HI, chunk({}, 1))],
    ["a reason that is true", sse(HI, chunk({}, true))],
    ["a reason in each chunk", sse(chunk({ content: "Hi" }, "stop"), chunk({ content: "." }, "stop"))],
    ["a message instead of a delta", sse({ choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] })],
    [
      "the whole message behind its pieces",
      sse(HI, { choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] }),
    ],
    ["an answer that is not streamed", json({ choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] })],
    ["keepalives as data", `data:\n\n${sse("ping", { type: "ping" }, HI, {}, ...END)}`],
    ["comments, CR LF and a byte-order mark", `\uFEFF: wait\n\n${sse(HI, ...END)}`.replaceAll("\n", "\r\n")],
    ["an end mark in its own spelling", sse(HI, chunk({}, "stop"), " [done] ")],
    ["an end without a blank line", sse(HI, chunk({}, "stop")).trimEnd()],
    ["NaN", sse(JSON.stringify({ ...HI, x: 1 }).replace('"x":1', '"x": NaN'), ...END)],
    ["text in an object", sse(chunk({ content: { text: "Hi." } }), ...END)],
    ["texts in a list", sse(chunk({ content: ["Hi", { type: "output_text", text: "." }] }), ...END)],
    ["reasoning in an object", sse(chunk({ reasoning: { text: "x" } }), HI, ...END)],
    ["reasoning as a field of Ollama's own API", sse(chunk({ thinking: "x" }), HI, ...END)],
    ["reasoning in details alone", sse(chunk({ reasoning_details: [{ text: "x" }] }), HI, ...END)],
    ["text as before Chat Completions", sse({ choices: [{ text: "Hi.", finish_reason: "stop" }] })],
    [
      "a second choice",
      sse({ choices: [{ delta: { content: "Hi." } }, { index: 1, delta: { content: "Yo." } }] }, ...END),
    ],
    [
      "lines of Ollama's own API",
      [
        { model: "m", message: { role: "assistant", content: "Hi" }, done: false },
        { model: "m", message: { role: "assistant", content: "." }, done: true, done_reason: "stop", eval_count: 2 },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    ],
    [
      "one event in several lines",
      `data: {"choices":[{"delta":{"content":"Hi."},\ndata: "finish_reason":"stop"}]}\n\n`,
    ],
  ])("%s is read", async (_, body) => {
    const { text, last } = await runModel(CHAT, [body]);
    expect({ text, last }).toMatchObject({ text: "Hi.", last: { type: "finish", finishReason: "stop" } });
  });

  test.each<[string, Body]>([
    ["an object as arguments", calls([call({ project: "KAY" })])],
    ["an ID that is a number", calls([{ ...call(), id: 5 }])],
    ["an index that is a text", calls([{ ...call(), index: "0" }])],
    ["one call instead of a list", calls(call())],
    ["its name in pieces", calls([call("", "jira_")], [nameCall("_sear")], [nameCall("ch")], [input(INPUT)])],
    ["its name growing", calls([call("", "jira_")], [nameCall("jira__search")], [input(INPUT)])],
    ["its name in each piece", calls([call("")], [{ ...call('{"project":') }], [{ ...call('"KAY"}') }])],
    ["a first delta without its function", calls([{ index: 0, id: "c1" }], [{ ...call(), id: undefined }])],
    ["a name and arguments without a function", calls([{ id: "c1", name: "jira__search", arguments: INPUT }])],
    ["an extension that is no object", calls([{ ...call(), extra_content: "x" }])],
    ["the function_call of older servers", sse(chunk({ function_call: call().function }), chunk({}, "function_call"))],
    [
      "a call that is not streamed",
      json({ choices: [{ message: { content: null, tool_calls: [call()] }, finish_reason: "tool_calls" }] }),
    ],
  ])("a call runs with %s", async (_, body) => {
    expect((await runModel(CHAT, [body, sse(HI, ...END)])).ran).toEqual([{ project: "KAY" }]);
  });

  test.each<[string, Body, string]>([
    ["of Groq", sse(HI, { ...chunk({}), x_groq: { id: "r", error: "Over capacity" } }), "Over capacity"],
    // https://openrouter.ai/docs/api-reference/errors
    [
      "of OpenRouter's provider, as a text",
      sse({
        error: { code: 429, message: "Provider returned error", metadata: { raw: "m is rate-limited upstream" } },
      }),
      "m is rate-limited upstream",
    ],
    ["in a choice", sse({ choices: [{ delta: {}, finish_reason: "error", error: { message: "Idle" } }] }), "Idle"],
    ["instead of a stream", json({ error: { message: "Overloaded" } }), "Overloaded"],
    ["in the server's own form", json({ code: 1113, msg: "Balance is not enough" }), "Balance is not enough"],
    ["as a text", sse(HI, { error: "CUDA out of memory" }), "CUDA out of memory"],
    ["with a code alone", sse(HI, { error: { code: "rate_limit_exceeded", message: null } }), "rate limit exceeded"],
    ["with a number alone", sse({ error: { code: 429 } }), "code 429"],
    ["of vLLM", sse(HI, { object: "error", message: "CUDA error", code: 500 }), "CUDA error"],
    ["of FastAPI", sse(HI, { detail: "Internal error" }), "Internal error"],
  ])("an error %s is told in the server's words", async (_, body, words) => {
    const { last } = await runModel(CHAT, [body]);
    expect(last).toMatchObject({ errorText: `OpenAI-compatible m reported an error in its answer: ${words}.` });
  });

  test("an event that cannot be read ends the answer, since its words are missing", async () => {
    const { last } = await runModel(CHAT, [sse('{"choices":[{"delta":{"content":"H', HI, ...END)]);
    expect(last).toMatchObject({ errorText: "OpenAI-compatible m gave an answer that could not be read." });
  });
});

const HARMONY = "<|start|>assistant<|channel|>final<|message|>";

// Marks that open models leave in their text when the server does not know them
test.each<[string, string[]]>([
  ["Mistral", ["[THI", "NK]secret[/THINK]Hi."]],
  ["Kimi", ["◁think▷secret◁/th", "ink▷Hi."]],
  ["Cohere", ["<|START_THINKING|>secret<|END_THINKING|>", "<|START_RESPONSE|>Hi.<|END_RESPONSE|>"]],
  ["Seed", ["<seed:think>secret</seed:think>Hi."]],
  ["a tag with a line break", ["<think\n>secret</think>Hi."]],
  ["gpt-oss", ["<|channel|>analysis<|mess", `age|>secret<|end|>${HARMONY}Hi.<|return|>`]],
  ["models after R1", ["<think>secret</think>\n\n<ans", "wer>\nHi.", "</answer>\n"]],
])("thoughts and marks of %s are not part of the answer", async (_, pieces) => {
  const { text, thought } = await runModel(CHAT, [sse(...pieces.map((content) => chunk({ content })), ...END)]);
  expect({ text, thought }).toEqual({ text: "Hi.", thought: "secret" });
});

test.each<[string, string, string]>([
  ["analysissecretassist|antfinalHi.", "Hi.", "secret"],
  ["Hi, an analysis|.", "Hi, an analysis.", ""],
  ["analysis of it: |none", "analysis of it: none", ""],
])("channels of gpt-oss without their marks, %j, are thought and answer", async (words, text, thought) => {
  const settings = { model: "openai-compatible:gpt-oss-20b", env: CHAT.env };
  const body = sse(...words.split("|").map((content) => chunk({ content })), ...END);
  expect(await runModel(settings, [body])).toMatchObject({ text, thought });
});

test("words that only look like the beginning of a mark are kept", async () => {
  const { text } = await runModel(CHAT, [
    sse(...["a [T", "1] < b <|x", " [THIN"].map((content) => chunk({ content })), ...END),
  ]);
  expect(text).toBe("a [T1] < b <|x [THIN");
});

const OLLAMA: ModelSettings = { model: "ollama:foo", env: { OLLAMA_HOST: "127.0.0.1:11434" } };
const refuse = (status: number, body: unknown) =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
const page = (title: string) => `<!DOCTYPE html><html><head><title>${title}</title></head></html>`;

test.each<[string, () => ModelSettings, () => Response, RegExp, RegExp]>([
  [
    "a model that Ollama does not have",
    () => OLLAMA,
    () => refuse(404, { error: { message: "model 'foo' not found" } }),
    /^Ollama foo is not available from its provider \(HTTP 404\): model 'foo' not found\.$/,
    /^Run `ollama pull foo`, or /,
  ],
  [
    "a page of a firewall",
    () => CHAT,
    () => refuse(403, page("Attention\n Required! | Cloudflare")),
    /^OpenAI-compatible m denied access \(HTTP 403\)\. Its answer is the web page “Attention Required! \| Cloudflare”\.$/,
    /^Try again, or /,
  ],
  [
    "the JSON of an upstream in a text",
    () => CHAT,
    () => refuse(400, JSON.stringify(JSON.stringify({ error: { message: "inner words" } }))),
    /^OpenAI-compatible m refused the request \(HTTP 400\): inner words\.$/,
    /^Try again, or /,
  ],
  [
    "a request that a proxy finds too large",
    () => CHAT,
    () => refuse(413, page("413 Request Entity Too Large")),
    /^The conversation is too long for OpenAI-compatible m; start a new one\.$/,
    /^Start a new conversation/,
  ],
  [
    "a request that is too large for Anthropic",
    () => ANTHROPIC,
    () =>
      refuse(413, { type: "error", error: { type: "request_too_large", message: "Request exceeds the maximum size" } }),
    /^The conversation is too long for Anthropic .+; start a new one\.$/,
    /^Start a new conversation/,
  ],
  [
    "an answer without a body",
    () => CHAT,
    () => new Response(null, { status: 204 }),
    /^The connection to OpenAI-compatible m was lost before its answer was complete\.$/,
    /^Try again, or /,
  ],
])("%s is told with what to do", async (_, settings, answer, errorText, hint) => {
  const { last } = await runModel(settings(), [answer(), answer()]);
  expect(last).toMatchObject({
    errorText: expect.stringMatching(errorText),
    problem: { hint: expect.stringMatching(hint) },
  });
});

const event = (type: string, more: Json = {}) => ({ type, ...more });
const message = (usage?: Json) =>
  event("message_start", { message: { id: "m", content: [], ...(usage ? { usage } : {}) } });
const block = (content_block: Json, delta?: Json, index = 0) => [
  event("content_block_start", { index, content_block }),
  ...(delta ? [event("content_block_delta", { index, delta })] : []),
  event("content_block_stop", { index }),
];
const words = (index = 0) => block({ type: "text", text: "" }, { type: "text_delta", text: "Hi." }, index);
const use = { type: "tool_use", id: "t1", name: "jira__search" };
const endMessage = (stop_reason = "end_turn", usage: unknown = { output_tokens: 5 }) => [
  event("message_delta", { delta: { stop_reason }, usage }),
  event("message_stop"),
];
const counted = message({ input_tokens: 3, output_tokens: 1 });

// https://github.com/vercel/ai, packages/openai and packages/anthropic: openai-phase.1, azure-deepseek-reasoning.1, spliced-message-start
test("a remark before an answer stays apart from it, and is marked as one in the next request", async () => {
  const words = (id: string, output_index: number, phase: string, delta: string) => {
    const item = { type: "message", id, phase, content: [] };
    return [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_text.delta", output_index, item_id: id, delta },
      {
        type: "response.output_item.done",
        output_index,
        item: { ...item, content: [{ type: "output_text", text: delta }] },
      },
    ];
  };
  const call = { type: "function_call", id: "f", call_id: "c1", name: "jira__search", arguments: INPUT };
  const remark = words("m1", 0, "commentary", "Got it");
  const completed = { type: "response.completed", response: {} };
  const item = [{ type: "response.output_item.done", output_index: 1, item: call }];
  const { text, requests } = await runModel(OPENAI, [
    sse(...remark, ...item, completed),
    sse(...remark, ...words("m2", 2, "final_answer", "Hi."), completed),
  ]);
  expect(text).toBe("Got itGot it\n\nHi.");
  expect(requests[1]).toContain('"phase":"commentary"');
});

test.each<[string, ModelSettings, Body, string, string]>([
  [
    "Chat Completions instead of Responses",
    OPENAI,
    sse(HI, ...END),
    "OpenAI m answers with Chat Completions instead of OpenAI's Responses.",
    "needs the provider `openai-compatible`",
  ],
  [
    "a second answer within the first",
    ANTHROPIC,
    sse(counted, ...block(use, { type: "input_json_delta", partial_json: '{"project":"KA' }).slice(0, 2), counted),
    "Anthropic claude-sonnet-5-5 reported an error in its answer: it began again in the middle of its answer.",
    "Try again",
  ],
])("%s is told with what to do", async (_, settings, body, errorText, hint) => {
  const { last, ran } = await runModel(settings, [body]);
  expect(last).toMatchObject({ errorText, problem: { hint: expect.stringContaining(hint) } });
  expect(ran).toEqual([]);
});

test("a refusal that comes whole is a refusal", async () => {
  const item = { type: "message", id: "i", content: [{ type: "refusal", refusal: "I can't." }] };
  const body = sse(
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: {} },
  );
  const { last } = await runModel(OPENAI, [body]);
  expect(last).toMatchObject({ errorText: "OpenAI m refused to answer." });
});

describe("Anthropic's Messages of other servers", () => {
  test.each<[string, Body]>([
    ["unknown events", sse(counted, event("heartbeat"), {}, ...words(), ...endMessage())],
    [
      "unknown blocks and pieces",
      sse(counted, ...block({ type: "future" }, { type: "future_delta" }), ...words(1), ...endMessage()),
    ],
    ["a beginning without usage", sse(message(), ...words(), ...endMessage())],
    ["an end with usage of null", sse(counted, ...words(), ...endMessage("end_turn", null))],
    [
      "a text block without text",
      sse(counted, ...block({ type: "text" }, { type: "text_delta", text: "Hi." }), ...endMessage()),
    ],
    ["the words in the start of a block", sse(counted, ...block({ type: "text", text: "Hi." }), ...endMessage())],
    ["a piece of a block that was not started", sse(counted, ...words().slice(1, 2), ...endMessage())],
    [
      "an answer that is not streamed",
      json({ type: "message", content: [{ type: "text", text: "Hi." }], stop_reason: "end_turn" }),
    ],
  ])("%s are read", async (_, body) => {
    const { text, last } = await runModel(ANTHROPIC, [body]);
    expect({ text, last }).toMatchObject({ text: "Hi.", last: { type: "finish", finishReason: "stop" } });
  });

  test.each<[string, Json[]]>([
    ["that was not ended", block(use, { type: "input_json_delta", partial_json: INPUT }).slice(0, 2)],
    ["with its whole input at its start", block({ ...use, input: { project: "KAY" } })],
  ])("a call %s runs", async (_, events) => {
    const { ran } = await runModel(ANTHROPIC, [
      sse(counted, ...events, ...endMessage("tool_use")),
      sse(counted, ...words(), ...endMessage()),
    ]);
    expect(ran).toEqual([{ project: "KAY" }]);
  });
});

test.each<[string, ModelSettings]>([
  ["OpenAI", { model: "openai", env: { OPENAI_API_KEY: "k" } }],
  ["Gemini", { model: "google", env: { GEMINI_API_KEY: "k" } }],
])("a web page instead of an answer of %s says to check the URL", async (_, settings) => {
  const page = new Response("<html><title>Sign in</title></html>", { headers: { "content-type": "text/html" } });
  const { last } = await runModel(settings, [page]);
  expect(last).toMatchObject({
    errorText: expect.stringMatching(/ answered with a web page instead of an answer\.$/),
    problem: { hint: expect.stringMatching(/^Check the base URL of the provider\./) },
  });
});

test("a redirect to another site gets neither the key nor the conversation", async () => {
  const moved = new Response(null, { status: 307, headers: { location: "https://evil.example/v1/messages" } });
  const { last } = await runModel(ANTHROPIC, [moved]);
  expect(last).toMatchObject({
    errorText: expect.stringMatching(/ redirected the request to evil\.example, so nothing was sent there\.$/),
  });
});

test("a call that Gemini ran itself is no call to kay", async () => {
  const parts = [
    { executableCode: { language: "PYTHON", code: "1" } },
    { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
    { text: "Hi." },
  ];
  const body = sse({ candidates: [{ content: { parts }, finishReason: "STOP" }] });
  const { text, last } = await runModel({ model: "google", env: { GEMINI_API_KEY: "k" } }, [body]);
  expect({ text, last }).toMatchObject({ text: "Hi.", last: { type: "finish", finishReason: "stop" } });
});
