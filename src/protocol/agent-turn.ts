import type { AgentReport } from "./agent.ts";
import { type AgentEventResult, type AgentPart, toCallPart, toResultPart, toTurnProblem } from "./agent-parts.ts";

/** What was heard of an agent server's turn, on its stream and by its reports, each thing once. */
export type TurnTracker = {
  /** Of parts that came on the stream, those that are new, with ids that are used once. */
  take(parts: AgentPart[]): AgentPart[];
  /** What a report adds to that. */
  report(report: AgentReport): AgentEventResult;
  /** All that was said, its texts one after the other. */
  text(): string;
  /** Nothing is half said, and no call is without its end. */
  isWhole(): boolean;
  /** Each text was reported too. */
  isReported(): boolean;
  /** Ids of its calls. */
  calls(): string[];
  /** Ends of texts that were cut off. */
  close(): AgentPart[];
};

type Said = { own: string; text: string; open: boolean; reported?: true };

/**
 * @param label who answers, as the source of what tools came to
 * @param before calls that were told of before a crash
 */
export function createTurnTracker(label: string, before: Map<string, "open" | "over"> = new Map()): TurnTracker {
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
  const one = (part: AgentPart): AgentPart[] => {
    switch (part.type) {
      case "text-start":
        return [{ type: "text-start", id: begin(part.id).own }];
      case "text-delta": {
        const known = latest.get(part.id);
        const said = known?.open ? known : begin(part.id);
        said.text += part.delta;
        const start: AgentPart[] = known?.open ? [] : [{ type: "text-start", id: said.own }];
        return [...start, { type: "text-delta", id: said.own, delta: part.delta }];
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
  const take = (parts: AgentPart[]) => parts.flatMap(one);
  const whole = (id: string, text: string): AgentPart[] => {
    const same = all.find((said) => !said.open && !said.reported && said.text.trim() === text.trim());
    const half = same ? undefined : all.findLast((said) => said.open && text.startsWith(said.text));
    if (text.trim() === "" && !half) return [];
    const parts = same ? [] : half ? rest(half, text) : take(saidAtOnce(id, text));
    const said = same ?? half ?? all.at(-1);
    if (said) said.reported = true;
    return parts;
  };
  return {
    take,
    report(report) {
      switch (report.type) {
        case "text":
          return { parts: whole(report.id, report.text) };
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
    text: () =>
      all
        .map(({ text }) => text.trim())
        .filter(Boolean)
        .join("\n\n"),
    isReported: () => all.every(({ reported, text }) => reported || text.trim() === ""),
    calls: () => [...calls.keys()],
    isWhole: () => all.every(({ open }) => !open) && [...calls.values()].every((state) => state === "over"),
    close: () =>
      all.flatMap((said) => {
        if (!said.open) return [];
        said.open = false;
        return [{ type: "text-end", id: said.own } as const];
      }),
  };
}

/** What is missing of a text that was cut off. */
function rest(half: Said, text: string): AgentPart[] {
  const delta = text.slice(half.text.length);
  half.text = text;
  half.open = false;
  const end: AgentPart = { type: "text-end", id: half.own };
  return delta === "" ? [end] : [{ type: "text-delta", id: half.own, delta }, end];
}

function saidAtOnce(id: string, text: string): AgentPart[] {
  return [
    { type: "text-start", id },
    { type: "text-delta", id, delta: text },
    { type: "text-end", id },
  ];
}
