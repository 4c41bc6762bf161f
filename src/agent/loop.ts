import type { ModelMessage } from "ai";
import { Problem } from "#protocol/errors";
import { traceEvents } from "#telemetry/trace";
import type { AgentInput, Turn } from "./agent-input.ts";
import type { CheckedCall, RejectedCall } from "./calls/checked-call.ts";
import { isFalseClaim, NOTHING_CHANGED } from "./calls/claim.ts";
import { checkCall, runCalls } from "./calls/execute.ts";
import { findFailureLoop, findRepetition, hasWritten, withWritesDone } from "./calls/repetition.ts";
import type { AgentEvent, HeldCall, OpenStep, Outcome, StepResult } from "./events.ts";
import { createCallLimit, findRepeatedDenial } from "./limits.ts";
import { getErrorCode } from "./observe.ts";
import { outputInvalidProblem, toMismatch } from "./output.ts";
import { listMissingIntegrations, toResultMessage } from "./results.ts";
import {
  cutAnswerProblem,
  cutCallProblem,
  emptyAnswerProblem,
  findUnusableEnd,
  isBlank,
  isTextCall,
  textCallProblem,
} from "./steps/answer-problem.ts";
import { describeUnreadFiles } from "./steps/attachments.ts";
import { callModel } from "./steps/call-model.ts";

/** Maximum number of model steps in a generation: enough for real work, and an end for a model that never stops. */
export const MAX_STEPS = 20;

/**
 * Runs the agent loop and yields its events; the last one is `finish`, `waiting`, `error` or `abort`. Failures are
 * events; only an error that `isFatal` accepts is thrown. After `waiting`, call it again with the open step.
 */
export async function* runAgent(input: AgentInput): AsyncGenerator<AgentEvent> {
  const turn: Turn = { messages: [...input.messages], memory: [...(input.past ?? [])], mismatch: input.mismatch };
  for await (const event of runTurn(input, turn))
    yield event.type === "error" ? buildErrorEvent(withWritesDone(event.problem, turn.memory)) : event;
}

async function* runTurn(input: AgentInput, turn: Turn): AsyncGenerator<AgentEvent> {
  yield { type: "start" };
  if (input.open) {
    const limit = createCallLimit(turn.memory);
    const checkedCalls = input.open.calls.map((call) => limit(checkCall(call, input.tools)));
    const signal = input.calls ? input.signal : new AbortController().signal;
    if (yield* traceStep(input, executeCalls({ ...input, signal }, turn, input.open, checkedCalls))) return;
  }
  const isFirst = (input.steps ?? 0) === 0 && !input.open;
  const notice = isFirst && input.files && describeUnreadFiles(turn.messages, input.files, input.label);
  if (notice) yield { type: "data-notice", data: { text: notice } };
  const maxSteps = Math.min(input.mostSteps ?? MAX_STEPS, MAX_STEPS);
  // The open step is not included in `steps`.
  for (let step = (input.steps ?? 0) + (input.open ? 1 : 0); step < maxSteps; step++) {
    if (input.signal.aborted) return yield { type: "abort" };
    const isEnded = yield* traceStep(input, runStep(input, turn));
    if (isEnded) return;
  }
  const words = `The request was stopped: it was not finished after ${maxSteps === 1 ? "1 step" : `${maxSteps} steps`}.`;
  yield buildErrorEvent(turn.mismatch ? outputInvalidProblem(turn.mismatch) : new Problem("STEP_LIMIT", words));
}

function traceStep(input: AgentInput, step: AsyncGenerator<AgentEvent, boolean>): AsyncGenerator<AgentEvent, boolean> {
  return traceEvents(input.watch?.observe, "step", step, getErrorCode);
}

/** Makes one model call and runs the calls it returns. Returns true when the generation has ended or waits. */
async function* runStep(input: AgentInput, turn: Turn): AsyncGenerator<AgentEvent, boolean> {
  yield { type: "start-step" };
  const { tools, label, signal } = input;
  const result = yield* callModel(input, turn);
  if (result.kind === "aborted") return yield* yieldLast({ type: "abort" });
  if (result.kind === "failed") return yield* yieldLast(buildErrorEvent(result.problem));
  const unusable = findUnusableEnd(label, result);
  if (unusable) return yield* yieldLast(buildErrorEvent(unusable));
  if (result.calls.length === 0) return yield* acceptAnswer(input, turn, result);
  if (signal.aborted) return yield* yieldLast({ type: "abort" });
  const isCut = result.end === "length";
  const limit = createCallLimit(turn.memory);
  const checkedCalls = result.calls.map((call) =>
    isCut ? { call, problem: cutCallProblem(call) } : limit(checkCall(call, tools)),
  );
  const loop = findFailureLoop(checkedCalls, turn.memory);
  if (loop) return yield* yieldLast(buildErrorEvent(loop));
  const runnable = checkedCalls.filter((call): call is CheckedCall => !("problem" in call));
  const isHeld = await Promise.all(
    runnable.map((call) => findRepetition(call, turn.memory) === undefined && input.needsApproval(call)),
  );
  if (isHeld.includes(true)) {
    yield { type: "held", message: result.message, calls: runnable.map(toHeldCall) };
    yield { type: "finish-step" };
    return yield* yieldLast({ type: "finish", finishReason: "held" });
  }
  const open = { message: result.message, calls: result.calls };
  yield { type: "step-open", step: open };
  return yield* executeCalls(input, turn, open, checkedCalls);
}

