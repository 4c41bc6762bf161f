import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { AgentEvent } from "#agent/events";
import { runAgent } from "#agent/loop";
import { selectModel } from "#agent/models/select";
import type { AgentTool } from "#agent/tool";

type Delta = Record<string, unknown>;
type Script = { deltas: Delta[]; finish: string | null };

/** A provider that streams one script after another, in the form of the OpenAI chat API. */
async function provider(scripts: Script[]) {
  const requests: { messages: unknown[] }[] = [];
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on("data", (bytes) => body.push(bytes));
    request.on("end", () => {
      requests.push(JSON.parse(Buffer.concat(body).toString("utf8")));
      const { deltas, finish } = scripts[requests.length - 1] ?? scripts.at(-1) ?? { deltas: [], finish: "stop" };
      const chunk = (delta: Delta, finish_reason: string | null) =>
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${deltas.map((delta) => chunk(delta, null)).join("")}${chunk({}, finish)}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, requests };
}

const say = (content: string, finish = "stop"): Script => ({ deltas: [{ role: "assistant", content }], finish });
const call = (name: string, input: string, finish = "tool_calls"): Script => ({
  deltas: [
    { role: "assistant", tool_calls: [{ index: 0, id: "c1", type: "function", function: { name, arguments: input } }] },
  ],
  finish,
});

async function run(scripts: Script[], name = "m") {
  const { url, requests } = await provider(scripts);
  const env = { OPENAI_COMPATIBLE_BASE_URL: url, OPENAI_COMPATIBLE_API_KEY: "k" };
  const ports = { fetch: (to: string, init?: RequestInit) => fetch(to, init), clock: { now: () => 0 } };
  const { model, label } = await selectModel({ model: `openai-compatible:${name}`, env }, ports);
  const ran: unknown[] = [];
  const events: AgentEvent[] = [];
  const signal = new AbortController().signal;
  const messages = [{ role: "user" as const, content: "go" }];
  for await (const event of runAgent({
    messages,
    tools: [searchTool(ran)],
    model,
    label,
    signal,
    now: 0,
    needsApproval: () => false,
  }))
    events.push(event);
  const last = events.at(-1);
  return { events, ran, requests, last, text: last?.type === "error" ? last.errorText : "" };
}

function searchTool(ran: unknown[]): AgentTool {
  const string = { type: "string" as const };
  return {
    name: "jira.search",
    service: "jira",
    title: "Jira",
    description: "Search issues.",
    access: "read",
    examples: [],
    schema: {
      type: "object",
      properties: {
        project: string,
        limit: { type: "integer" },
        status: string,
        mine: { type: "boolean" },
        labels: { type: "array", items: string },
        numbers: { type: "array", items: { type: "integer" } },
        page: { type: "object", properties: { size: { type: "integer" }, next: string } },
      },
      required: ["project"],
    },
    parse: (input) => input as Record<string, unknown>,
    summary: () => "Search",
    run: async (input) => {
      ran.push(input);
      return { data: [], text: "No issues." };
    },
  };
}

test.each([
  ["nothing", { deltas: [], finish: "stop" }],
  ["white space", say(" \n ")],
  ["invisible characters", say("\u200b\u2060")],
  ["an end mark", say("<|im_end|>")],
  ["only reasoning", { deltas: [{ role: "assistant", reasoning_content: "Let me think." }], finish: "stop" }],
])("B204 an answer of %s is a failure with a sentence", async (_, script) => {
  const { last, text } = await run([script]);
  expect(last).toMatchObject({ type: "error", problem: { code: "MODEL_FAILED", exit: 1 } });
  expect(text).toMatch(/returned an empty answer\.$/);
});

test("B204 an answer that reached the limit before its first word says so", async () => {
  const { text } = await run([{ deltas: [{ role: "assistant", reasoning_content: "Long." }], finish: "length" }]);
  expect(text).toMatch(/reached its output limit before it answered\.$/);
});

test("B205 a truncated answer is a failure that keeps its text", async () => {
  const { last, text } = await run([say("Part of an ans", "length")]);
  expect(text).toMatch(/^The answer is incomplete: .+ reached its output limit\.$/);
  expect(last).toMatchObject({ problem: { exit: 1, details: { finish_reason: "length", text: "Part of an ans" } } });
});

test("B206 an answer that the provider's filter stopped is a failure", async () => {
  const { last, text } = await run([say("Part", "content_filter")]);
  expect(text).toMatch(/^The answer was stopped by the content filter of the provider of /);
  expect(last).toMatchObject({ problem: { details: { finish_reason: "content_filter", text: "Part" } } });
});

test.each(["max_tokens", "model_length", "MAX_TOKENS"])(
  "B205 the reason %s means that the answer was truncated",
  async (end) => {
    const { text } = await run([say("Part of an ans", end)]);
    expect(text).toMatch(/^The answer is incomplete: .+ reached its output limit\.$/);
  },
);

test.each([
  ["SAFETY", /^The answer was stopped by the content filter /],
  ["sensitive", /^The answer was stopped by the content filter /],
  ["refusal", / refused to answer\.$/],
  ["insufficient_system_resource", / ended before it was complete\.$/],
  ["abort", / ended before it was complete\.$/],
])("B206 the reason %s is a failure, with or without a call", async (end, sentence) => {
  expect((await run([say("Part", end)])).text).toMatch(sentence);
  const { ran, text } = await run([call("jira__search", '{"project":"KAY"}', end)]);
  expect({ ran, text }).toEqual({ ran: [], text: expect.stringMatching(sentence) });
});

test.each(["eos_token", "stop_sequence", "function_call"])("the reason %s ends a complete answer", async (end) => {
  expect((await run([say("All of it.", end)])).last).toMatchObject({ type: "finish", finishReason: "stop" });
});

test("B207 a call in a truncated message does not run, and the model is asked for it again", async () => {
  const { ran, requests, last } = await run([call("jira__search", '{"project":"KAY"}', "length"), say("No issues.")]);
  expect(ran).toEqual([]);
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("Your output limit cut this message");
  expect(last).toMatchObject({ type: "finish", finishReason: "stop" });
});

test("B208 a call without a name is never an empty success", async () => {
  const { last, requests } = await run([call("", "{}"), say("recovered")]);
  expect(last?.type === "error" || requests.length === 2).toBe(true);
});

test.each([
  "functions.jira__search",
  "default_api:jira__search",
  "jira__search<|channel|>commentary",
  "jira_search",
  " JIRA__SEARCH",
  "mcp__kay__jira__search",
  "jira__search()",
  "functions.jira__search:0",
  "jira__searchjira__search",
])("B208 a tool with its name spelled %s runs", async (name) => {
  const { ran } = await run([call(name, '{"project":"KAY"}'), say("No issues.")]);
  expect(ran).toEqual([{ project: "KAY" }]);
});

test("B242 null counts as absent, and numbers and switches may be text", async () => {
  const { ran } = await run([
    call("jira__search", '{"project":"KAY","limit":"5","status":null,"mine":"true"}'),
    say("No issues."),
  ]);
  expect(ran).toEqual([{ project: "KAY", limit: 5, mine: true }]);
});

test.each([
  ['{"project":"KAY","limit":"","mine":"True","status":null}', { project: "KAY", mine: true }],
  ['{"project":"KAY","limit":" 5 ","mine":"false"}', { project: "KAY", limit: 5, mine: false }],
  ['{"project":"KAY","labels":"[\\"a\\",\\"b\\"]"}', { project: "KAY", labels: ["a", "b"] }],
  ['{"project":"KAY","numbers":["1","2"]}', { project: "KAY", numbers: [1, 2] }],
  ['{"project":"KAY","page":"{\\"size\\":\\"3\\"}"}', { project: "KAY", page: { size: 3 } }],
  ['{"project":"KAY","page":{"size":"3","next":null}}', { project: "KAY", page: { size: 3 } }],
  ['"{\\"project\\":\\"KAY\\"}"', { project: "KAY" }],
  ['{"project":5}', { project: "5" }],
  ['{"project":"KAY","labels":"a"}', { project: "KAY", labels: ["a"] }],
  ['{"project":"KAY","labels":"a, b"}', { project: "KAY", labels: "a, b" }],
  ['{"project":"KAY","numbers":"1"}', { project: "KAY", numbers: [1] }],
  ['{"project":"KAY","status":1.5}', { project: "KAY", status: 1.5 }],
  ['{"project":"KAY","status":"null"}', { project: "KAY", status: "null" }],
  ['{"project":"KAY","limit":"None","mine":"null"}', { project: "KAY" }],
  ['{"project":"KAY","mine":"yes"}', { project: "KAY", mine: true }],
  ['{"project":"KAY","mine":0}', { project: "KAY", mine: false }],
  ['{"project":"KAY","labels":["a",null]}', { project: "KAY", labels: ["a"] }],
  ['{"project":"KAY","labels":{"item":["a","b"]}}', { project: "KAY", labels: ["a", "b"] }],
  ['{"project":"KAY","labels":"[\'a\', \'b\']"}', { project: "KAY", labels: ["a", "b"] }],
  ['{"project":{"text":"KAY"}}', { project: "KAY" }],
  ['{"project":{"text":"KAY","more":1}}', { project: { text: "KAY", more: 1 } }],
  ['{"parameters":{"project":"KAY"}}', { project: "KAY" }],
  ['{"name":"jira__search","arguments":"{\\"project\\":\\"KAY\\"}"}', { project: "KAY" }],
  ['[{"project":"KAY"}]', { project: "KAY" }],
  ['```json\n{"project":"KAY"}\n```', { project: "KAY" }],
  ['{"project":"KAY"}}', { project: "KAY" }],
  ['{"project":"KAY",}</tool_call>', { project: "KAY" }],
  ['{}{"project":"KAY"}', { project: "KAY" }],
  ['{"project":"KAY"}{"project":"KAY"}', { project: "KAY" }],
  ['{"project":"K\nY"}', { project: "K\nY" }],
  ["{'project': 'it\\'s \"KAY\"', 'mine': True, 'limit': None}", { project: 'it\'s "KAY"', mine: true }],
  ['{"project":9007199254740993}', { project: "9007199254740993" }],
  ['{"project":"KAY","limit":"1e3"}', { project: "KAY", limit: "1e3" }],
  ['{"project":"KAY","limit":"12345678901234567890"}', { project: "KAY", limit: "12345678901234567890" }],
])("B242 input %s", async (input, expected) => {
  const { ran } = await run([call("jira__search", input), say("No issues.")]);
  expect(ran).toEqual([expected]);
});

test.each(['{"project":"KA', '{"project":"KAY"}{"project":"OPS"}', '{"project":"KAY"} and more', '{"a":1]'])(
  "arguments that are cut or mean two things are not guessed, and the model is asked for JSON: %s",
  async (input) => {
    const { ran, requests } = await run([call("jira__search", input), say("No issues.")]);
    expect(ran).toEqual([]);
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("is not valid JSON. Send one complete JSON object.");
  },
);

test("B242 an ambiguous value stays unchanged, and an unknown field is refused by name", async () => {
  const { ran, requests } = await run([
    call("jira__search", '{"project":"007","foo":1}'),
    call("jira__search", '{"project":"007","limit":"5 or so"}'),
    say("No issues."),
  ]);
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("jira.search has no field “foo”");
  expect(ran).toEqual([{ project: "007", limit: "5 or so" }]);
});

test("B244 the same failing call stops after three", async () => {
  const { requests, last, text } = await run([call("jira__search", '{"foo":1}')]);
  expect(requests).toHaveLength(4);
  expect(last).toMatchObject({ type: "error", problem: { code: "MODEL_FAILED" } });
  expect(text).toMatch(/^The model made the same failing call 3 times and was stopped\./);
});

test.each([
  ["fields", (step: number) => call("jira__search", `{"foo":${step}}`)],
  ["names", (step: number) => call(`tool${step}`, "{}")],
])("B244 calls that no tool accepts stop after eight, with different %s each time", async (_, make) => {
  const { requests, text } = await run(Array.from({ length: 20 }, (_, step) => make(step)));
  expect(requests).toHaveLength(9);
  expect(text).toMatch(/^The model made 8 calls in a row that no tool accepts and was stopped\./);
});

test("an unknown tool names the nearest ones, not all", async () => {
  const { requests } = await run([call("jira__serach", "{}"), say("Sorry.")]);
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("The nearest are jira.search.");
});

test.each(["think", "thinking", "reasoning", "thought"])(
  "B210 thoughts in %s tags are not part of the answer",
  async (tag) => {
    const parts = [`<${tag.slice(0, 3)}`, `${tag.slice(3)}>\nsecret`, ` plan\n</${tag}>`, "\n\nThe answer is 4."];
    const { events } = await run([{ deltas: parts.map((content) => ({ content })), finish: "stop" }]);
    const text = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("");
    expect(text.trim()).toBe("The answer is 4.");
    expect(events.some(({ type }) => type === "reasoning-delta")).toBe(true);
  },
);

test.each([
  ["deepseek-r1:8b", ["a secret", " plan\n</thi", "nk>\n\nThe answer", " is 4."]],
  ["qwen3-30b-a3b-thinking-2507", ["The answer is 4."]],
  ["QwQ-32B", ["<think>secret</think>The answer is 4."]],
])("B210 %s begins inside a thought", async (name, parts) => {
  const { events } = await run([{ deltas: parts.map((content) => ({ content })), finish: "stop" }], name);
  const text = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("");
  expect(text.trim()).toBe("The answer is 4.");
});

test.each([
  '<tool_call>\n{"name": "jira__search", "arguments": {}}\n</tool_call>',
  "<|channel|>commentary to=functions.jira__search <|message|>{}",
  "<function=jira__search>{}</function>",
  '[TOOL_CALLS][{"name": "jira__search"}]',
  'I will search first.\n\n<tool_call>\n{"name": "jira__search", "arguments": {}}\n</tool_call>',
  '```json\n{"name": "jira__search", "arguments": {"project": "KAY"}}\n```',
  '{"name": "jira.search", "parameters": {"project": "KAY"}}',
  '[{"type": "function", "function": "jira__search", "arguments": {}}]',
  "<|tool_calls_section_begin|><|tool_call_begin|>functions.jira__search:0",
  '<function_calls>\n<invoke name="jira__search">\n</invoke>\n</function_calls>',
  '```tool_code\nprint(jira__search(project="KAY"))\n```',
  'jira__search(project="KAY")',
  '[jira__search(project="KAY")]',
  'default_api.jira__search(project="KAY")',
  'jira__search {"project": "KAY"}',
  '{"jira__search": {"project": "KAY"}}',
  '{"action": "jira__search", "action_input": {"project": "KAY"}}',
  'Thought: I search.\nAction: jira__search\nAction Input: {"project": "KAY"}',
  "<jira__search>\n<project>KAY</project>\n</jira__search>",
  '<｜DSML｜function_calls>\n<｜DSML｜invoke name="jira__search">',
  '<minimax:tool_call>\n<invoke name="jira__search">',
  "<tool_use>\n<name>jira__search</name>\n</tool_use>",
  'to=functions.jira__search {"project": "KAY"}',
])("B264 a tool call written as text fails with that reason: %s", async (content) => {
  const { text, ran } = await run([say(content)]);
  expect(text).toMatch(/ writes its tool calls as text, so kay cannot run them\.$/);
  expect(ran).toEqual([]);
});

test.each([
  'Send `{"name": "Ann", "arguments": []}` to that endpoint.',
  '```json\n{"name": "Ann", "input": "x"}\n```',
  "Call `jira.search` with a project to see its issues.",
  "The tool_call tag is part of the Hermes format.",
  "* jira.search\n* jira.close_issue",
  "<b>jira.search</b> lists issues.",
])("B264 an answer that only mentions calls or JSON is an answer: %s", async (content) => {
  const { last } = await run([say(content)]);
  expect(last).toMatchObject({ type: "finish", finishReason: "stop" });
});

test.each([null, ""])("a stream that ends with the reason %j is a failure", async (finish) => {
  const { text } = await run([{ deltas: [{ role: "assistant", content: "Half of" }], finish }]);
  expect(text).toMatch(/^The (?:answer|connection)/);
});

test("a false report of a change is followed by a correction", async () => {
  const { events, last } = await run([say("Done! I closed KAY-1.")]);
  const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : []));
  expect(deltas.at(-1)).toBe("Nothing was changed.");
  const step = events.find(({ type }) => type === "step");
  expect(JSON.stringify(step)).toContain("Nothing was changed.");
  expect(last).toMatchObject({ type: "finish", finishReason: "stop" });
});
