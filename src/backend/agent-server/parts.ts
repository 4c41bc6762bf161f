import type { AgentEvent } from "#agent/events";
import type { NewReport } from "../store/agent-outbox.ts";

/** A part of an agent server's stream, in the form of the AI SDK's text stream. */
export type AgentPart = { type: string } & Record<string, unknown>;

/** Converts an event that maps directly to one part. Texts need other IDs, see `createTextParts`. */
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

/**
 * Returns the output reported to the webhook. A failure is an output with `error`, because the webhook protocol has no
 * type for it.
 */
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

/**
 * Creates the text parts of a turn. The AI SDK reuses text IDs in each step; these are unique in the turn, even if
 * another node continues it.
 */
export function createTextParts(emit: (part: AgentPart) => void) {
  let unreportedTexts: { id: string; text: string }[] = [];
  const openTexts = new Map<string, { id: string; text: string }>();
  let count = { step: 0, texts: 0 };
  return {
    begin(id: string, step: number): void {
      count = { step, texts: count.step === step ? count.texts + 1 : 1 };
      const text = { id: `text-${step}.${count.texts}`, text: "" };
      openTexts.set(id, text);
      unreportedTexts.push(text);
      emit({ type: "text-start", id: text.id });
    },
    add(id: string, delta: string): void {
      const text = openTexts.get(id);
      if (!text) return;
      text.text += delta;
      emit({ type: "text-delta", id: text.id, text: delta });
    },
    end(id: string): void {
      const text = openTexts.get(id);
      if (text) emit({ type: "text-end", id: text.id });
      openTexts.delete(id);
    },
    /** Returns the reports of texts not yet reported. */
    take(): NewReport[] {
      const reports = unreportedTexts.map(({ id, text }) => ({ key: id, report: { type: "text", id, text } }));
      unreportedTexts = [];
      return reports.filter(({ report }) => report.text.trim() !== "");
    },
  };
}
