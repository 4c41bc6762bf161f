import type { JSONValue, ModelMessage, ToolResultPart } from "ai";
import type { ToolResult } from "#connectors/service";
import type { Problem } from "#protocol/errors";
import type { Outcome, ToolOutput } from "./events.ts";
import { toWireName } from "./wire-names.ts";

/** What a service answered, cut to what a model can take and marked with its origin. */
export function toToolOutput(service: string, result: ToolResult): ToolOutput {
  return {
    from: service,
    text: shorten(result.text),
    data: result.data ?? null,
    ...(result.url ? { url: result.url } : {}),
  };
}

/**
 * The message that hands a step's results to the model. Text of services travels inside `data_from`, which the instructions declare to be
 * data: words in it that sound like orders are not orders.
 */
export function toResultMessage(outcomes: Outcome[]): ModelMessage {
  return { role: "tool", content: outcomes.map(resultPart) };
}

/** The services that an AUTH_REQUIRED names. */
export function getIntegrations(problem: Problem): string[] {
  const { integrations } = problem.details;
  if (problem.code !== "AUTH_REQUIRED" || !Array.isArray(integrations)) return [];
  return integrations.filter((name): name is string => typeof name === "string");
}

/** The services that a step lacks to go on. */
export function listMissingIntegrations(outcomes: Outcome[]): string[] {
  const names = outcomes.flatMap((outcome) => {
    if (!("problem" in outcome) || outcome.problem.code !== "AUTH_REQUIRED") return [];
    const named = getIntegrations(outcome.problem);
    return named.length > 0 ? named : [outcome.call.toolName.split(".")[0] ?? ""];
  });
  return [...new Set(names)];
}

function resultPart(outcome: Outcome): ToolResultPart {
  const { call } = outcome;
  const base = { type: "tool-result", toolCallId: call.toolCallId, toolName: toWireName(call.toolName) } as const;
  if ("denied" in outcome) return { ...base, output: { type: "execution-denied", reason: outcome.denied } };
  if ("problem" in outcome) return { ...base, output: { type: "error-json", value: errorValue(outcome.problem) } };
  const { from, edited, planned, ...rest } = outcome.output;
  const changed = edited ? { arguments_changed_by_the_person: plain(edited) } : {};
  const dry = planned ? { sent: false, would_be_sent: plain(planned.input) } : {};
  return { ...base, output: { type: "json", value: { data_from: from, ...changed, ...dry, ...plain(rest) } } };
}

function errorValue(problem: Problem): JSONValue {
  const [integration] = getIntegrations(problem);
  return {
    error: {
      code: problem.code,
      ...(integration ? { integration } : {}),
      message: problem.message,
      ...(problem.hint ? { hint: problem.hint } : {}),
    },
  };
}

function plain(value: object): Record<string, JSONValue> {
  const json = JSON.stringify(value);
  return json.length <= MOST
    ? JSON.parse(json)
    : { ...JSON.parse(JSON.stringify({ ...value, data: null })), truncated: true };
}

function shorten(text: string): string {
  return text.length <= MOST ? text : `${text.slice(0, MOST)}\n… (${text.length - MOST} characters more)`;
}

/** Characters of one result that reach the model; more would crowd out the conversation. */
const MOST = 60_000;
