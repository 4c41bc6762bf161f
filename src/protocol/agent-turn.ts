import type { AgentReport } from "./agent.ts";
import { type AgentEventResult, type AgentPart, toCallPart, toResultPart, toTurnProblem } from "./agent-parts.ts";

/** Merges what an agent server streams and what it reports about one turn, so that each text and call appears once. */
export type TurnTracker = {
  /** Returns the streamed parts that are new, with IDs that are unique in the turn. */
  take(parts: AgentPart[]): AgentPart[];
  /** Returns what a report adds to the stream. */
  report(report: AgentReport): AgentEventResult;
  /** Returns all texts of the turn, separated by blank lines. */
  getText(): string;
  /** Whether every text and every call has ended. */
  isComplete(): boolean;
  /** Whether every text was also reported. */
  isReported(): boolean;
  /** Returns the IDs of the calls. */
  getCallIds(): string[];
  /** Ends the texts that are still open and returns their end parts. */
  close(): AgentPart[];
};

type TurnText = { id: string; text: string; open: boolean; reported?: true };

/**
 * Creates a tracker for one turn.
 *
 * @param label name of the agent server, shown as the source of tool results
 * @param recordedCalls calls that were recorded before a crash
 */
export function createTurnTracker(label: string, recordedCalls: Map<string, "open" | "over"> = new Map()): TurnTracker {
  /** Newest text by the agent server's ID. The AI SDK reuses IDs in each step. */
  const latest = new Map<string, TurnText>();
  const turnTexts: TurnText[] = [];
  const calls = new Map(recordedCalls);

  const startText = (id: string): TurnText => {
    const count = turnTexts.filter((turn) => turn.id === id || turn.id.startsWith(`${id}#`)).length;
    const turn = { id: count === 0 ? id : `${id}#${count + 1}`, text: "", open: true };
    latest.set(id, turn);
    turnTexts.push(turn);
    return turn;
  };
  const trackPart = (part: AgentPart): AgentPart[] => {
    switch (part.type) {
      case "text-start":
        return [{ type: "text-start", id: startText(part.id).id }];
      case "text-delta": {
        const current = latest.get(part.id);
        const turn = current?.open ? current : startText(part.id);
        turn.text += part.delta;
        const start: AgentPart[] = current?.open ? [] : [{ type: "text-start", id: turn.id }];
        return [...start, { type: "text-delta", id: turn.id, delta: part.delta }];
      }
      case "text-end": {
        const turn = latest.get(part.id);
        if (!turn?.open) return [];
        turn.open = false;
        return [{ type: "text-end", id: turn.id }];
      }
      case "tool-input-available":
        if (calls.has(part.toolCallId)) return [];
        calls.set(part.toolCallId, "open");
        return [part];
      case "tool-output-available":
      case "tool-output-error":
        if (calls.get(part.toolCallId) === "over") return [];
        calls.set(part.toolCallId, "over");
        return [part];
      default:
        return [part];
    }
  };
  const take = (parts: AgentPart[]) => parts.flatMap(trackPart);
  const addText = (id: string, text: string): AgentPart[] => {
    const match = turnTexts.find((turn) => !turn.open && !turn.reported && turn.text.trim() === text.trim());
    const partial = match ? undefined : turnTexts.findLast((turn) => turn.open && text.startsWith(turn.text));
    if (text.trim() === "" && !partial) return [];
    const parts = match ? [] : partial ? completeText(partial, text) : take(toTextParts(id, text));
    const turn = match ?? partial ?? turnTexts.at(-1);
    if (turn) turn.reported = true;
    return parts;
  };
  return {
    take,
    report(report) {
      switch (report.type) {
        case "text":
          return { parts: addText(report.id, report.text) };
        case "tool-call":
          return { parts: take([toCallPart(report.toolCallId, report)]) };
        case "tool-result":
          return { parts: take([toResultPart(report.toolCallId, report.output, label)]) };
        case "finish":
          return { parts: [], end: "finish" };
        case "error":
          return { parts: [], end: toTurnProblem(report.message, report) };
      }
    },
    getText: () =>
      turnTexts
        .map(({ text }) => text.trim())
        .filter(Boolean)
        .join("\n\n"),
    isReported: () => turnTexts.every(({ reported, text }) => reported || text.trim() === ""),
    getCallIds: () => [...calls.keys()],
    isComplete: () => turnTexts.every(({ open }) => !open) && [...calls.values()].every((state) => state === "over"),
    close: () =>
      turnTexts.flatMap((turn) => {
        if (!turn.open) return [];
        turn.open = false;
        return [{ type: "text-end", id: turn.id } as const];
      }),
  };
}

/** Returns the missing end of a text whose stream broke off. */
function completeText(partial: TurnText, text: string): AgentPart[] {
  const delta = text.slice(partial.text.length);
  partial.text = text;
  partial.open = false;
  const end: AgentPart = { type: "text-end", id: partial.id };
  return delta === "" ? [end] : [{ type: "text-delta", id: partial.id, delta }, end];
}

function toTextParts(id: string, text: string): AgentPart[] {
  return [
    { type: "text-start", id },
    { type: "text-delta", id, delta: text },
    { type: "text-end", id },
  ];
}
