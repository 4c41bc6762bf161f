import { beforeEach } from "vitest";
import type { BackendPorts } from "#backend/ports";
import type { Fetch } from "#net/ports";

/**
 * The model's output in one step: words, and calls by tool name. `meanwhile` is awaited after the first words, `breaks`
 * cuts the connection after the last ones, `finish` is another reason to end, `fails` is the status of a refusal and
 * `says` its sentence, `usage` what it counts.
 */
type Said = {
  text?: string | string[];
  calls?: [id: string, tool: string, input: object][];
  meanwhile?: Promise<unknown>;
  breaks?: boolean;
  finish?: "length" | "content_filter";
  usage?: [input: number, output: number];
  fails?: number;
  says?: string;
};

/** The requests to a scripted model, step by step: the messages of an OpenAI chat completion. */
type Prompted = { messages: { role: string; content: unknown; tool_call_id?: string }[]; tools: string[] };

const BASE = "http://model.test/v1";

/**
 * A scripted model on the wire of an OpenAI-compatible endpoint. Each request takes the next step; without one, the
 * request fails. Unused steps are dropped before the next test.
 */
export function useScriptedModel(fetch: Fetch = refuse) {
  const steps: (Said | ((prompt: Prompted) => Said | Promise<Said>))[] = [];
  const prompts: Prompted[] = [];
  const models: string[] = [];
  const aborted: number[] = [];
  beforeEach(() => void steps.splice(0));
  const answer: Fetch = async (url, init) => {
    if (!url.startsWith(BASE)) return await fetch(url, init);
    const request = JSON.parse(String(init?.body)) as {
      model: string;
      messages: Prompted["messages"];
      tools?: { function: { name: string } }[];
    };
    const prompt = { messages: request.messages, tools: (request.tools ?? []).map((tool) => tool.function.name) };
    const index = prompts.push(prompt) - 1;
    models.push(request.model);
    init?.signal?.addEventListener("abort", () => aborted.push(index));
    const step = steps.shift();
    if (step === undefined) return Response.json({ error: { message: "no step is left" } }, { status: 400 });
    const reply = typeof step === "function" ? await untilAborted(step(prompt), init?.signal) : step;
    if (reply.fails) return Response.json({ error: { message: reply.says ?? "scripted" } }, { status: reply.fails });
    const body = ReadableStream.from(pieces(reply, init?.signal));
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const ports: Pick<BackendPorts, "fetch" | "model"> = {
    fetch: answer,
    model: () => ({
      model: "openai-compatible:scripted",
      env: { OPENAI_COMPATIBLE_BASE_URL: BASE, OPENAI_BASE_URL: BASE },
    }),
  };
  return {
    ports,
    /** Options of a machine whose backend uses this model. */
    machine: { model: ports.model(), elsewhere: ports.fetch },
    prompts,
    models,
    aborted,
    script: (...more: typeof steps) => void steps.push(...more),
    left: () => steps.length,
  };
}

const refuse: Fetch = async (url) => {
  throw new TypeError(`nothing listens at ${url}`);
};

async function* pieces(reply: Said, signal: AbortSignal | null | undefined): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const [role, first, ...rest] = chunks(reply).map((chunk) => encoder.encode(`data: ${chunk}\n\n`));
  if (role) yield role;
  if (first) yield first;
  if (reply.meanwhile) await untilAborted(reply.meanwhile, signal);
  if (reply.breaks) throw new TypeError("terminated");
  yield* rest;
}

function chunks({ text = [], calls = [], finish, usage }: Said): string[] {
  const finish_reason = finish ?? (calls.length > 0 ? "tool_calls" : "stop");
  const deltas = [
    { role: "assistant" },
    ...[text].flat().map((content) => ({ content })),
    ...calls.map(([id, tool, input], index) => ({
      tool_calls: [
        {
          index,
          id,
          type: "function",
          function: { name: tool.replaceAll(".", "__"), arguments: JSON.stringify(input) },
        },
      ],
    })),
  ];
  const base = { id: "c", object: "chat.completion.chunk", created: 0, model: "scripted" };
  const parts = deltas.map((delta) => ({ ...base, choices: [{ index: 0, delta, finish_reason: null }] }));
  const last = { ...base, choices: [{ index: 0, delta: {}, finish_reason }] };
  const [prompt_tokens = 0, completion_tokens = 0] = usage ?? [];
  const total_tokens = prompt_tokens + completion_tokens;
  const counted = usage ? [{ ...base, choices: [], usage: { prompt_tokens, completion_tokens, total_tokens } }] : [];
  return [...[...parts, last, ...counted].map((part) => JSON.stringify(part)), "[DONE]"];
}

async function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new DOMException("This operation was aborted", "AbortError"));
  signal?.addEventListener("abort", abort);
  return await Promise.race([work, promise]).finally(() => signal?.removeEventListener("abort", abort));
}
