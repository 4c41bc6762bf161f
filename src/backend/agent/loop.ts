import type { LanguageModel, ModelMessage } from "ai";
import { Problem } from "#protocol/errors";
import type { AgentEvent, Call, HeldCall } from "./events.ts";
import { CallMemory, type Checked, checkCall, type Rejected, runCalls } from "./execute.ts";
import { instructions } from "./instructions.ts";
import { integrationsOf, type Outcome, resultMessage } from "./results.ts";
import { modelStep } from "./step.ts";
import type { AgentTool } from "./tool.ts";

export type AgentInput = {
  messages: ModelMessage[];
  tools: AgentTool[];
  model: LanguageModel;
  /** Who answers, for error sentences. */
  label: string;
  /** Aborted when nobody waits for the answer any more: no further model call, no further tool. */
  signal: AbortSignal;
  /** Milliseconds; told to the model. */
  now: number;
  /** Whether a call must wait for a person's yes. One such call holds its whole step. */
  holds(call: HeldCall): boolean;
  /** A step that was held and is now approved: exactly its calls are run first. */
  approved?: { message: ModelMessage; calls: Call[] };
};

/** Steps after which a generation is ended: enough for real work, an end for a model that never stops. */
export const MOST_STEPS = 20;

/**
 * The agent: from messages, tools, a model and a signal to a stream of events. It never throws; failures travel in the stream, and its
 * last event is `finish`, `error` or `abort`.
 */
export async function* runAgent(input: AgentInput): AsyncGenerator<AgentEvent> {
  const memory = new CallMemory();
  const messages = [...input.messages];
  yield { type: "start" };
  if (input.approved) {
    const end = yield* approvedStep(input, messages, memory, input.approved);
    if (end) return;
  }
  for (let step = 0; step < MOST_STEPS; step++) {
    if (input.signal.aborted) return yield { type: "abort" };
    const ended = yield* oneStep(input, messages, memory);
    if (ended) return;
  }
  const words = `It was not finished after ${MOST_STEPS} steps and was stopped.`;
  yield errorEvent(new Problem("MODEL_FAILED", words, { hint: "Ask for less at once." }));
}

/** One call of the model and the calls it makes. True when the generation is over. */
async function* oneStep(
  input: AgentInput,
  messages: ModelMessage[],
  memory: CallMemory,
): AsyncGenerator<AgentEvent, boolean> {
  yield { type: "start-step" };
  const { tools, model, label, signal } = input;
  const result = yield* modelStep({
    model,
    label,
    tools,
    signal,
    messages,
    instructions: instructions(tools, input.now),
  });
  if (result.kind === "aborted") return yield* last({ type: "abort" });
  if (result.kind === "failed") return yield* last(errorEvent(result.problem));
  if (result.calls.length === 0) {
    yield { type: "step", messages: [result.message] };
    yield { type: "finish-step" };
    return yield* last({ type: "finish", finishReason: result.cut ? "length" : "stop" });
  }
  if (signal.aborted) return yield* last({ type: "abort" });
  const checked = result.calls.map((call) => checkCall(call, tools));
  const runnable = checked.filter((call): call is Checked => !("problem" in call));
  if (runnable.some((call) => input.holds(call))) {
    yield { type: "held", message: result.message, calls: runnable.map(heldCall) };
    yield { type: "finish-step" };
    return yield* last({ type: "finish", finishReason: "held" });
  }
  return yield* execute(messages, memory, result.message, checked, signal);
}

/** What a person said yes to is carried out even when their terminal has gone: a yes cannot be half done. */
async function* approvedStep(
  { tools }: AgentInput,
  messages: ModelMessage[],
  memory: CallMemory,
  { message, calls }: { message: ModelMessage; calls: Call[] },
): AsyncGenerator<AgentEvent, boolean> {
  yield { type: "start-step" };
  for (const call of calls) yield { type: "tool-input-available", ...call };
  const checked = calls.map((call) => checkCall(call, tools));
  return yield* execute(messages, memory, message, checked, new AbortController().signal);
}

async function* execute(
  messages: ModelMessage[],
  memory: CallMemory,
  message: ModelMessage,
  checked: (Checked | Rejected)[],
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, boolean> {
  const outcomes = yield* runCalls(checked, memory, signal);
  const step = [message, resultMessage(outcomes)];
  messages.push(...step);
  yield { type: "step", messages: step };
  yield { type: "finish-step" };
  const integrations = missingIntegrations(outcomes);
  if (integrations.length > 0) {
    yield { type: "auth-needed", integrations };
    return yield* last({ type: "finish", finishReason: "auth" });
  }
  if (outcomes.every(isRepeat)) {
    return yield* last(
      errorEvent(new Problem("MODEL_FAILED", "It repeated the same call again and again and was stopped.")),
    );
  }
  return false;
}

function heldCall({ toolCallId, toolName, input, access, summary, parsed }: Checked): HeldCall {
  return { toolCallId, toolName, input, access, summary, parsed };
}

function missingIntegrations(outcomes: Outcome[]): string[] {
  const names = outcomes.flatMap((outcome) => {
    if (!("problem" in outcome) || outcome.problem.code !== "AUTH_REQUIRED") return [];
    const named = integrationsOf(outcome.problem);
    return named.length > 0 ? named : [outcome.call.toolName.split(".")[0] ?? ""];
  });
  return [...new Set(names)];
}

function isRepeat(outcome: Outcome): boolean {
  return "problem" in outcome && outcome.problem.details.repeated === true;
}

function errorEvent(problem: Problem): AgentEvent {
  return { type: "error", errorText: problem.message, problem };
}

function* last(event: AgentEvent): Generator<AgentEvent, true> {
  yield event;
  return true;
}
