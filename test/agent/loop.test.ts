import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import type { AgentInput } from "#agent/agent-input";
import type { AgentEvent } from "#agent/events";
import { MAX_STEPS, runAgent } from "#agent/loop";
import { notes } from "#test/notes-tools";
import { calls, say } from "#test/script";

test("a question without tools is answered with text and ends with finish", async () => {
  const { events } = await run([say("Hello.")]);
  expect(types(events)).toEqual([
    "start",
    "start-step",
    "text-start",
    "text-delta",
    "text-end",
    "step",
    "finish-step",
    "finish",
  ]);
  expect(events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
});

test("parallel calls of one step each get their own result, in the order of the calls", async () => {
  const { events, prompts } = await run([
    calls(["a", "notes.read", { id: 1 }], ["b", "notes.read", { id: 2 }]),
    say("Two notes."),
  ]);
  const results = prompts[1]?.at(-1);
  expect(results).toMatchObject({
    role: "tool",
    content: [
      {
        toolCallId: "a",
        toolName: "notes__read",
        output: { type: "json", value: { data_from: "notes", text: "note 1" } },
      },
      { toolCallId: "b", output: { value: { data_from: "notes", text: "note 2" } } },
    ],
  });
  expect(events.filter(({ type }) => type === "tool-output-available")).toHaveLength(2);
});

test("a failed tool, an unknown tool and a wrong input are results that the model can react to", async () => {
  const { prompts, events } = await run([
    calls(["a", "notes.read", { id: 404 }], ["b", "notes.burn", {}], ["c", "notes.read", { id: "x" }]),
    say("I could not."),
  ]);
  expect(prompts[1]?.at(-1)).toMatchObject({
    content: [
      {
        toolCallId: "a",
        output: { type: "error-json", value: { error: { code: "SERVICE_FAILED", message: "Notes has no note 404." } } },
      },
      { toolCallId: "b", output: { type: "error-json", value: { error: { code: "NOT_FOUND" } } } },
      { toolCallId: "c", output: { type: "error-json", value: { error: { code: "INVALID_REQUEST" } } } },
    ],
  });
  expect(events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
});

test("a bug inside a tool does not reach the model verbatim", async () => {
  const { prompts } = await run([calls(["a", "notes.read", { id: 500 }]), say("It failed.")]);
  const text = JSON.stringify(prompts[1]?.at(-1));
  expect(text).toContain("SERVICE_FAILED");
  expect(text).not.toContain("TypeError");
});

test("a model that repeats the same call is stopped", async () => {
  const same = calls(["a", "notes.read", { id: 1 }]);
  const { events, model } = await run([same, same, same, same, same]);
  expect(events.at(-1)).toMatchObject({ type: "error", problem: { code: "MODEL_FAILED" } });
  expect(model.doStreamCalls).toHaveLength(4);
});

test("the same write is never made twice in a generation, however its arguments are ordered", async () => {
  const { ran } = await run([
    calls(["a", "notes.write", { id: 1, text: "x" }], ["b", "notes.write", { text: "x", id: 1 }]),
    calls(["c", "notes.write", { id: 1, text: "x" }], ["d", "notes.write", { id: 1, text: "y" }]),
    say("Done."),
  ]);
  expect(ran).toEqual(["write a", "write d"]);
});

test("a repeated write returns its result as already done, and the turn continues", async () => {
  const write = (id: string) => calls([id, "notes.write", { id: 1, text: "x" }]);
  const { ran, events, prompts } = await run([write("a"), write("b"), say("Written.")]);
  expect(ran).toEqual(["write a"]);
  const value = { data_from: "notes", text: expect.stringMatching(/^Already done: .*\n\nwritten$/s) };
  expect(prompts[2]?.at(-1)).toMatchObject({ content: [{ toolCallId: "b", output: { type: "json", value } }] });
  expect(events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
});

test("two equal writes of one message are made once, and the turn continues", async () => {
  const { ran, events } = await run([
    calls(["a", "notes.write", { id: 1, text: "x" }], ["b", "notes.write", { id: 1, text: "x" }]),
    say("Written."),
  ]);
  expect(ran).toEqual(["write a"]);
  expect(events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
});

test("a model that only repeats its write is stopped, and the hint says what was done", async () => {
  const write = (id: string) => calls([id, "notes.write", { id: 1, text: "x" }]);
  const { ran, events, model } = await run(["a", "b", "c", "d", "e", "f"].map(write));
  expect(ran).toEqual(["write a"]);
  expect(model.doStreamCalls).toHaveLength(4);
  expect(events.at(-1)).toMatchObject({
    type: "error",
    problem: { hint: "Already done: Write note 1. Check the result before you ask again." },
  });
});

test("a repeated write is not asked for approval again", async () => {
  const asked: string[] = [];
  const write = (id: string) => calls([id, "notes.write", { id: 1, text: "x" }]);
  await run([write("a"), write("b"), say("Written.")], {
    needsApproval: ({ toolCallId }) => {
      asked.push(toolCallId);
      return false;
    },
  });
  expect(asked).toEqual(["a"]);
});

test("a provider's failure after a write never says to try again", async () => {
  const failure: LanguageModelV4StreamPart[] = [{ type: "error", error: { message: "overloaded", code: 529 } }];
  const { events } = await run([calls(["a", "notes.write", { id: 1, text: "x" }]), failure]);
  expect(events.at(-1)).toMatchObject({
    errorText: "Test model reported an error in its answer: overloaded.",
    problem: { hint: "Already done: Write note 1. Check the result before you ask again." },
  });
});

test(`a generation ends after ${MAX_STEPS} steps`, async () => {
  const script = Array.from({ length: 30 }, (_, id) => calls([`c${id}`, "notes.read", { id: id + 1 }]));
  const { events, model } = await run(script);
  expect(events.at(-1)).toMatchObject({ type: "error", problem: { code: "STEP_LIMIT" } });
  expect(model.doStreamCalls).toHaveLength(MAX_STEPS);
});

test("G12 after an abort, neither the model nor a tool is called again", async () => {
  const controller = new AbortController();
  const { events, ran, model } = await run(
    [calls(["a", "notes.read", { id: 1 }]), calls(["b", "notes.write", { id: 1, text: "x" }])],
    { signal: controller.signal, onRun: () => controller.abort() },
  );
  expect(ran).toEqual(["read a"]);
  expect(model.doStreamCalls).toHaveLength(1);
  expect(events.at(-1)).toEqual({ type: "abort" });
});

test("one call that must wait holds its whole step, and none of it runs", async () => {
  const { events, ran } = await run(
    [calls(["a", "notes.read", { id: 1 }], ["b", "notes.write", { id: 1, text: "x" }])],
    { needsApproval: ({ access }) => access === "write" },
  );
  expect(ran).toEqual([]);
  const heldEvent = events.find((event) => event.type === "held");
  expect(heldEvent?.calls.map(({ toolCallId, access, summary }) => ({ toolCallId, access, summary }))).toEqual([
    { toolCallId: "a", access: "read", summary: "Read note 1" },
    { toolCallId: "b", access: "write", summary: "Write note 1" },
  ]);
  expect(events.at(-1)).toEqual({ type: "finish", finishReason: "held" });
});

test("an approved step runs as shown, and the model continues from its results", async () => {
  const message = {
    role: "assistant" as const,
    content: [{ type: "tool-call" as const, toolCallId: "b", toolName: "notes__write", input: { id: 1, text: "x" } }],
  };
  const { ran, prompts, events } = await run([say("Written.")], {
    needsApproval: () => true,
    open: { message, calls: [{ toolCallId: "b", toolName: "notes.write", input: { id: 1, text: "x" } }] },
  });
  expect(ran).toEqual(["write b"]);
  expect(prompts[0]?.at(-1)).toMatchObject({ role: "tool" });
  expect(events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
});

test("missing connections are collected over the whole step, each once", async () => {
  const { events } = await run([
    calls(
      ["a", "notes.read", { id: 401 }],
      ["b", "notes.read", { id: 402 }],
      ["c", "notes.read", { id: 401, again: true }],
    ),
  ]);
  expect(events.find(({ type }) => type === "auth-needed")).toEqual({
    type: "auth-needed",
    integrations: ["notes", "mail"],
  });
  expect(events.at(-1)).toEqual({ type: "finish", finishReason: "auth" });
});

test("a provider that fails in the middle of its answer ends the stream with one sentence", async () => {
  const broken: LanguageModelV4StreamPart[] = [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "I am" },
    { type: "error", error: new Error("sk-secret leaked") },
  ];
  const { events } = await run([broken]);
  expect(events.at(-1)).toMatchObject({
    type: "error",
    errorText: "Test model gave an answer that could not be read.",
  });
  expect(JSON.stringify(events)).not.toContain("sk-secret");
});

test("a call with deeply nested values ends the turn, and one that hides them in a text is refused", async () => {
  const deep = `${"[".repeat(3_000)}${"]".repeat(3_000)}`;
  const { events } = await run([calls(["a", "notes.read", { id: JSON.parse(deep) }])]);
  expect(events.at(-1)).toMatchObject({
    type: "error",
    errorText: "The model made a call with an input nested more than 100 levels deep.",
  });
  const hidden = await run([calls(["a", "notes.read", { id: deep }]), say("No.")]);
  expect(hidden.ran).toEqual([]);
  expect(hidden.events.at(-1)).toMatchObject({ type: "finish" });
});

type Options = Partial<AgentInput> & { onRun?: () => void };

async function run(script: LanguageModelV4StreamPart[][], options: Options = {}) {
  const ran: string[] = [];
  let step = 0;
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: ReadableStream.from(script[step++] ?? []) as ReadableStream<LanguageModelV4StreamPart>,
    }),
  });
  const events: AgentEvent[] = [];
  const { onRun, ...input } = options;
  const tools = notes((line) => {
    ran.push(line);
    onRun?.();
  });
  const signal = new AbortController().signal;
  const base = {
    messages: [{ role: "user" as const, content: "go" }],
    tools,
    model,
    label: "Test model",
    signal,
    now: 0,
    needsApproval: () => false,
  };
  for await (const event of runAgent({ ...base, ...input })) events.push(event);
  return { events, ran, model, prompts: model.doStreamCalls.map(({ prompt }) => prompt) };
}

function types(events: AgentEvent[]): string[] {
  return events.map(({ type }) => type);
}
