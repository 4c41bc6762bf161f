import { cleanLine } from "./clean.ts";
import { Problem } from "./errors.ts";

/** Stream parts that kay accepts from an agent server. */
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
  | {
      type: "tool-output-error";
      toolCallId: string;
      errorText: string;
      code: string;
      access?: "read" | "write" | "destructive";
    };

/** Result of reading one stream event or report: the new parts and, if the turn is over, how it ended. */
export type AgentEventResult = { parts: AgentPart[]; end?: "finish" | "abort" | Problem };

/** Longest summary of a tool result, in characters. The full result is in `data`. */
const MAX_SUMMARY_CHARACTERS = 2_000;

/**
 * Converts one event of an agent server's stream to kay's parts. Accepts the AI SDK's text stream (`text-delta` with
 * `text`, `tool-call`, `tool-result`) and its UI message stream (`delta`, `tool-input-available`,
 * `tool-output-available`). Ignores events of any other shape.
 *
 * @param label name of the agent server, shown as the source of tool results
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

/** Converts a tool call made by the agent server. */
export function toCallPart(toolCallId: string, part: Record<string, unknown>): AgentPart {
  const toolName = cleanLine(getText(part.toolName), 100) || "tool";
  return { type: "tool-input-available", toolCallId, toolName, input: part.input ?? part.args ?? {} };
}

/**
 * Converts the result of a tool that the agent server ran. An output with an `error` message becomes a failure. Results
 * of kay's own agent server bring their own summary and link.
 */
export function toResultPart(toolCallId: string, result: unknown, label: string): AgentPart {
  const { error, from, text: summary, data, url } = (result ?? {}) as Record<string, unknown>;
  const errorMessage = getMessage(error);
  if (errorMessage !== "" && typeof error === "object")
    return { type: "tool-output-error", toolCallId, errorText: cleanLine(errorMessage, 500), code: "SERVICE_FAILED" };
  const isKays = typeof from === "string" && typeof summary === "string" && data !== undefined;
  const text = isKays ? summary : typeof result === "string" ? result : JSON.stringify(result ?? null);
  const output = isKays
    ? { from: label, text: text.slice(0, 30 * MAX_SUMMARY_CHARACTERS), data, ...pickWebUrl(url) }
    : { from: label, text: text.slice(0, MAX_SUMMARY_CHARACTERS), data: result };
  return { type: "tool-output-available", toolCallId, output };
}

/**
 * Returns the problem that ended an agent server's turn. Codes that the user can act on are kept; all others become
 * AGENT_FAILED.
 */
export function toTurnProblem(message: string | undefined, { code, integrations }: Record<string, unknown>): Problem {
  const reason = cleanLine(message || "It gave no reason.", 500);
  const userError = USER_ERRORS.find((knownCode) => knownCode === code);
  if (userError === undefined) return new Problem("AGENT_FAILED", `The agent server failed: ${reason}`);
  const names = Array.isArray(integrations)
    ? integrations.map(getText).filter((name) => /^[\w-]{1,64}$/.test(name))
    : [];
  return new Problem(userError, reason, { details: names.length > 0 ? { integrations: names } : {} });
}

/** Errors that the user can fix. */
const USER_ERRORS = [
  "AUTH_REQUIRED",
  "CONTEXT_TOO_LONG",
  "MODEL_FAILED",
  "MODEL_NOT_CONFIGURED",
  "STEP_LIMIT",
] as const;

function pickWebUrl(url: unknown): { url?: string } {
  return typeof url === "string" && /^https?:\/\//.test(url) ? { url } : {};
}

function getText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function getMessage(error: unknown): string {
  if (typeof error === "string") return error;
  return getText((error as { message?: unknown } | null)?.message);
}
