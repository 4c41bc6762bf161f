import type { AgentEvent } from "#agent/events";
import type { NewReport } from "../store/agent-outbox.ts";

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

/** Texts as they are said. Ids of the AI SDK are used anew in each step; these are good for the whole turn, whoever carries it on. */
export function createTextParts(tell: (part: AgentPart) => void) {
  let said: { own: string; text: string }[] = [];
  const open = new Map<string, { own: string; text: string }>();
  let count = { step: 0, texts: 0 };
  return {
    begin(id: string, step: number): void {
      count = { step, texts: count.step === step ? count.texts + 1 : 1 };
      const one = { own: `text-${step}.${count.texts}`, text: "" };
      open.set(id, one);
      said.push(one);
      tell({ type: "text-start", id: one.own });
    },
    add(id: string, delta: string): void {
      const one = open.get(id);
      if (!one) return;
      one.text += delta;
      tell({ type: "text-delta", id: one.own, text: delta });
    },
    end(id: string): void {
      const one = open.get(id);
      if (one) tell({ type: "text-end", id: one.own });
      open.delete(id);
    },
    /** Reports of those that were not reported yet. */
    take(): NewReport[] {
      const reports = said.map(({ own, text }) => ({ key: own, report: { type: "text", id: own, text } }));
      said = [];
      return reports.filter(({ report }) => report.text.trim() !== "");
    },
  };
}
