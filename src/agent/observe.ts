import { getFailureCode, type Observe, traceSpan } from "#telemetry/trace";
import type { CheckedCall, RejectedCall } from "./calls.ts";
import type { AgentEvent, Outcome, StepResult } from "./events.ts";
import type { AgentTool } from "./tool.ts";

/** Who is told of the loop's work, and the model that works, as it is set: `openai:gpt-6-astra`. */
export type AgentObserver = { observe: Observe; model: string };

/** The error that an event of the loop tells of. */
export function getErrorCode(event: AgentEvent): string | undefined {
  return event.type === "error" ? event.problem.code : undefined;
}

/** Tell what a call of the model came to, and how long it took since `begun` (seconds). */
export function recordModelCall({ observe, model }: AgentObserver, begun: number, result: StepResult): void {
  const outcome = { answer: "ok", aborted: "aborted", failed: "failed" }[result.kind];
  observe.measure("kay_model_call_seconds", { model, outcome }, observe.seconds() - begun);
  if (result.kind === "failed") observe.count("kay_model_failures_total", { model, code: result.problem.code });
  if (result.kind !== "answer") return;
  const { input, output } = result.tokens;
  if (input) observe.count("kay_model_tokens_total", { model, direction: "input" }, input);
  if (output) observe.count("kay_model_tokens_total", { model, direction: "output" }, output);
}

/** Run a tool, and tell how long that took. `waits` is what it gives when a person is to answer first: that is no end. */
export async function recordToolCall<T extends object>(
  watch: AgentObserver | undefined,
  tool: AgentTool,
  run: () => Promise<T>,
): Promise<T> {
  if (!watch) return await run();
  const { observe } = watch;
  const name = countedAs(tool);
  const begun = observe.seconds();
  const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name };
  try {
    return await traceSpan(observe, `tool ${name}`, { attributes }, run);
  } finally {
    observe.measure("kay_tool_call_seconds", { tool: name }, observe.seconds() - begun);
  }
}

/** Tell how a call of a tool ended. */
export function recordOutcome(
  watch: AgentObserver | undefined,
  call: CheckedCall | RejectedCall,
  outcome: Outcome,
): void {
  // Models make up names.
  const tool = "problem" in call ? "unknown" : countedAs(call.tool);
  watch?.observe.count("kay_tool_calls_total", { tool, outcome: getEnd(outcome) });
}

function getEnd(outcome: Outcome): string {
  if ("output" in outcome) return "ok";
  return "problem" in outcome ? getFailureCode(outcome.problem) : "denied";
}

function countedAs({ name, counted }: AgentTool): string {
  return counted ?? name;
}
