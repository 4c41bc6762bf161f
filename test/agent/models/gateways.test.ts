import { describe, expect, test } from "vitest";
import type { ModelSettings } from "#agent/models/decision";
import { type Body, runModel, toSse as sse } from "#test/model-run";

type Json = Record<string, unknown>;

const OPENAI: ModelSettings = { model: "openai", env: { OPENAI_API_KEY: "k" } };
const GEMINI: ModelSettings = { model: "google", env: { GEMINI_API_KEY: "k" } };
const ANTHROPIC: ModelSettings = { model: "anthropic", env: { ANTHROPIC_API_KEY: "k" } };
const CHAT: ModelSettings = { model: "openai-compatible:m", env: { OPENAI_COMPATIBLE_BASE_URL: "http://m.test/v1" } };

const INPUT = '{"project":"KAY"}';
const json = (body: unknown, type = "application/json") =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { headers: { "content-type": type } });

const event = (type: string, more: Json = {}) => ({ type: `response.${type}`, ...more });
const created = event("created", { response: { id: "r", created_at: 1, model: "m" } });
const completed = event("completed", { response: { usage: { input_tokens: 3, output_tokens: 2 } } });
const message = { type: "message", id: "msg_1" };
const delta = (text: string, more: Json = {}) =>
  event("output_text.delta", { item_id: "msg_1", output_index: 0, delta: text, ...more });
const addItem = (item: Json | null, output_index: unknown = 0) => event("output_item.added", { item, output_index });
const endItem = (item: Json | null, output_index: unknown = 0) => event("output_item.done", { item, output_index });
const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "jira__search", arguments: "" };
const filled = { ...call, arguments: INPUT, status: "completed" };
const content = (text: string) => [{ type: "output_text", text, annotations: [] }];
const say = (...events: Json[]) => sse(created, ...events, completed);
const SAID = say(addItem(message), delta("Hi."), endItem(message));

