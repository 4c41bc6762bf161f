import type { AgentReport } from "#protocol/agent";
import type { AgentEvent } from "../agent/events.ts";
import { callEvent, failureOf, resultEvent, type Translated } from "./translate.ts";

/** What was heard of an agent server's turn, on its stream and by its reports, each thing once. */
export type Heard = {
  /** Of events that came on the stream, those that are new, with ids that are used once. */
  take(events: AgentEvent[]): AgentEvent[];
  /** What a report adds to that. */
  report(report: AgentReport): Translated;
  /** All that was said, its texts one after the other. */
  text(): string;
  /** Nothing is half said, and no call is without its end. */
  isWhole(): boolean;
  /** Ends of texts that were cut off. */
  close(): AgentEvent[];
};

type Said = { own: string; text: string; open: boolean };

/**
 * @param label who answers, as the source of what tools came to
 * @param before calls that were told of before a crash
 */
export function createHeard(label: string, before: Map<string, "open" | "over"> = new Map()): Heard {
  /** By the id that the agent server uses; ids of the AI SDK are used anew in each step. */
  const latest = new Map<string, Said>();
  const all: Said[] = [];
  const calls = new Map(before);

  const begin = (id: string): Said => {
    const taken = all.filter(({ own }) => own === id || own.startsWith(`${id}#`)).length;
    const said = { own: taken === 0 ? id : `${id}#${taken + 1}`, text: "", open: true };
    latest.set(id, said);
    all.push(said);
    return said;
  };
  const one = (event: AgentEvent): AgentEvent[] => {
    switch (event.type) {
      case "text-start":
        return [{ type: "text-start", id: begin(event.id).own }];
      case "text-delta": {
        const known = latest.get(event.id);
        const said = known?.open ? known : begin(event.id);
        said.text += event.delta;
        const start: AgentEvent[] = known?.open ? [] : [{ type: "text-start", id: said.own }];
        return [...start, { type: "text-delta", id: said.own, delta: event.delta }];
      }
      case "text-end": {
        const said = latest.get(event.id);
        if (!said?.open) return [];
        said.open = false;
        return [{ type: "text-end", id: said.own }];
      }
      case "tool-input-available":
        if (calls.has(event.toolCallId)) return [];
        calls.set(event.toolCallId, "open");
        return [event];
      case "tool-output-available":
      case "tool-output-error":
        if (calls.get(event.toolCallId) === "over") return [];
        calls.set(event.toolCallId, "over");
        return [event];
      default:
        return [event];
    }
  };
  const take = (events: AgentEvent[]) => events.flatMap(one);
  const whole = (id: string, text: string): AgentEvent[] => {
    const half = [...all].reverse().find((said) => said.open && text.startsWith(said.text));
    if (half) {
      const rest = text.slice(half.text.length);
      half.text = text;
      half.open = false;
      return [
        ...(rest ? [{ type: "text-delta", id: half.own, delta: rest } as const] : []),
        { type: "text-end", id: half.own },
      ];
    }
    if (text === "" || all.some((said) => said.text === text)) return [];
    return take([
      { type: "text-start", id },
      { type: "text-delta", id, delta: text },
      { type: "text-end", id },
    ]);
  };
  return {
    take,
    report(report) {
      switch (report.type) {
        case "text":
          return { events: whole(report.id, report.text) };
        case "tool-call":
          return { events: take([callEvent(report.toolCallId, report)]) };
        case "tool-result":
          return { events: take([resultEvent(report.toolCallId, report.output, label)]) };
        case "finish":
          return { events: [], end: "finish" };
        case "error":
          return { events: [], end: failureOf(report.message, report) };
      }
    },
    text: () =>
      all
        .map(({ text }) => text.trim())
        .filter(Boolean)
        .join("\n\n"),
    isWhole: () => all.every(({ open }) => !open) && [...calls.values()].every((state) => state === "over"),
    close: () =>
      all.flatMap((said) => {
        if (!said.open) return [];
        said.open = false;
        return [{ type: "text-end", id: said.own } as const];
      }),
  };
}
