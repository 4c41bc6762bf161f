import { getFailureCode, type Observe, traceSpan } from "#telemetry/trace";
import type { CheckedCall, RejectedCall } from "./calls/checked-call.ts";
import type { AgentEvent, Outcome, StepResult } from "./events.ts";
import type { AgentTool } from "./tool.ts";

/** The observer of the loop, and the model's name in settings, such as `openai:gpt-6-astra`. */
export type AgentObserver = { observe: Observe; model: string };

/** Returns the error code that an event carries. */
export function getErrorCode(event: AgentEvent): string | undefined {
  return event.type === "error" ? event.problem.code : undefined;
}

/** Records the result and the duration of a model call. `start` is in seconds. */
export function recordModelCall({ observe, model }: AgentObserver, start: number, result: StepResult): void {
  const outcome = { answer: "ok", aborted: "aborted", failed: "failed" }[result.kind];
  observe.measure("kay_model_call_seconds", { model, outcome }, observe.seconds() - start);
  if (result.kind === "failed") observe.count("kay_model_failures_total", { model, code: result.problem.code });
  if (result.kind !== "answer") return;
  const { input, output } = result.tokens;
  if (input) observe.count("kay_model_tokens_total", { model, direction: "input" }, input);
  if (output) observe.count("kay_model_tokens_total", { model, direction: "output" }, output);
}

/** Runs a tool and records its duration. A tool that waits for the user has not ended. */
export async function recordToolCall<T extends object>(
  watch: AgentObserver | undefined,
  tool: AgentTool,
  run: () => Promise<T>,
): Promise<T> {
  if (!watch) return await run();
  const { observe } = watch;
  const name = getMetricName(tool);
  const start = observe.seconds();
  const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name };
  try {
    return await traceSpan(observe, `tool ${name}`, { attributes }, run);
  } finally {
    observe.measure("kay_tool_call_seconds", { tool: name }, observe.seconds() - start);
  }
}

/** Records how a tool call ended. */
export function recordOutcome(
  watch: AgentObserver | undefined,
  call: CheckedCall | RejectedCall,
  outcome: Outcome,
): void {
  // Models can invent tool names, so unknown ones are counted under one label.
  const tool = "problem" in call ? "unknown" : getMetricName(call.tool);
  watch?.observe.count("kay_tool_calls_total", { tool, outcome: getOutcomeLabel(outcome) });
}

function getOutcomeLabel(outcome: Outcome): string {
  if ("output" in outcome) return "ok";
  return "problem" in outcome ? getFailureCode(outcome.problem) : "denied";
}

function getMetricName({ name, metricName }: AgentTool): string {
  return metricName ?? name;
}