describe("the Responses API of gateways and local servers", () => {
  test.each<[string, Body]>([
    // https://github.com/BerriAI/litellm/issues/30071: Copilot gives each event of an item another ID
    [
      "another ID in each event",
      say(
        addItem(message),
        delta("Hi", { item_id: "x" }),
        delta(".", { item_id: "y" }),
        endItem({ ...message, id: "z" }),
      ),
    ],
    // https://github.com/theopenco/llmgateway/pull/2287
    ["no ID in its pieces", say(addItem(message), delta("Hi.", { item_id: undefined }), endItem(message))],
    ["no index", say(addItem(message, null), delta("Hi.", { output_index: null }), endItem(message, undefined))],
    // https://github.com/anomalyco/opencode/pull/45330
    [
      "empty IDs and an item of null",
      say(
        addItem(null),
        addItem({ ...message, id: "" }),
        delta("Hi.", { item_id: "" }),
        endItem(null),
        endItem({ ...message, id: "" }),
      ),
    ],
    ["no beginning of its item", say(delta("Hi."), endItem(message))],
    ["no end of its item", say(addItem(message), delta("Hi."))],
    ["only pieces", sse(delta("Hi"), delta("."), completed)],
    [
      "its words only at the end of the text",
      say(
        addItem(message),
        event("output_text.done", { item_id: "msg_1", output_index: 0, text: "Hi." }),
        endItem(message),
      ),
    ],
    ["its words only at the end of the item", say(addItem(message), endItem({ ...message, content: content("Hi.") }))],
    [
      "its words only at the end of the answer",
      sse(created, event("completed", { response: { output: [{ ...message, content: content("Hi.") }] } })),
    ],
    [
      "its words twice",
      say(
        addItem(message),
        delta("Hi."),
        event("output_text.done", { text: "Hi.", item_id: "msg_1" }),
        endItem({ ...message, content: content("Hi.") }),
        event("completed", { response: { output: [{ ...message, content: content("Hi.") }] } }),
      ),
    ],
    // https://github.com/diegosouzapw/OmniRoute/issues/13964
    [
      "a beginning without fields",
      sse(
        event("created"),
        event("in_progress", { response: {} }),
        addItem(message),
        delta("Hi."),
        endItem(message),
        event("completed"),
      ),
    ],
    [
      "a time as a text",
      sse(
        event("created", { response: { id: null, created_at: "1795900000.5", model: null } }),
        delta("Hi."),
        completed,
      ),
    ],
    [
      "counts of null",
      sse(
        created,
        delta("Hi."),
        event("completed", { response: { usage: { input_tokens: null }, incomplete_details: {} } }),
      ),
    ],
    [
      "unknown events and items",
      say(
        { type: "keepalive" },
        addItem({ type: "future", id: 1 }, 0),
        endItem({ type: "future" }, 0),
        addItem(message, 1),
        delta("Hi.", { output_index: 1 }),
        endItem(message, 1),
      ),
    ],
    [
      "a reasoning item whose parts were not announced",
      say(
        event("reasoning_summary_text.delta", { item_id: "rs", output_index: 0, delta: "Hm." }),
        addItem(message, 1),
        delta("Hi.", { output_index: 1 }),
        endItem(message, 1),
      ),
    ],
    [
      "an answer that is not streamed",
      json({
        id: "r",
        object: "response",
        status: "completed",
        output: [
          { type: "reasoning", id: "rs", summary: [] },
          { ...message, content: content("Hi.") },
        ],
      }),
    ],
    ["events as JSON", json(SAID)],
    ["events as text", json(SAID, "text/plain")],
    ["no content type", new Response(SAID, { headers: { "content-type": "" } })],
  ])("an answer with %s is read", async (_, body) => {
    const { text, last } = await runModel(OPENAI, [body]);
    expect({ text, last }).toMatchObject({ text: "Hi.", last: { type: "finish", finishReason: "stop" } });
  });

  test("thoughts of gpt-oss are separate from the answer", async () => {
    // https://github.com/vllm-project/vllm/pull/24788
    const thought = { type: "reasoning", id: "rs_1", summary: [] };
    const piece = event("reasoning_text.delta", { item_id: "rs_1", output_index: 0, content_index: 0, delta: "Hm." });
    const { text, thought: thoughts } = await runModel(OPENAI, [
      say(
        addItem(thought),
        piece,
        endItem({ ...thought, content: [{ type: "reasoning_text", text: "Hm." }] }),
        addItem(message, 1),
        delta("Hi.", { output_index: 1 }),
        endItem(message, 1),
      ),
    ]);
    expect([text, thoughts]).toEqual(["Hi.", "Hm."]);
  });

  const piece = (text: string, more: Json = {}) =>
    event("function_call_arguments.delta", { item_id: "fc_1", output_index: 0, delta: text, ...more });
  test.each<[string, Json[]]>([
    [
      "no item ID",
      [
        addItem({ ...call, id: undefined }),
        piece(INPUT, { item_id: undefined }),
        endItem({ ...filled, id: undefined }),
      ],
    ],
    ["no status", [addItem(call), piece(INPUT), endItem({ ...filled, status: undefined })]],
    ["an object as its arguments", [addItem(call), endItem({ ...filled, arguments: { project: "KAY" } })]],
    ["no end", [addItem(call), piece('{"project":'), piece('"KAY"}')]],
    [
      "arguments only at their end",
      [addItem(call), event("function_call_arguments.done", { item_id: "fc_1", output_index: 0, arguments: INPUT })],
    ],
    // https://github.com/lidge-jun/opencodex/issues/995: encrypted pieces, and the arguments at the end
    [
      "pieces that are encrypted",
      [addItem(call), piece("xK9/", { item_id: "q", obfuscation: "a" }), endItem({ ...filled, id: "z" })],
    ],
    ["no beginning", [endItem(filled)]],
  ])("a call with %s runs once", async (_, events) => {
    expect((await runModel(OPENAI, [say(...events), SAID])).ran).toEqual([{ project: "KAY" }]);
  });

  test("parallel calls under the same index stay apart", async () => {
    // https://github.com/mcowger/plexus/issues/691
    const second = { ...call, id: "fc_2", call_id: "c2" };
    const other = '{"project":"OPS"}';
    const { ran } = await runModel(OPENAI, [
      say(
        addItem(call),
        addItem(second),
        piece(INPUT),
        piece(other, { item_id: "fc_2" }),
        endItem(filled),
        endItem({ ...second, arguments: other }),
      ),
      SAID,
    ]);
    expect(ran).toEqual([{ project: "KAY" }, { project: "OPS" }]);
  });

  test.each<[string, Body, string]>([
    [
      "a failure without a number",
      sse(created, delta("H"), event("failed", { response: { error: { code: "server_error", message: "Idle" } } })),
      "Idle",
    ],
    ["an error without a number", sse(created, delta("H"), { type: "error", code: null, message: "Idle" }), "Idle"],
    ["an error in another form", sse(created, delta("H"), { error: { message: "Idle", code: 502 } }), "Idle"],
    ["an error that is a text", sse(created, delta("H"), { error: "Idle" }), "Idle"],
    [
      "a failed answer that is not streamed",
      json({ object: "response", status: "failed", output: [], error: { message: "Idle" } }),
      "Idle",
    ],
  ])("%s is reported in its words", async (_, body, words) => {
    const { last } = await runModel(OPENAI, [typeof body === "string" ? body : body.clone(), body]);
    expect(last).toMatchObject({ type: "error", errorText: expect.stringContaining(words) });
  });

  test("the length limit is noticed whatever its form", async () => {
    for (const incomplete_details of [{ reason: "max_output_tokens" }, "max_output_tokens"]) {
      const { last } = await runModel(OPENAI, [
        sse(created, delta("Hi"), event("incomplete", { response: { incomplete_details } })),
      ]);
      expect(last).toMatchObject({ problem: { details: { finish_reason: "length", text: "Hi" } } });
    }
  });

  test("the conversation is sent whole, because gateways store nothing", async () => {
    // https://github.com/theopenco/llmgateway/pull/2714
    const { requests } = await runModel(OPENAI, [
      say(addItem(message), delta("Wait."), endItem(message), addItem(call, 1), endItem(filled, 1)),
      SAID,
    ]);
    expect(requests[1]).toContain("Wait.");
    expect(requests[1]).not.toMatch(/item_reference|previous_response_id/);
    expect(JSON.parse(requests[1] ?? "")).toMatchObject({ store: false });
  });
});

