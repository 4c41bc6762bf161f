import type { AgentEvent } from "#agent/events";

/** A part of an agent server's stream, in the words of the AI SDK's text stream (seed: agent streaming, step 4). */
export type AgentPart = { type: string } & Record<string, unknown>;

/** What is streamed of an event that needs no more than other words; texts have ids of their own, see `record.ts`. */
export function toAgentPart(event: AgentEvent): AgentPart | undefined {
  switch (event.type) {
    case "start":
    case "start-step":
    case "finish-step":
    case "reasoning-start":
    case "reasoning-end":
      return event;
    case "reasoning-delta":
      return { type: "reasoning-delta", id: event.id, text: event.delta };
    case "tool-input-available":
      return { type: "tool-call", toolCallId: event.toolCallId, toolName: event.toolName, input: event.input };
    default:
      return undefined;
  }
}

/** What a call came to, as its webhook is told: a failure is an output with `error` in it, since the seed has no word of its own for it. */
export function toReportedOutput(
  event: Extract<AgentEvent, { type: "tool-output-available" | "tool-output-error" | "tool-output-denied" }>,
): unknown {
  switch (event.type) {
    case "tool-output-available":
      return event.output;
    case "tool-output-error":
      return { error: { code: event.code, message: event.errorText } };
    case "tool-output-denied":
      return { error: { code: "DENIED", message: event.reason } };
  }
}
