import type { AgentPart } from "../agent-server/parts.ts";
import type { NewReport } from "../store/agent-outbox.ts";

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