const gemini = (parts: unknown, more: Json = { finishReason: "STOP" }) => ({
  candidates: [{ content: { role: "model", parts }, ...more }],
});

describe("Gemini's API of proxies", () => {
  test.each<[string, Body]>([
    // https://github.com/nyroway/nyro/pull/182
    ["that is not streamed", json(gemini([{ text: "Hi." }]))],
    // https://github.com/nyo16/nous/pull/26
    ["that is a list", json([gemini([{ text: "Hi" }], {}), gemini([{ text: "." }])])],
    [
      "that is a list over several lines",
      json(
        `[${JSON.stringify(gemini([{ text: "Hi" }], {}), null, 2)}\n,\n${JSON.stringify(gemini([{ text: "." }]))}\n]\n`,
      ),
    ],
    [
      "with one object in each line",
      json(
        `${JSON.stringify(gemini([{ text: "Hi" }], {}))}\n${JSON.stringify(gemini([{ text: "." }]))}\n`,
        "application/x-ndjson",
      ),
    ],
    [
      "in snake case",
      sse({
        candidates: [{ content: { parts: [{ text: "Hi." }] }, finish_reason: "STOP" }],
        usage_metadata: { prompt_token_count: 3 },
      }),
    ],
    ["with a number as its reason", sse({ candidates: [{ content: { parts: [{ text: "Hi." }] }, finishReason: 1 }] })],
    ["within an object", sse({ response: gemini([{ text: "Hi." }]), traceId: "t" })],
    ["with one part instead of a list", sse(gemini({ text: "Hi." }))],
    [
      "without content at its end",
      sse(gemini([{ text: "Hi." }], {}), { candidates: [{ finishReason: "STOP", index: 0 }], usageMetadata: null }),
    ],
    [
      "with content of null",
      sse(gemini([{ text: "Hi." }], {}), { candidates: [{ content: null, finishReason: "STOP" }] }),
    ],
    ["with an unknown part", sse(gemini([{ future: {} }, { inlineData: { data: 7 } }, { text: "Hi." }]))],
    [
      "with counts in another form",
      sse({
        ...gemini([{ text: "Hi." }]),
        usageMetadata: { promptTokenCount: "3", promptTokensDetails: [{ modality: 1 }] },
      }),
    ],
    [
      "with safety ratings of null",
      sse({
        ...gemini([{ text: "Hi." }], {
          finishReason: "STOP",
          safetyRatings: null,
          groundingMetadata: { groundingChunks: [{ web: null }] },
        }),
        promptFeedback: null,
      }),
    ],
    ["with an end mark of OpenAI", `${sse(gemini([{ text: "Hi." }]))}data: [DONE]\n\n`],
  ])("an answer %s is read", async (_, body) => {
    const { text, last } = await runModel(GEMINI, [body]);
    expect({ text, last }).toMatchObject({ text: "Hi.", last: { type: "finish", finishReason: "stop" } });
  });

  test.each<[string, Json]>([
    ["in snake case", { function_call: { name: "jira__search", args: { project: "KAY" } }, thought_signature: "s" }],
    ["with an ID of null", { functionCall: { id: null, name: "jira__search", args: { project: "KAY" } } }],
    ["with a text as arguments", { functionCall: { name: "jira__search", args: INPUT } }],
    ["with the arguments of OpenAI", { functionCall: { name: "jira__search", arguments: INPUT } }],
  ])("a call %s runs", async (_, part) => {
    const answers = [sse(gemini([part])), sse(gemini([{ text: "Hi." }]))];
    expect((await runModel(GEMINI, answers)).ran).toEqual([{ project: "KAY" }]);
  });

  test.each<[string, Body]>([
    ["in a list", json([{ error: { code: 503, message: "Idle", status: "UNAVAILABLE" } }])],
    ["in a list within an event", sse([{ error: { code: 503, message: "Idle", status: "UNAVAILABLE" } }])],
    ["that is a text", sse({ error: "Idle" })],
    ["without a status", sse({ error: { code: "E1", message: "Idle" } })],
    ["in a bare line", '{"error": {"code": 503, "message": "Idle"}}\n\n'],
  ])("an error %s is reported in its words", async (_, body) => {
    expect((await runModel(GEMINI, [body])).last).toMatchObject({ errorText: expect.stringMatching(/: Idle\.$/) });
  });

  test("a prompt that was blocked is a failure", async () => {
    const { last } = await runModel(GEMINI, [sse({ prompt_feedback: { block_reason: "PROHIBITED_CONTENT" } })]);
    expect(last).toMatchObject({ problem: { details: { finish_reason: "content_filter" } } });
  });
});

