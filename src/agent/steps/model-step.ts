import {
  type LanguageModel,
  type ModelMessage,
  // `streamText` copies its stream and reads it twice, for getters that are not used here.
  experimental_streamTextLowMemory as streamText,
  type Telemetry,
} from "ai";
import { Problem } from "#protocol/errors";
import { isNestedDeeper } from "#protocol/json";
import { fromWireName } from "#protocol/tool-names";
import type { AgentEvent, AnswerEnd, Call, StepResult, Tokens } from "../events.ts";
import { MAX_INPUT_DEPTH } from "../limits.ts";
import type { ModelKey } from "../models/key.ts";
import { type AgentObserver, recordModelCall } from "../observe.ts";
import { createSilenceTimer } from "../silence.ts";
import type { AgentTool } from "../tool.ts";
import { toModelProblem } from "./model-problem.ts";
import { toWireTools } from "./wire-tools.ts";

export type StepInput = {
  model: LanguageModel;
  /** Names the model in error messages: `OpenAI gpt-6-astra`. */
  label: string;
  /** The model's API key, for error messages. */
  key?: ModelKey;
  instructions: string;
  messages: ModelMessage[];
  tools: AgentTool[];
  signal: AbortSignal;
  /** Names of the connected services, for the offline planner. Other models read them in the instructions. */
  connected?: string[];
  /** The user's time zone, an IANA name, for the offline planner. */
  timeZone?: string;
  watch?: AgentObserver;
  /** IDs of earlier calls. Some models restart their numbering in each step; a repeated ID is replaced. */
  earlierIds?: string[];
};

/** Makes one model call and streams it. Never throws; a failure is a result. */
export async function* runModelStep(input: StepInput): AsyncGenerator<AgentEvent, StepResult> {
  const { watch } = input;
  const start = watch?.observe.seconds() ?? 0;
  const result = yield* streamModelCall(input);
  if (watch) recordModelCall(watch, start, result);
  return result;
}

async function* streamModelCall(input: StepInput): AsyncGenerator<AgentEvent, StepResult> {
  // The SDK prints provider warnings to the console, where they would corrupt JSON output.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const answer: Gathered = { text: "", calls: [], finishReason: "", tokens: {}, ids: new Map() };
  const toUniqueId = (id: string) => getUniqueId(id, answer.ids, input.earlierIds ?? []);
  const silence = createSilenceTimer(input.signal, FIRST_PART_MS);
  const deadline = performance.now() + TOTAL_MS;
  let messages: ModelMessage[] = [];
  try {
    const result = streamText({
      model: input.model,
      instructions: input.instructions,
      messages: input.messages,
      tools: toWireTools(input.tools),
      providerOptions: {
        kay: {
          ...(input.connected ? { connected: input.connected } : {}),
          ...(input.timeZone ? { timeZone: input.timeZone } : {}),
        },
        // The conversation is sent whole: OpenAI forgets what it stored, and gateways store nothing.
        openai: { store: false },
      },
      ...getTelemetry(input),
      abortSignal: silence.signal,
      maxRetries: RETRIES,
      onStepEnd: ({ response }) => {
        messages = response.messages;
      },
      onError: () => {},
    });
    for await (const part of result.stream) {
      // The SDK sends these itself, before the model does anything.
      if (part.type !== "start" && part.type !== "start-step")
        silence.restart(Math.min(NEXT_PART_MS, deadline - performance.now()));
      if (part.type === "error") return toFailure(input, part.error);
      if (part.type === "abort") return input.signal.aborted ? { kind: "aborted" } : toTimeoutFailure(input);
      yield* translatePart(part, answer, toUniqueId);
    }
    // Keeps only the assistant's messages: the SDK adds its own results for invalid calls, and kay provides those
    // itself.
    const message = messages.find(({ role }) => role === "assistant");
    return toAnswer(message && withIds(message, toUniqueId), answer);
  } catch (error) {
    return input.signal.aborted ? { kind: "aborted" } : toFailure(input, error);
  } finally {
    silence.clear();
  }
}

/** Reports timings only, never the content of the conversation. */
function getTelemetry({ watch }: StepInput): Pick<Parameters<typeof streamText>[0], "telemetry"> {
  const traces = watch?.observe.traces;
  // Without this, the SDK copies and redacts every event for a listener that does not exist.
  if (!traces) return { telemetry: { isEnabled: false } };
  return { telemetry: { integrations: traces.model as Telemetry, recordInputs: false, recordOutputs: false } };
}

type Gathered = {
  text: string;
  calls: Call[];
  finishReason: string;
  rawFinishReason?: string;
  tokens: Tokens;
  ids: Map<string, string>;
};

