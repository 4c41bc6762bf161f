import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { AgentEvent, ToolOutput } from "../agent/events.ts";

/** What an agent server's stream is turned into; `undefined` ends are for the caller to see. */
export type Translated = { events: AgentEvent[]; end?: "finish" | "abort" | Problem };

/** Longest summary of what a tool came to, in characters; the whole is in its data. */
const SUMMARY = 2_000;

/**
 * Turn one event of an agent server into the loop's own. It may speak in the AI SDK's parts of a text stream (seed: `text-delta` with `text`,
 * `tool-call`, `tool-result`) or in those of its UI message stream (`delta`, `tool-input-available`, `tool-output-available`). What is of
 * another shape is passed over.
 */
export function translate(event: unknown, label: string): Translated {
  const part = (typeof event === "object" && event !== null ? event : {}) as Record<string, unknown>;
  const id = textOf(part.id) || "text";
  const toolCallId = textOf(part.toolCallId) || textOf(part.id);
  switch (part.type) {
    case "text-start":
    case "text-end":
    case "reasoning-start":
    case "reasoning-end":
      return { events: [{ type: part.type, id }] };
    case "text-delta":
    case "reasoning-delta": {
      const delta = textOf(part.delta) || textOf(part.text);
      return { events: delta === "" ? [] : [{ type: part.type, id, delta }] };
    }
    case "tool-call":
    case "tool-input-available":
      return { events: toolCallId ? [callEvent(toolCallId, part)] : [] };
    case "tool-result":
    case "tool-output-available":
      return { events: toolCallId ? [resultEvent(toolCallId, part.output ?? part.result, label)] : [] };
    case "tool-error":
    case "tool-output-error": {
      const errorText = cleanLine(textOf(part.errorText) || messageOf(part.error) || "The tool failed.", 500);
      return {
        events: toolCallId ? [{ type: "tool-output-error", toolCallId, errorText, code: "SERVICE_FAILED" }] : [],
      };
    }
    case "finish":
      return { events: [], end: "finish" };
    case "abort":
      return { events: [], end: "abort" };
    case "error":
      return { events: [], end: failureOf(textOf(part.errorText) || messageOf(part.error), part) };
    default:
      return { events: [] };
  }
}

/** A call as the agent server made it. */
export function callEvent(toolCallId: string, part: Record<string, unknown>): AgentEvent {
  const toolName = cleanLine(textOf(part.toolName), 100) || "tool";
  return { type: "tool-input-available", toolCallId, toolName, input: part.input ?? part.args ?? {} };
}

/**
 * What a tool came to there; the words are all a person sees at first. An output of `error` with a message is a failure, and one of kay's agent
 * server has words and an address of its own.
 */
export function resultEvent(toolCallId: string, given: unknown, label: string): AgentEvent {
  const { error, from, text: words, data, url } = (given ?? {}) as Record<string, unknown>;
  const failed = messageOf(error);
  if (failed !== "" && typeof error === "object")
    return { type: "tool-output-error", toolCallId, errorText: cleanLine(failed, 500), code: "SERVICE_FAILED" };
  if (typeof from === "string" && typeof words === "string" && data !== undefined) {
    const output: ToolOutput = { from: label, text: words.slice(0, 30 * SUMMARY), data };
    return { type: "tool-output-available", toolCallId, output: { ...output, ...linkOf(url) } };
  }
  const text = typeof given === "string" ? given : JSON.stringify(given ?? null);
  return {
    type: "tool-output-available",
    toolCallId,
    output: { from: label, text: text.slice(0, SUMMARY), data: given },
  };
}

/** Why an agent server's turn failed. What is wrong at kay's own keeps its name, as far as it concerns whoever asked. */
export function failureOf(message: string | undefined, { code, integrations }: Record<string, unknown>): Problem {
  const told = cleanLine(message || "It does not say why.", 500);
  const known = CONCERNING.find((one) => one === code);
  if (known === undefined) return new Problem("AGENT_FAILED", `The agent server failed: ${told}`);
  const names = Array.isArray(integrations)
    ? integrations.map(textOf).filter((name) => /^[\w-]{1,64}$/.test(name))
    : [];
  return new Problem(known, told, { details: names.length > 0 ? { integrations: names } : {} });
}

/** Errors that somebody who asked can do something about. */
const CONCERNING = ["AUTH_REQUIRED", "CONTEXT_TOO_LONG", "MODEL_FAILED", "MODEL_NOT_CONFIGURED", "STEP_LIMIT"] as const;

function linkOf(url: unknown): { url?: string } {
  return typeof url === "string" && /^https?:\/\//.test(url) ? { url } : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  return textOf((error as { message?: unknown } | null)?.message);
}