const chunk = (delta: unknown, finish_reason: unknown = null) => ({
  id: "c",
  choices: [{ index: 0, delta: delta, finish_reason }],
});
const use = (index: unknown, id: unknown, args: string, name: unknown = "jira__search") => ({
  index,
  id,
  type: "function",
  function: { name, arguments: args },
});
const calls = (...lists: Json[][]) =>
  sse(...lists.map((tool_calls) => chunk({ tool_calls })), chunk({}, "tool_calls"), "[DONE]");
const HI = sse(chunk({ content: "Hi." }), chunk({}, "stop"), "[DONE]");
const BOTH = [{ project: "KAY" }, { project: "OPS" }];
const OTHER = '{"project":"OPS"}';

describe("Chat Completions", () => {
  test.each<[string, string]>([
    // https://github.com/apache/maka/issues/1976: Ollama gives every call the index 0
    ["under the same index", calls([use(0, "a", INPUT)], [use(0, "b", OTHER)])],
    ["under the same index in one chunk", calls([use(0, "a", INPUT), use(0, "b", OTHER)])],
    // https://github.com/SamSaffron/term-llm/pull/314
    ["without an index", calls([use(undefined, "a", INPUT)], [use(undefined, "b", OTHER)])],
    [
      "without an index, in pieces",
      calls([use(null, "a", "")], [use(null, null, INPUT, null)], [use(null, "b", "")], [use(null, null, OTHER, null)]),
    ],
    ["without an index and an ID", calls([use(undefined, undefined, INPUT), use(undefined, undefined, OTHER)])],
    ["with the same ID", calls([use(0, "a", INPUT)], [use(1, "a", OTHER)])],
    // https://github.com/QwenLM/Qwen-Agent/pull/943
    [
      "interleaved",
      calls(
        [use(0, "a", '{"project"')],
        [use(1, "b", '{"project"')],
        [use(0, null, ':"KAY"}', null)],
        [use(1, null, ':"OPS"}', null)],
      ),
    ],
    [
      "with their ID in each piece",
      calls([use(0, "a", '{"project"'), use(1, "b", "")], [use(0, "a", ':"KAY"}', "")], [use(1, "b", OTHER, "")]),
    ],
    // The wrapper of OpenAI's models: https://github.com/respawn-llc/kent/issues/45
    [
      "within one call",
      calls([
        use(
          0,
          "a",
          JSON.stringify({
            tool_uses: BOTH.map((parameters) => ({ recipient_name: "functions.jira__search", parameters })),
          }),
          "multi_tool_use.parallel",
        ),
      ]),
    ],
    [
      "within one call of another name",
      calls([
        use(
          0,
          "a",
          JSON.stringify({ calls: BOTH.map((input) => ({ tool: "jira.search", arguments: JSON.stringify(input) })) }),
          "batch",
        ),
      ]),
    ],
  ])("parallel calls %s stay apart", async (_, body) => {
    expect((await runModel(CHAT, [body, HI])).ran).toEqual(BOTH);
  });

  test.each<[string, string]>([
    ["another ID in each piece", calls([use(0, "a", '{"project"')], [use(0, "b", ':"KAY"}', null)])],
    ["another ID and its name in each piece", calls([use(0, "a", '{"project"')], [use(0, "b", ':"KAY"}')])],
    ["an index from 1", calls([use(1, "a", INPUT)])],
  ])("a call with %s runs once", async (_, body) => {
    expect((await runModel(CHAT, [body, HI])).ran).toEqual([{ project: "KAY" }]);
  });

  test("a wrapper with anything but calls of tools is one call that no tool accepts", async () => {
    const uses = [
      { recipient_name: "functions.jira__search", parameters: {} },
      { recipient_name: "functions.rm", parameters: {} },
    ];
    const { ran, requests } = await runModel(CHAT, [
      calls([use(0, "a", JSON.stringify({ tool_uses: uses }), "multi_tool_use.parallel")]),
      HI,
    ]);
    expect(ran).toEqual([]);
    expect(requests).toHaveLength(2);
  });

  test.each<[string, Body]>([
    // https://github.com/openai/openai-python/issues/1677
    [
      "chunks of Azure's filter",
      sse(
        { id: "", choices: [], prompt_filter_results: [] },
        chunk({ content: "Hi." }),
        chunk({}, "stop"),
        { choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 1 } }], usage: null },
        "[DONE]",
      ),
    ],
    [
      "one object in each line",
      json(
        `${JSON.stringify(chunk({ content: "Hi." }))}\n${JSON.stringify(chunk({}, "stop"))}\n`,
        "application/x-ndjson",
      ),
    ],
    ["events as JSON", json(HI)],
    [
      "a role alone, then null",
      sse(
        chunk({ role: "assistant", content: null, refusal: null, audio: null, tool_calls: null, function_call: null }),
        chunk({ content: "Hi." }),
        chunk({}, "stop"),
      ),
    ],
    ["an empty list of calls", sse(chunk({ content: "Hi.", tool_calls: [] }), chunk({ tool_calls: [] }, "stop"))],
    [
      "a second choice",
      sse(
        {
          choices: [
            { index: 0, delta: { content: "Hi." } },
            { index: 1, delta: { content: "Ho." } },
          ],
        },
        {
          choices: [
            { index: 0, delta: {}, finish_reason: "stop" },
            { index: 1, delta: {}, finish_reason: "stop" },
          ],
        },
      ),
    ],
    ["the reason eos_token", sse(chunk({ content: "Hi." }), chunk({}, "eos_token"))],
    ["the reason end_turn", sse(chunk({ content: "Hi." }), chunk({}, "end_turn"))],
  ])("%s are read", async (_, body) => {
    const { text, last } = await runModel(CHAT, [body]);
    expect({ text, last }).toMatchObject({ text: "Hi.", last: { type: "finish", finishReason: "stop" } });
  });

  test.each<[string, Body]>([
    // https://github.com/coddy-project/coddy-agent/pull/106: llama.cpp until 2025
    ["in a field of its own", 'error: {"code":400,"message":"Idle","type":"server_error"}\n\ndata: [DONE]\n\n'],
    ["in a bare line", `${sse(chunk({ content: "H" }))}{"error":{"message":"Idle","code":500}}\n\n`],
    ["in a success", json({ error: { message: "Idle", code: 500 } })],
    ["in a list", sse([{ error: { message: "Idle" } }])],
    ["as an event with a name", 'event: error\ndata: {"message":"Idle","code":"internal"}\n\n'],
    [
      "within an object",
      json({ success: false, error: { code: "INTERNAL_SERVER_ERROR", status: 500, message: "Idle" } }),
    ],
  ])("an error %s is reported in its words", async (_, body) => {
    expect((await runModel(CHAT, [body])).last).toMatchObject({ errorText: expect.stringMatching(/: Idle\.$/) });
  });
});