function getUniqueId(id: string, ids: Map<string, string>, names: string[]): string {
  const existing = ids.get(id);
  if (existing !== undefined) return existing;
  const usedIds = new Set([...names, ...ids.values()]);
  let uniqueId = id;
  for (let count = 2; usedIds.has(uniqueId); count++) uniqueId = `${id}_${count}`;
  ids.set(id, uniqueId);
  return uniqueId;
}

/** Leaves out white space between calls, too: Anthropic refuses a text block without words. */
function withIds(message: ModelMessage, id: (id: string) => string): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const content = message.content
    .filter((part) => part.type !== "text" || part.text.trim() !== "" || part.providerOptions)
    .map((part) => (part.type === "tool-call" ? { ...part, toolCallId: id(part.toolCallId) } : part));
  return { ...message, content };
}

type Part = ReturnType<typeof streamText>["stream"] extends AsyncIterable<infer P> ? P : never;

function* translatePart(part: Part, answer: Gathered, id: (id: string) => string): Generator<AgentEvent> {
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
      if (part.providerExecuted) break;
      yield { type: "tool-input-start", toolCallId: id(part.id), toolName: fromWireName(part.toolName) };
      break;
    case "tool-input-delta":
      yield { type: "tool-input-delta", toolCallId: id(part.id), inputTextDelta: part.delta };
      break;
    case "tool-call": {
      // The provider ran it itself; its words follow.
      if (part.providerExecuted) break;
      if (isNestedDeeper(part.input, MAX_INPUT_DEPTH))
        throw new Problem(
          "MODEL_FAILED",
          `The model made a call with an input nested more than ${MAX_INPUT_DEPTH} levels deep.`,
        );
      const call = { toolCallId: id(part.toolCallId), toolName: fromWireName(part.toolName), input: part.input };
      answer.calls.push(call);
      yield { type: "tool-input-available", ...call };
      break;
    }
    case "finish":
      answer.finishReason = part.finishReason;
      answer.rawFinishReason = part.rawFinishReason;
      answer.tokens = { input: toCount(part.totalUsage.inputTokens), output: toCount(part.totalUsage.outputTokens) };
  }
}

/** Some servers report -1 for a count that they do not know. */
function toCount(tokens: number | undefined): number | undefined {
  return Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? tokens : undefined;
}

function toAnswer(message: ModelMessage | undefined, answer: Gathered): StepResult {
  return {
    kind: "answer",
    message: message ?? { role: "assistant", content: answer.text },
    text: answer.text,
    calls: answer.calls,
    end: toAnswerEnd(answer),
    tokens: answer.tokens,
  };
}

/** The SDK says `other` for a reason that it does not know, or for none. */
function toAnswerEnd({ finishReason, rawFinishReason, calls }: Gathered): AnswerEnd {
  // The offline planner did not understand, or a call failed.
  if (rawFinishReason === "unanswered") return "unanswered";
  if (finishReason === "length") return "length";
  // A refusal in the model's own words has an ordinary reason.
  if (finishReason === "content-filter")
    return !rawFinishReason || /^(?:stop|refusal|completed)$/.test(rawFinishReason) ? "refusal" : "filter";
  if (finishReason === "error" || finishReason === "interrupted") return "broken";
  if (finishReason !== "other") return "whole";
  if (!rawFinishReason) return calls.length === 0 ? "broken" : "whole";
  return OTHER_ENDS.find(([words]) => words.test(rawFinishReason))?.[1] ?? "whole";
}

/** Reasons of compatible servers: Mistral, Gemini, Bedrock, Zhipu, DeepSeek, vLLM, SGLang and routers in front of them. */
const OTHER_ENDS: [RegExp, AnswerEnd][] = [
  [/length|^max|truncat|(?:token|output|context).?limit/i, "length"],
  [/refus/i, "refusal"],
  [/safety|recitation|sensitive|filter|block|prohibit|guardrail|moderat|spii|violation/i, "filter"],
  [
    /^other$|unexpected|error|abort|cancel|time.?out|time.?limit|repetition|fail|insufficient|interrupt|overload|malformed|unavailable/i,
    "broken",
  ],
];

function toFailure(model: StepInput, error: unknown): StepResult {
  return { kind: "failed", problem: error instanceof Problem ? error : toModelProblem(model, error) };
}

function toTimeoutFailure({ label }: StepInput): StepResult {
  return { kind: "failed", problem: new Problem("MODEL_FAILED", `${label} did not answer in time.`) };
}

/** Time limits for a silent provider and for one that never finishes. */
const FIRST_PART_MS = 90_000;
const NEXT_PART_MS = 60_000;
const TOTAL_MS = 300_000;

const RETRIES = 1;
