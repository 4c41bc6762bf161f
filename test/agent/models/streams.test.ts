import { describe, expect, test } from "vitest";
import type { AgentEvent } from "#agent/events";
import { runAgent } from "#agent/loop";
import { selectModel } from "#agent/models/select";
import type { AgentTool } from "#agent/tool";
import type { Fetch } from "#net/ports";
import { ANTHROPIC } from "#test/streams/anthropic";
import { GEMINI } from "#test/streams/gemini";
import { LM_STUDIO } from "#test/streams/lm-studio";
import { OLLAMA } from "#test/streams/ollama";
import { OPENAI_CHAT } from "#test/streams/openai-chat";
import { OPENAI_RESPONSES } from "#test/streams/openai-responses";
import type { RecordedWire } from "#test/streams/wire";

const WIRES: [name: string, wire: RecordedWire][] = [
  ["OpenAI responses", OPENAI_RESPONSES],
  ["OpenAI chat", OPENAI_CHAT],
  ["Anthropic", ANTHROPIC],
  ["Gemini", GEMINI],
  ["Ollama", OLLAMA],
  ["LM Studio", LM_STUDIO],
];

describe.each(WIRES)("%s", (_, wire) => {
  test("text arrives in pieces, with its token count", async () => {
    const { deltas, last } = await replay(wire, [wire.text]);
    expect(deltas).toEqual(["It is", " open."]);
    expect(last).toEqual({ type: "finish", finishReason: "stop" });
  });

  test("reasoning is separate from the answer", async () => {
    const { events, deltas } = await replay(wire, [wire.reasoning ?? ""]);
    const thoughts = events.flatMap((event) => (event.type === "reasoning-delta" ? [event.delta] : []));
    expect(thoughts.join("")).toBe("Let me look.");
    expect(deltas.join("")).toBe("It is open.");
  });

  test("parallel calls run, and their results go back under their IDs", async () => {
    const { ran, bodies, deltas } = await replay(wire, [wire.calls, wire.text]);
    expect(ran).toEqual([{ issue: "KAY-3" }, { issue: "KAY-4" }]);
    expect(deltas.join("")).toBe("It is open.");
    // Each call sends the tools: Gemini too, in another place than the others.
    expect(bodies.map((body) => findTools(JSON.parse(body)))).toEqual([[TOOL], [TOOL]]);
    const [, second = ""] = bodies;
    for (const issue of ["KAY-3", "KAY-4"]) expect(second).toContain(`${issue} is read.`);
  });

  test("a refusal is a failure", async () => {
    const { last } = await replay(wire, [wire.refusal]);
    expect(last).toMatchObject({
      type: "error",
      errorText: expect.stringMatching(/ refused to answer\.$|^The answer was stopped by the content filter/),
      problem: { code: "MODEL_FAILED" },
    });
  });

  test("an answer truncated at the output limit is a failure with its text", async () => {
    const { last } = await replay(wire, [wire.limit]);
    expect(last).toMatchObject({
      errorText: `The answer is incomplete: ${wire.label} reached its output limit.`,
      problem: { details: { finish_reason: "length", text: "It is" } },
    });
  });

  test("N14 an error in the stream is reported in the provider's words", async () => {
    const { last, deltas } = await replay(wire, [wire.failure]);
    expect(deltas).toEqual(["It is"]);
    expect(last).toMatchObject({
      errorText: `${wire.label} reported an error in its answer: ${wire.fault}.`,
      problem: { code: "MODEL_FAILED" },
    });
  });

  test("N14 an error event with plain text is reported in its words, cleaned", async () => {
    const whole = wire.failure;
    const start = whole.slice(0, whole.indexOf("\n\n", whole.indexOf("It is")) + 2);
    const fault = "event: error\ndata: upstream \u001b[31mworker\u001b[0m was killed\ndata: (exit 137)\n\n";
    const { last, deltas } = await replay(wire, [start + fault]);
    expect(deltas).toEqual(["It is"]);
    expect(last).toMatchObject({
      errorText: `${wire.label} reported an error in its answer: upstream worker was killed (exit 137).`,
    });
  });

  test("N14 a connection lost in the middle is reported as such", async () => {
    const whole = wire.text;
    const { last } = await replay(wire, [whole.slice(0, whole.indexOf(" open."))], true);
    expect(last).toMatchObject({
      errorText: `The connection to ${wire.label} was lost before its answer was complete.`,
    });
  });

  test("a stream that ends without a reason is a failure", async () => {
    const whole = wire.text;
    const { last } = await replay(wire, [whole.slice(0, whole.lastIndexOf("\n\n", whole.indexOf(" open.")) + 2)]);
    expect(last).toMatchObject({ type: "error", problem: { code: "MODEL_FAILED" } });
    expect(last).toMatchObject({
      errorText: expect.stringMatching(/^The (?:answer of|connection to) .+ before (?:it|its answer) was complete\.$/),
    });
  });
});

const TOOL = { name: "jira__show", description: "Read one issue." };

/** Returns the tools of a request, wherever its provider takes them. */
function findTools(body: { tools?: Record<string, unknown>[] }): object[] {
  const entries = (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? tool.function ?? tool);
  return (entries as (typeof TOOL)[]).map(({ name, description }) => ({ name, description }));
}

/** Answers each request with the next body. `breaks`: the connection is lost afterwards. */
async function replay({ settings }: RecordedWire, streams: string[], breaks = false) {
  const bodies: string[] = [];
  const fetch: Fetch = async (_url, init) => {
    const text = streams[bodies.push(String(init?.body)) - 1] ?? "";
    return new Response(ReadableStream.from(pieces(text, breaks)), {
      headers: { "content-type": "text/event-stream" },
    });
  };
  const { model, label, key } = await selectModel(settings, { fetch, clock: { now: () => 0 } });
  const ran: unknown[] = [];
  const events: AgentEvent[] = [];
  for await (const event of runAgent({
    messages: [{ role: "user", content: "how are KAY-3 and KAY-4?" }],
    tools: [showIssue(ran)],
    model,
    label,
    ...(key ? { key } : {}),
    signal: new AbortController().signal,
    now: 0,
    needsApproval: () => false,
  }))
    events.push(event);
  const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : []));
  return { events, deltas, ran, bodies, last: events.at(-1) };
}

async function* pieces(text: string, breaks: boolean): AsyncGenerator<Uint8Array> {
  // Not at event boundaries, as on a network.
  for (let offset = 0; offset < text.length; offset += 500)
    yield new TextEncoder().encode(text.slice(offset, offset + 500));
  if (breaks) throw new TypeError("terminated");
}

function showIssue(ran: unknown[]): AgentTool {
  return {
    name: "jira.show",
    service: "jira",
    title: "Jira",
    description: "Read one issue.",
    access: "read",
    examples: [],
    schema: { type: "object", properties: { issue: { type: "string" } }, required: ["issue"] },
    parse: (input) => input as Record<string, unknown>,
    summary: () => "Read an issue",
    run: async (input) => {
      ran.push(input);
      return { data: null, text: `${String(input.issue)} is read.` };
    },
  };
}