const block = (index: unknown, content_block: Json, delta: Json) => [
  { type: "content_block_start", index, content_block },
  { type: "content_block_delta", index, delta: delta },
];
const start = { type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } } };
const endMessage = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];
const words = { type: "text_delta", text: "Hi." };
const tool = { type: "tool_use", id: "t1", name: "jira__search", input: {} };
const input = { type: "input_json_delta", partial_json: INPUT };

describe("Anthropic's Messages", () => {
  test.each<[string, Json[]]>([
    // https://github.com/xemantic/anthropic-sdk-kotlin/pull/147: Kimi
    ["blocks that were not ended", [...block(0, { type: "text", text: "" }, words), ...block(1, tool, input)]],
    ["blocks under the same index", [...block(0, { type: "text", text: "" }, words), ...block(0, tool, input)]],
    ["no index", [...block(undefined, tool, input), { type: "content_block_stop" }]],
    [
      "an empty first piece",
      [...block(0, tool, { ...input, partial_json: "" }), { type: "content_block_delta", index: 0, delta: input }],
    ],
    ["an object as its input", [...block(0, tool, { type: "input_json_delta", partial_json: { project: "KAY" } })]],
    ["an input of null", [...block(0, { ...tool, input: null }, input)]],
  ])("a call with %s runs once", async (_, events) => {
    const { ran } = await runModel(ANTHROPIC, [
      sse(start, ...events, ...endMessage("tool_use")),
      sse(start, ...block(0, { type: "text", text: "" }, words), ...endMessage("end_turn")),
    ]);
    expect(ran).toEqual([{ project: "KAY" }]);
  });
});