/** Ends the generation with the model's answer, or asks for a correction if the answer does not match the schema. */
function* acceptAnswer(
  { expectedOutput, label, tools }: AgentInput,
  turn: Turn,
  { message, text, end }: Extract<StepResult, { kind: "answer" }>,
): Generator<AgentEvent, boolean> {
  if (
    isTextCall(
      text,
      tools.map(({ name }) => name),
    )
  )
    return yield* yieldLast(buildErrorEvent(textCallProblem(label)));
  if (isBlank(text) && !turn.memory.some(hasWritten))
    return yield* yieldLast(buildErrorEvent(emptyAnswerProblem(label, end)));
  const isWhole = end === "whole" || end === "unanswered";
  const output = isWhole ? expectedOutput?.check(text) : undefined;
  if (output && "problems" in output) {
    const mismatch = toMismatch(text, output.problems);
    if (turn.mismatch) return yield* yieldLast(buildErrorEvent(outputInvalidProblem(mismatch)));
    turn.mismatch = mismatch;
    yield { type: "step", messages: [], mismatch };
    yield { type: "finish-step" };
    return false;
  }
  const isFalse = !expectedOutput && isFalseClaim(text, { messages: turn.messages, past: turn.memory, tools });
  if (isFalse) yield* yieldText("nothing-changed", NOTHING_CHANGED);
  yield { type: "step", messages: [isFalse ? appendText(message, NOTHING_CHANGED) : message] };
  yield { type: "finish-step" };
  if (end === "length") return yield* yieldLast(buildErrorEvent(cutAnswerProblem(label, text)));
  const finishReason = end === "unanswered" ? "other" : "stop";
  return yield* yieldLast({ type: "finish", finishReason, ...(output ? { output } : {}) });
}

async function* executeCalls(
  { signal, calls: ports, dryRun, verify, watch, isFatal }: AgentInput,
  turn: Turn,
  { message }: OpenStep,
  checkedCalls: (CheckedCall | RejectedCall)[],
): AsyncGenerator<AgentEvent, boolean> {
  const result = yield* runCalls(checkedCalls, { memory: turn.memory, signal, ports, dryRun, verify, watch, isFatal });
  if ("waits" in result) return yield* yieldLast({ type: "waiting", waits: result.waits });
  const { outcomes } = result;
  const step = [message, toResultMessage(outcomes)];
  turn.messages.push(...step);
  const calls = checkedCalls.map((call, index) => ({ call, outcome: outcomes[index] }));
  const denied = findRepeatedDenial(turn.memory, calls);
  turn.memory.push(...calls);
  yield { type: "step", messages: step };
  yield { type: "finish-step" };
  // A dry run does not wait for connections; its answer names the missing ones.
  const integrations = ports && !dryRun ? [] : listMissingIntegrations(outcomes);
  if (integrations.length > 0) {
    yield { type: "auth-needed", integrations };
    return yield* yieldLast({ type: "finish", finishReason: "auth" });
  }
  if (denied) return yield* yieldLast(buildErrorEvent(denied));
  if (outcomes.every(isRepeat)) {
    return yield* yieldLast(
      buildErrorEvent(new Problem("MODEL_FAILED", "The request was stopped: the model kept repeating the same call.")),
    );
  }
  return false;
}

function toHeldCall({ toolCallId, toolName, input, access, summary, parsed, tool }: CheckedCall): HeldCall {
  return { toolCallId, toolName, input, access, summary, parsed, service: tool.service };
}

function isRepeat(outcome: Outcome): boolean {
  return "problem" in outcome && outcome.problem.details.repeated === true;
}

function buildErrorEvent(problem: Problem): AgentEvent {
  return { type: "error", errorText: problem.message, problem };
}

function* yieldText(id: string, delta: string): Generator<AgentEvent> {
  yield { type: "text-start", id };
  yield { type: "text-delta", id, delta };
  yield { type: "text-end", id };
}

function appendText(message: ModelMessage, text: string): ModelMessage {
  if (message.role !== "assistant") return message;
  const { content } = message;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return { ...message, content: [...parts, { type: "text", text }] };
}

function* yieldLast(event: AgentEvent): Generator<AgentEvent, true> {
  yield event;
  return true;
}
