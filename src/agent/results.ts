import type { JSONValue, ModelMessage, ToolResultPart } from "ai";
import type { ToolResult } from "#connectors/tool";
import type { Problem } from "#protocol/errors";
import { toWireName } from "#protocol/tool-names";
import type { Outcome, ToolOutput } from "./events.ts";
import { fitJson, fitText } from "./steps/fit-json.ts";

/** Converts a service's result to output for the model: shortened and marked with its origin. */
export function toToolOutput(service: string, result: ToolResult): ToolOutput {
  return {
    from: service,
    text: fitText(result.text, MAX_TEXT_LENGTH),
    data: result.data ?? null,
    ...(result.url ? { url: result.url } : {}),
  };
}

/**
 * Builds the message that passes a step's results to the model. Service text is inside `data_from`, which the
 * instructions declare to be data, so commands in it are not followed.
 */
export function toResultMessage(outcomes: Outcome[]): ModelMessage {
  return { role: "tool", content: outcomes.map(toResultPart) };
}

/** Returns the services that an AUTH_REQUIRED problem names. */
export function getIntegrations(problem: Problem): string[] {
  const { integrations } = problem.details;
  if (problem.code !== "AUTH_REQUIRED" || !Array.isArray(integrations)) return [];
  return integrations.filter((name): name is string => typeof name === "string");
}

/** Lists the services that a step needs but that are not connected. */
export function listMissingIntegrations(outcomes: Outcome[]): string[] {
  const names = outcomes.flatMap((outcome) => {
    if (!("problem" in outcome) || outcome.problem.code !== "AUTH_REQUIRED") return [];
    const integrations = getIntegrations(outcome.problem);
    return integrations.length > 0 ? integrations : [outcome.call.toolName.split(".")[0] ?? ""];
  });
  return [...new Set(names)];
}

function toResultPart(outcome: Outcome): ToolResultPart {
  const { call } = outcome;
  const base = { type: "tool-result", toolCallId: call.toolCallId, toolName: toWireName(call.toolName) } as const;
  if ("denied" in outcome) return { ...base, output: { type: "execution-denied", reason: outcome.denied } };
  if ("problem" in outcome) return { ...base, output: { type: "error-json", value: toErrorValue(outcome.problem) } };
  const { from, edited, planned, repeated: _repeated, ...rest } = outcome.output;
  const editFields = edited ? { arguments_changed_by_the_person: toPlainJson(edited) } : {};
  const plannedFields = planned ? { sent: false, would_be_sent: toPlainJson(planned.input) } : {};
  return {
    ...base,
    output: { type: "json", value: { data_from: from, ...editFields, ...plannedFields, ...toPlainJson(rest) } },
  };
}

function toErrorValue(problem: Problem): JSONValue {
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

function toPlainJson(value: object): Record<string, JSONValue> {
  const json = JSON.stringify(value);
  if (json.length <= MAX_STORED_LENGTH) return JSON.parse(json);
  const fitted = fitJson(JSON.parse(json), MAX_STORED_LENGTH);
  return { ...(fitted.value as Record<string, JSONValue>), ...(fitted.leftOut ? { left_out: fitted.leftOut } : {}) };
}

/** Longest stored tool result, in characters. A model gets at most what its context has room for. */
const MAX_STORED_LENGTH = 120_000;

/** Longest text of a tool result, in characters. */
const MAX_TEXT_LENGTH = 60_000;