// https://github.com/am17an/llama.cpp/issues/43: a history that is not valid ends the conversation
const BROKEN = '{"project":"KA';
test.each<[string, ModelSettings, Body, RegExp]>([
  ["Chat Completions", CHAT, calls([use(0, "a", BROKEN)]), /"arguments":"\{/],
  ["Responses", OPENAI, say(addItem(call), endItem({ ...filled, arguments: BROKEN })), /"arguments":"\{/],
  ["Gemini", GEMINI, sse(gemini([{ functionCall: { name: "jira__search", args: BROKEN } }])), /"args":\{/],
  [
    "Anthropic",
    ANTHROPIC,
    sse(start, ...block(0, tool, { ...input, partial_json: BROKEN }), ...endMessage("tool_use")),
    /"input":\{/,
  ],
])("broken arguments go back to %s as an object", async (_, settings, body, expected) => {
  expect((await runModel(settings, [body])).requests[1]).toMatch(expected);
});

test("white space before a call is not sent back as a separate block", async () => {
  const { requests } = await runModel(ANTHROPIC, [
    sse(
      start,
      ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "\n\n" }),
      ...block(1, tool, input),
      ...endMessage("tool_use"),
    ),
  ]);
  expect(requests[1]).not.toContain('"text":"\\n\\n"');
});
