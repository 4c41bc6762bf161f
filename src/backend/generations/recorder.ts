import type { ModelMessage } from "ai";
import type { AgentEvent, Call, HeldCall, Outcome } from "#agent/events";
import type { Receipt } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { StreamPart } from "#protocol/events";
import { insertCallsSql, settleCallSql } from "../store/calls.ts";
import { toStoredOutcome } from "./calls/stored-outcomes.ts";
import type { ProgressEvent } from "./progress.ts";
import { computeCost } from "./usage.ts";
import type { ClaimedGeneration, LoopResult } from "./work.ts";

/** The state of a run. */
export type RecordedRun = {
  end: LoopResult;
  text: string;
  failed: Problem[];
  receipts: Receipt[];
  /** Parts to write together with the outcome of the run. */
  last: StreamPart[];
};

type Recording = ClaimedGeneration & { realigned(part: StreamPart): StreamPart[] };

/**
 * Creates a recorder that writes the loop's events: rows in one statement with the parts that report them, so that rows
 * and log always agree. The calls of a step are stored before they run; their outcomes are written with the next parts.
 */
export function createRecorder(recording: Recording): { take(event: AgentEvent): Promise<void>; state: RecordedRun } {
  const state: RecordedRun = { end: { kind: "cancelled" }, text: "", failed: [], receipts: [], last: [] };
  const outcomes = new Map<string, Outcome>();
  const { steps } = recording.row;
  let stepCount = steps;
  const { writer, ports } = recording;
  const pushPart = (part: StreamPart) => {
    for (const alignedPart of recording.realigned(part)) writer.push(alignedPart);
  };
  const take = async (event: AgentEvent): Promise<void> => {
    updateState(state, event);
    switch (event.type) {
      case "start":
      case "held":
      case "auth-needed":
      case "waiting":
      case "finish":
      case "error":
      case "abort":
        return;
      case "step-open":
        return await writer.commit([], {
          rows: [insertCallsSql(stepCount + 1, event.step.calls)],
          generation: { step: event.step },
        });
      case "usage": {
        const { model, tokens } = event;
        const costUsd = computeCost(model, tokens, ports.model().env.KAY_MODEL_PRICES);
        const [inputTokens, outputTokens] = [tokens.input ?? 0, tokens.output ?? 0];
        const used = { model, inputTokens, outputTokens, contextTokens: inputTokens + outputTokens };
        const progressEvent = {
          type: "tokens-used",
          used: costUsd === undefined ? used : { ...used, costUsd },
        } as const;
        return writer.defer([], { generation: recording.advanceChange([progressEvent]) });
      }
      case "outcome":
        outcomes.set(event.outcome.call.toolCallId, event.outcome);
        return;
      case "tool-output-available":
      case "tool-output-error":
      case "tool-output-denied": {
        const outcome = outcomes.get(event.toolCallId);
        const rows = outcome ? [settleCallSql(event.toolCallId, toStoredOutcome(outcome))] : [];
        return writer.defer([event], { rows });
      }
      case "step": {
        stepCount++;
        const { messages, mismatch } = event;
        const progress: ProgressEvent[] = [];
        if (recording.progress().approval === "granted") progress.push({ type: "approval-spent" });
        if (mismatch) progress.push({ type: "output-mismatch", mismatch });
        // Written with the end of the step, so that recovery after a crash does not take it for interrupted.
        // A value that was asked for is stored before the end, so that the model is not asked for it twice.
        const write = recording.request.limits.outputSchema ? writer.commit : writer.defer;
        await write(recording.realigned({ type: "finish-step" }), {
          messages,
          generation: recording.advanceChange(progress, { step: null, steps: stepCount, failures: 0 }),
        });
        ports.observe?.count("kay_steps_total", {});
        return;
      }
      case "finish-step":
        if (state.end.kind === "held") state.last = recording.realigned(event);
        return;
      case "tool-input-available":
        return pushPart({ ...event, dynamic: true });
      case "tool-input-start":
        return pushPart({ ...event, dynamic: true });
      default:
        return pushPart(event);
    }
  };
  return { take, state };
}

function updateState(state: RecordedRun, event: AgentEvent): void {
  switch (event.type) {
    case "start-step":
      state.text = "";
      break;
    case "text-start":
      if (state.text !== "") state.text += "\n\n";
      break;
    case "text-delta":
      state.text += event.delta;
      break;
    case "tool-output-error":
      state.failed.push(toCallProblem(event.code, event.errorText));
      break;
    case "held":
      state.end = { kind: "held", message: event.message, calls: event.calls, text: state.text };
      break;
    case "auth-needed":
      state.end = { kind: "auth", integrations: event.integrations };
      break;
    case "waiting":
      state.end = { kind: "waiting", waits: event.waits };
      break;
    case "error":
      state.end = { kind: "error", problem: event.problem };
      break;
    case "finish":
      if (event.finishReason === "stop" || event.finishReason === "other") {
        const unanswered = event.finishReason === "other" ? { unanswered: true } : {};
        state.end = {
          kind: "answered",
          text: state.text,
          ...(event.output ? { output: event.output } : {}),
          ...unanswered,
        };
      }
  }
}

/** Returns the text of a model message, without its calls. */
export function getText(message: ModelMessage | undefined): string {
  if (message?.role !== "assistant") return "";
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

/** Converts a failed call to the problem that the answer reports. */
export function toCallProblem(code: string | undefined, message: string): Problem {
  return new Problem(code === "OUTCOME_UNKNOWN" ? "OUTCOME_UNKNOWN" : "SERVICE_FAILED", message);
}

/** Converts the calls of a held step to those that the model made. */
export function toCalls(calls: HeldCall[]): Call[] {
  return calls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input }));
}
