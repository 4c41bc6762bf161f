import { cleanLine } from "./clean.ts";
import { Problem } from "./errors.ts";

/** What an agent server may tell of a turn, as parts of kay's own stream. */
export type AgentPart =
  | { type: "text-start"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "text-end"; id: string }
  | { type: "reasoning-start"; id: string }
  | { type: "reasoning-delta"; id: string; delta: string }
  | { type: "reasoning-end"; id: string }
  | { type: "tool-input-available"; toolCallId: string; toolName: string; input: unknown }
  | {
      type: "tool-output-available";
      toolCallId: string;
      output: { from: string; text: string; data: unknown; url?: string };
    }
  | { type: "tool-output-error"; toolCallId: string; errorText: string; code: string };

/** What an event of its stream, or a report, is turned into: parts, and how the turn ends by it. */
export type AgentEventResult = { parts: AgentPart[]; end?: "finish" | "abort" | Problem };

/** Longest summary of what a tool came to, in characters; the whole is in its data. */
const SUMMARY = 2_000;

/**
 * Turn one event of an agent server's stream into parts of kay's own. It may speak in the AI SDK's parts of a text stream (seed: `text-delta`
 * with `text`, `tool-call`, `tool-result`) or in those of its UI message stream (`delta`, `tool-input-available`, `tool-output-available`).
 * What is of another shape is passed over.
 *
 * @param label who answers, as the source of what tools came to
 */
export function toAgentParts(event: unknown, label: string): AgentEventResult {
  const part = (typeof event === "object" && event !== null ? event : {}) as Record<string, unknown>;
  const id = getText(part.id) || "text";
  const toolCallId = getText(part.toolCallId) || getText(part.id);
  switch (part.type) {
    case "text-start":
    case "text-end":
    case "reasoning-start":
    case "reasoning-end":
      return { parts: [{ type: part.type, id }] };
    case "text-delta":
    case "reasoning-delta": {
      const delta = getText(part.delta) || getText(part.text);
      return { parts: delta === "" ? [] : [{ type: part.type, id, delta }] };
    }
    case "tool-call":
    case "tool-input-available":
      return { parts: toolCallId ? [toCallPart(toolCallId, part)] : [] };
    case "tool-result":
    case "tool-output-available":
      return { parts: toolCallId ? [toResultPart(toolCallId, part.output ?? part.result, label)] : [] };
    case "tool-error":
    case "tool-output-error": {
      const errorText = cleanLine(getText(part.errorText) || getMessage(part.error) || "The tool failed.", 500);
      return {
        parts: toolCallId ? [{ type: "tool-output-error", toolCallId, errorText, code: "SERVICE_FAILED" }] : [],
      };
    }
    case "finish":
      return { parts: [], end: "finish" };
    case "abort":
      return { parts: [], end: "abort" };
    case "error":
      return { parts: [], end: toTurnProblem(getText(part.errorText) || getMessage(part.error), part) };
    default:
      return { parts: [] };
  }
}

/** A call as the agent server made it. */
export function toCallPart(toolCallId: string, part: Record<string, unknown>): AgentPart {
  const toolName = cleanLine(getText(part.toolName), 100) || "tool";
  return { type: "tool-input-available", toolCallId, toolName, input: part.input ?? part.args ?? {} };
}

/**
 * What a tool came to there; the words are all a person sees at first. An output of `error` with a message is a failure, and one of kay's agent
 * server has words and an address of its own.
 */
export function toResultPart(toolCallId: string, given: unknown, label: string): AgentPart {
  const { error, from, text: words, data, url } = (given ?? {}) as Record<string, unknown>;
  const failed = getMessage(error);
  if (failed !== "" && typeof error === "object")
    return { type: "tool-output-error", toolCallId, errorText: cleanLine(failed, 500), code: "SERVICE_FAILED" };
  const isKays = typeof from === "string" && typeof words === "string" && data !== undefined;
  const text = isKays ? words : typeof given === "string" ? given : JSON.stringify(given ?? null);
  const output = isKays
    ? { from: label, text: text.slice(0, 30 * SUMMARY), data, ...getLink(url) }
    : { from: label, text: text.slice(0, SUMMARY), data: given };
  return { type: "tool-output-available", toolCallId, output };
}

/** Why an agent server's turn failed. What is wrong at kay's own keeps its name, as far as it concerns whoever asked. */
export function toTurnProblem(message: string | undefined, { code, integrations }: Record<string, unknown>): Problem {
  const told = cleanLine(message || "It does not say why.", 500);
  const known = CONCERNING.find((one) => one === code);
  if (known === undefined) return new Problem("AGENT_FAILED", `The agent server failed: ${told}`);
  const names = Array.isArray(integrations)
    ? integrations.map(getText).filter((name) => /^[\w-]{1,64}$/.test(name))
    : [];
  return new Problem(known, told, { details: names.length > 0 ? { integrations: names } : {} });
}

/** Errors that somebody who asked can do something about. */
const CONCERNING = ["AUTH_REQUIRED", "CONTEXT_TOO_LONG", "MODEL_FAILED", "MODEL_NOT_CONFIGURED", "STEP_LIMIT"] as const;

function getLink(url: unknown): { url?: string } {
  return typeof url === "string" && /^https?:\/\//.test(url) ? { url } : {};
}

function getText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function getMessage(error: unknown): string {
  if (typeof error === "string") return error;
  return getText((error as { message?: unknown } | null)?.message);
}
