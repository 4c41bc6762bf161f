import type { LanguageModel, ModelMessage } from "ai";
import { Problem } from "#protocol/errors";
import { traceEvents } from "#telemetry/trace";
import type { CallPorts, CheckedCall, RejectedCall } from "./calls.ts";
import type { DryRun } from "./dry-run.ts";
import type { AgentEvent, HeldCall, OpenStep, Outcome, StepResult } from "./events.ts";
import { checkCall, runCalls } from "./execute.ts";
import { buildInstructions } from "./instructions.ts";
import { type AgentObserver, getErrorCode } from "./observe.ts";
import {
  buildCorrectionMessages,
  type OutputMismatch,
  outputInvalidProblem,
  toMismatch,
  type WantedOutput,
} from "./output.ts";
import type { PastCall } from "./repetition.ts";
import { listMissingIntegrations, toResultMessage } from "./results.ts";
import { runModelStep } from "./step.ts";
import type { AgentTool } from "./tool.ts";

export type AgentInput = {
  /** Who is told of each step, call of the model and call of a tool. */
  watch?: AgentObserver;
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
  holds(call: CheckedCall): boolean | Promise<boolean>;
  /** A step that was begun before, or held and is now approved: its calls are run first, to the end even when the signal has fired. */
  open?: OpenStep;
  /** Model steps before this run. */
  steps?: number;
  /** Calls of those steps. */
  past?: PastCall[];
  /** The tools that the model is given in a step, where it is not given all. */
  offers?(messages: ModelMessage[], past: PastCall[]): AgentTool[];
  /** The value that the answer is to be; one that is not is mended once. */
  wanted?: WantedOutput;
  /** It was asked to mend this one. */
  mismatch?: OutputMismatch;
  /** Model steps after which it is ended, where that is to be sooner than {@link MOST_STEPS}. */
  mostSteps?: number;
  /** How calls meet people; without it a missing connection ends the generation. */
  calls?: CallPorts;
  /** Nothing but reads is made. */
  dryRun?: DryRun;
  /** Whether an error of a call ends the run at once instead of becoming the call's result: a store that is away. */
  isFatal?(error: unknown): boolean;
};

/** Steps after which a generation is ended: enough for real work, an end for a model that never stops. */
export const MAX_STEPS = 20;

/**
 * The agent: from messages, tools, a model and a signal to a stream of events. It throws nothing but that the database is away; failures travel in the stream, and its
 * last event is `finish`, `waiting`, `error` or `abort`. What it waits for is not awaited: it is called again, with the open step.
 */
export async function* runAgent(input: AgentInput): AsyncGenerator<AgentEvent> {
  const turn: Turn = { messages: [...input.messages], memory: [...(input.past ?? [])], mismatch: input.mismatch };
  yield { type: "start" };
  if (input.open) {
    const checked = input.open.calls.map((call) => checkCall(call, input.tools));
    const signal = input.calls ? input.signal : new AbortController().signal;
    if (yield* asStep(input, execute({ ...input, signal }, turn, input.open, checked))) return;
  }
  const most = Math.min(input.mostSteps ?? MAX_STEPS, MAX_STEPS);
  // The open one is not among those before.
  for (let step = (input.steps ?? 0) + (input.open ? 1 : 0); step < most; step++) {
    if (input.signal.aborted) return yield { type: "abort" };
    const ended = yield* asStep(input, oneStep(input, turn));
    if (ended) return;
  }
  const words = `It was not finished after ${most === 1 ? "1 step" : `${most} steps`} and was stopped.`;
  yield errorEvent(turn.mismatch ? outputInvalidProblem(turn.mismatch) : new Problem("STEP_LIMIT", words));
}

type Turn = { messages: ModelMessage[]; memory: PastCall[]; mismatch?: OutputMismatch };

function asStep(input: AgentInput, step: AsyncGenerator<AgentEvent, boolean>): AsyncGenerator<AgentEvent, boolean> {
  return traceEvents(input.watch?.observe, "step", step, getErrorCode);
}

/** One call of the model and the calls it makes. True when the generation is over, or waits. */
async function* oneStep(input: AgentInput, turn: Turn): AsyncGenerator<AgentEvent, boolean> {
  yield { type: "start-step" };
  const { tools, model, label, signal } = input;
  const result = yield* runModelStep({
    model,
    label,
    watch: input.watch,
    tools: input.offers?.(turn.messages, turn.memory) ?? tools,
    signal,
    messages: [...turn.messages, ...(turn.mismatch ? buildCorrectionMessages(turn.mismatch) : [])],
    instructions: buildInstructions(tools, input.now, {
      schema: input.wanted?.schema,
      dryRun: input.dryRun !== undefined,
    }),
    ...(input.wanted ? { schema: input.wanted.schema } : {}),
    taken: turn.memory.map(({ call }) => ("problem" in call ? call.call : call).toolCallId),
  });
  if (result.kind === "aborted") return yield* last({ type: "abort" });
  if (result.kind === "failed") return yield* last(errorEvent(result.problem));
  if (result.calls.length === 0) return yield* answer(input, turn, result);
  if (signal.aborted) return yield* last({ type: "abort" });
  const checked = result.calls.map((call) => checkCall(call, tools));
  const runnable = checked.filter((call): call is CheckedCall => !("problem" in call));
  const held = await Promise.all(runnable.map((call) => input.holds(call)));
  if (held.includes(true)) {
    yield { type: "held", message: result.message, calls: runnable.map(heldCall) };
    yield { type: "finish-step" };
    return yield* last({ type: "finish", finishReason: "held" });
  }
  const open = { message: result.message, calls: result.calls };
  yield { type: "step-open", step: open };
  return yield* execute(input, turn, open, checked);
}

/** The model has said its last word, unless that is to be another one. */
function* answer(
  { wanted }: AgentInput,
  turn: Turn,
  { message, text, cut }: Extract<StepResult, { kind: "answer" }>,
): Generator<AgentEvent, boolean> {
  const checked = wanted?.check(text);
  if (checked && "problems" in checked) {
    const mismatch = toMismatch(text, checked.problems);
    if (turn.mismatch) return yield* last(errorEvent(outputInvalidProblem(mismatch)));
    turn.mismatch = mismatch;
    yield { type: "step", messages: [], mismatch };
    yield { type: "finish-step" };
    return false;
  }
  yield { type: "step", messages: [message] };
  yield { type: "finish-step" };
  return yield* last({
    type: "finish",
    finishReason: cut ? "length" : "stop",
    ...(checked ? { output: checked } : {}),
  });
}

async function* execute(
  { signal, calls: ports, dryRun, watch, isFatal }: AgentInput,
  turn: Turn,
  { message }: OpenStep,
  checked: (CheckedCall | RejectedCall)[],
): AsyncGenerator<AgentEvent, boolean> {
  const ran = yield* runCalls(checked, { memory: turn.memory, signal, ports, dryRun, watch, isFatal });
  if ("waits" in ran) return yield* last({ type: "waiting", waits: ran.waits });
  const { outcomes } = ran;
  const step = [message, toResultMessage(outcomes)];
  turn.messages.push(...step);
  turn.memory.push(...checked.map((call, index) => ({ call, outcome: outcomes[index] })));
  yield { type: "step", messages: step };
  yield { type: "finish-step" };
  // A dry run waits for no connection: it says what is missing.
  const integrations = ports && !dryRun ? [] : listMissingIntegrations(outcomes);
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

function heldCall({ toolCallId, toolName, input, access, summary, parsed, tool }: CheckedCall): HeldCall {
  return { toolCallId, toolName, input, access, summary, parsed, service: tool.service };
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
