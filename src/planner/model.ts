import { randomBytes } from "node:crypto";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { decideStep } from "./decide-step.ts";
import { loadLanguage } from "./language.ts";
import { createCallId, type PlannerDecision } from "./plan.ts";
import { formatTooComplicated, SIGNATURE } from "./reply.ts";
import { runInSlices } from "./steps.ts";
import { toOwnClock } from "./times.ts";

/**
 * The offline planner: a language model by rules, behind the interface of every other model. It understands plain
 * requests for the tools it is given, from their descriptions, examples and JSON Schemas, and states that it is not a
 * language model.
 * @param now the clock, in ms, for words such as "since yesterday"
 * @param advice how to get a language model on this machine, said where the planner does not understand
 */
export function createPlanner(now: () => number, advice = DEFAULT_ADVICE): LanguageModelV4 {
  const answer = async (options: LanguageModelV4CallOptions): Promise<PlannerDecision> => {
    const { prompt, tools, abortSignal } = options;
    const language = await loadLanguage();
    abortSignal?.throwIfAborted();
    const usable = tools?.filter((tool): tool is LanguageModelV4FunctionTool => tool.type === "function") ?? [];
    const { timeZone, ...services } = getSurroundings(options);
    const around = { now: toOwnClock(now(), timeZone), advice, ...services };
    const decision = await runInSlices(decideStep(prompt, usable, language, around), MOST_WORK, abortSignal);
    return decision ?? { text: formatTooComplicated(), unknown: true };
  };
  return {
    specificationVersion: "v4",
    provider: "kay",
    modelId: "offline-planner",
    supportedUrls: {},
    async doStream(options) {
      const parts = streamParts(await answer(options), advice);
      return { stream: ReadableStream.from(parts) as ReadableStream<LanguageModelV4StreamPart> };
    },
    async doGenerate(options) {
      return generate(streamParts(await answer(options), advice));
    },
  };
}

function streamParts(decision: PlannerDecision, advice: string): LanguageModelV4StreamPart[] {
  const start: LanguageModelV4StreamPart = { type: "stream-start", warnings: [] };
  if ("text" in decision) return [start, ...textParts(decision, advice), finish(decision.unknown ? "other" : "stop")];
  const calls = decision.calls.flatMap(({ clause, tool, input }) =>
    callParts(createCallId(clause, randomBytes(8).toString("hex")), tool, input),
  );
  return [start, ...calls, finish("tool-calls")];
}

type Answer = Extract<PlannerDecision, { text: string }>;

function textParts({ text, pending, unknown }: Answer, advice: string): LanguageModelV4StreamPart[] {
  const id = "text";
  const whole = `${unknown ? `${text} ${advice}` : text}\n\n${SIGNATURE}`;
  // The open request travels with the question, and comes back with the conversation.
  const providerMetadata = pending ? { kay: { pending: JSON.stringify(pending) } } : undefined;
  return [
    { type: "text-start", id, providerMetadata },
    ...getDeltas(whole).map((delta): LanguageModelV4StreamPart => ({ type: "text-delta", id, delta })),
    { type: "text-end", id, providerMetadata },
  ];
}

function callParts(id: string, toolName: string, input: object): LanguageModelV4StreamPart[] {
  const json = JSON.stringify(input);
  return [
    { type: "tool-input-start", id, toolName },
    { type: "tool-input-delta", id, delta: json },
    { type: "tool-input-end", id },
    { type: "tool-call", toolCallId: id, toolName, input: json },
  ];
}

/**
 * Splits a text into pieces of a few words, so that followers see it arrive; a long one into larger pieces, since the
 * log stores each.
 */
function getDeltas(text: string): string[] {
  const words = text.trimEnd().match(/(?<!\s)\s*\S+/g) ?? [];
  const size = Math.max(FEW, Math.ceil(words.length / MOST_DELTAS));
  const deltas: string[] = [];
  for (let at = 0; at < words.length; at += size) deltas.push(words.slice(at, at + size).join(""));
  const rest = text.slice(deltas.join("").length);
  return rest ? [...deltas, rest] : deltas;
}

function finish(unified: "stop" | "other" | "tool-calls"): LanguageModelV4StreamPart {
  const raw = unified === "other" ? "unanswered" : undefined;
  return { type: "finish", usage: USAGE, finishReason: { unified, raw } };
}

function generate(parts: LanguageModelV4StreamPart[]): LanguageModelV4GenerateResult {
  const text = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("");
  const providerMetadata = parts.find((part) => part.type === "text-start")?.providerMetadata;
  const calls = parts.filter((part) => part.type === "tool-call");
  const content: LanguageModelV4GenerateResult["content"] = text ? [{ type: "text", text, providerMetadata }] : calls;
  const finishReason = parts.find((part) => part.type === "finish")?.finishReason ?? {
    unified: "stop",
    raw: undefined,
  };
  return { content, finishReason, usage: USAGE, warnings: [] };
}

const DEFAULT_ADVICE = "A language model understands more: `kay model list` shows how to get one.";

/** Most work for one step of a conversation: some seconds of processor time. The costliest request of 60 words takes a third. */
const MOST_WORK = 10_000_000;

/** Words of one piece of text, and the most pieces that one answer comes in. */
const FEW = 4;
const MOST_DELTAS = 60;

const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** The services that are connected and the person's time zone, where the agent says so. */
function getSurroundings({ providerOptions }: LanguageModelV4CallOptions): { connected?: string[]; timeZone?: string } {
  const { connected, timeZone } = providerOptions?.kay ?? {};
  return {
    ...(Array.isArray(connected) ? { connected: connected.map((name) => String(name).split("@")[0] ?? "") } : {}),
    ...(typeof timeZone === "string" ? { timeZone } : {}),
  };
}
