import { jsonSchema, type LanguageModel, type ModelMessage, streamText, type Telemetry, type ToolSet, tool } from "ai";
import { Problem } from "#protocol/errors";
import type { AgentEvent, Call, StepResult, Tokens } from "./events.ts";
import { toModelProblem } from "./model-problem.ts";
import { type AgentObserver, recordModelCall } from "./observe.ts";
import type { AgentTool } from "./tool.ts";
import { fromWireName, toWireName } from "./wire-names.ts";

export type StepInput = {
  model: LanguageModel;
  /** Who answers, for error sentences: `OpenAI gpt-6-astra`. */
  label: string;
  instructions: string;
  messages: ModelMessage[];
  tools: AgentTool[];
  signal: AbortSignal;
  /** What the answer is to match. For the offline planner only; others read it in the instructions. */
  schema?: Record<string, unknown>;
  watch?: AgentObserver;
  /** Ids of earlier calls. Some models count anew in each step; a later call with such an id gets one of its own. */
  taken?: string[];
};

/** One model call, streamed. Never throws: a failure is the result. */
export async function* runModelStep(input: StepInput): AsyncGenerator<AgentEvent, StepResult> {
  const { watch } = input;
  const begun = watch?.observe.seconds() ?? 0;
  const result = yield* called(input);
  if (watch) recordModelCall(watch, begun, result);
  return result;
}

async function* called(input: StepInput): AsyncGenerator<AgentEvent, StepResult> {
  // The SDK prints what a provider cannot do to the console, where it would end up in somebody's JSON.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const answer: Gathered = { text: "", calls: [], finishReason: "", tokens: {}, ids: new Map() };
  const id = (given: string) => ownId(given, answer.ids, input.taken ?? []);
  try {
    const result = streamText({
      model: input.model,
      instructions: input.instructions,
      messages: input.messages,
      tools: wireTools(input.tools),
      ...(input.schema ? { providerOptions: { kay: { outputSchema: JSON.stringify(input.schema) } } } : {}),
      ...getTelemetry(input),
      abortSignal: input.signal,
      timeout: TIMEOUTS,
      maxRetries: RETRIES,
      onError: () => {},
    });
    for await (const part of result.stream) {
      if (part.type === "error") return fail(input, part.error);
      if (part.type === "abort") return input.signal.aborted ? { kind: "aborted" } : timedOut(input);
      yield* translate(part, answer, id);
    }
    // Only what the model said: the SDK adds results of its own for calls it finds invalid, and kay gives those itself.
    const message = (await result.responseMessages).find(({ role }) => role === "assistant");
    return finish(message && withIds(message as ModelMessage, id), answer);
  } catch (error) {
    return input.signal.aborted ? { kind: "aborted" } : fail(input, error);
  }
}

/** Never what was said: operators see how long it took, not what about. */
function getTelemetry({ watch }: StepInput): Pick<Parameters<typeof streamText>[0], "telemetry"> {
  const traces = watch?.observe.traces;
  if (!traces) return {};
  return { telemetry: { integrations: traces.model as Telemetry, recordInputs: false, recordOutputs: false } };
}

type Gathered = { text: string; calls: Call[]; finishReason: string; tokens: Tokens; ids: Map<string, string> };

function ownId(given: string, ids: Map<string, string>, taken: string[]): string {
  let own = ids.get(given) ?? given;
  for (let count = 2; !ids.has(given) && taken.includes(own); count++) own = `${given}_${count}`;
  ids.set(given, own);
  return own;
}

function withIds(message: ModelMessage, id: (given: string) => string): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    part.type === "tool-call" ? { ...part, toolCallId: id(part.toolCallId) } : part,
  );
  return { ...message, content };
}

function wireTools(tools: AgentTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema, access, examples, title }) => [
      toWireName(name),
      tool({
        description,
        inputSchema: jsonSchema(schema),
        // For the offline planner only; other providers do not read it.
        providerOptions: { kay: { access, examples, title } },
      }),
    ]),
  );
}

type Part = ReturnType<typeof streamText>["stream"] extends AsyncIterable<infer P> ? P : never;

function* translate(part: Part, answer: Gathered, id: (given: string) => string): Generator<AgentEvent> {
  switch (part.type) {
    case "text-start":
    case "text-end":
    case "reasoning-start":
    case "reasoning-end":
      yield { type: part.type, id: part.id };
      break;
    case "text-delta":
      answer.text += part.text;
      yield { type: "text-delta", id: part.id, delta: part.text };
      break;
    case "reasoning-delta":
      yield { type: "reasoning-delta", id: part.id, delta: part.text };
      break;
    case "tool-input-start":
      yield { type: "tool-input-start", toolCallId: id(part.id), toolName: fromWireName(part.toolName) };
      break;
    case "tool-input-delta":
      yield { type: "tool-input-delta", toolCallId: id(part.id), inputTextDelta: part.delta };
      break;
    case "tool-call": {
      const call = { toolCallId: id(part.toolCallId), toolName: fromWireName(part.toolName), input: part.input };
      answer.calls.push(call);
      yield { type: "tool-input-available", ...call };
      break;
    }
    case "finish":
      answer.finishReason = part.finishReason;
      answer.tokens = { input: part.totalUsage.inputTokens, output: part.totalUsage.outputTokens };
  }
}

function finish(message: ModelMessage | undefined, answer: Gathered): StepResult {
  return {
    kind: "answer",
    message: message ?? { role: "assistant", content: answer.text },
    text: answer.text,
    calls: answer.calls,
    cut: answer.finishReason === "length",
    tokens: answer.tokens,
  };
}

function fail({ label }: StepInput, error: unknown): StepResult {
  return { kind: "failed", problem: error instanceof Problem ? error : toModelProblem(label, error) };
}

function timedOut({ label }: StepInput): StepResult {
  return { kind: "failed", problem: new Problem("MODEL_FAILED", `${label} did not answer in time.`) };
}

/** Every wait has an end: a silent provider for a minute, or one that never comes to an end. */
const TIMEOUTS = { totalMs: 300_000, firstChunkMs: 90_000, chunkMs: 60_000 };

const RETRIES = 1;
