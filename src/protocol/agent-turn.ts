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

type TurnText = { own: string; text: string; open: boolean; reported?: true };

/**
 * Creates a tracker for one turn.
 *
 * @param label name of the agent server, shown as the source of tool results
 * @param before calls that were recorded before a crash
 */
export function createTurnTracker(label: string, before: Map<string, "open" | "over"> = new Map()): TurnTracker {
  /** Newest text by the agent server's ID. The AI SDK reuses IDs in each step. */
  const latest = new Map<string, TurnText>();
  const all: TurnText[] = [];
  const calls = new Map(before);

  const startText = (id: string): TurnText => {
    const taken = all.filter(({ own }) => own === id || own.startsWith(`${id}#`)).length;
    const turn = { own: taken === 0 ? id : `${id}#${taken + 1}`, text: "", open: true };
    latest.set(id, turn);
    all.push(turn);
    return turn;
  };
  const trackPart = (part: AgentPart): AgentPart[] => {
    switch (part.type) {
      case "text-start":
        return [{ type: "text-start", id: startText(part.id).own }];
      case "text-delta": {
        const known = latest.get(part.id);
        const turn = known?.open ? known : startText(part.id);
        turn.text += part.delta;
        const start: AgentPart[] = known?.open ? [] : [{ type: "text-start", id: turn.own }];
        return [...start, { type: "text-delta", id: turn.own, delta: part.delta }];
      }
      case "text-end": {
        const said = latest.get(part.id);
        if (!said?.open) return [];
        said.open = false;
        return [{ type: "text-end", id: said.own }];
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
    const same = all.find((turn) => !turn.open && !turn.reported && turn.text.trim() === text.trim());
    const half = same ? undefined : all.findLast((turn) => turn.open && text.startsWith(turn.text));
    if (text.trim() === "" && !half) return [];
    const parts = same ? [] : half ? completeText(half, text) : take(toTextParts(id, text));
    const turn = same ?? half ?? all.at(-1);
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
      all
        .map(({ text }) => text.trim())
        .filter(Boolean)
        .join("\n\n"),
    isReported: () => all.every(({ reported, text }) => reported || text.trim() === ""),
    getCallIds: () => [...calls.keys()],
    isComplete: () => all.every(({ open }) => !open) && [...calls.values()].every((state) => state === "over"),
    close: () =>
      all.flatMap((turn) => {
        if (!turn.open) return [];
        turn.open = false;
        return [{ type: "text-end", id: turn.own } as const];
      }),
  };
}

/** Returns the missing end of a text whose stream broke off. */
function completeText(half: TurnText, text: string): AgentPart[] {
  const delta = text.slice(half.text.length);
  half.text = text;
  half.open = false;
  const end: AgentPart = { type: "text-end", id: half.own };
  return delta === "" ? [end] : [{ type: "text-delta", id: half.own, delta }, end];
}

function toTextParts(id: string, text: string): AgentPart[] {
  return [
    { type: "text-start", id },
    { type: "text-delta", id, delta: text },
    { type: "text-end", id },
  ];
}
