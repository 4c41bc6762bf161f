import { ACCESS_TEXTS } from "#protocol/card-text";
import { toLine } from "../text/words.ts";
import { layOutCall, TONES } from "./approval-rows.ts";
import type { PlanCard } from "./card-action.ts";
import type { CardUi } from "./card-state.ts";
import { addKeyNote, type CardContent, layOutError, layOutKeys, layOutReason } from "./content.ts";
import { BORDER_CELLS } from "./frame.ts";
import { INITIAL_PLAN } from "./plan.ts";
import { type Row, wrapRows } from "./row.ts";

/** Lays out a plan: everything that each of its calls would send, as the call's own card shows it. */
export function layOutPlan({ calls }: PlanCard, open: CardUi, { width }: { width: number }): CardContent {
  const ui = open.type === "plan" ? open : INITIAL_PLAN;
  const room = width - BORDER_CELLS;
  const accesses = calls.map(({ card }) => card.request.preview?.access);
  const access = accesses.includes("destructive") ? "destructive" : "write";
  const rows = calls.flatMap(({ card: { request }, edited }, index): Row[] => {
    const words = request.preview?.access ? [ACCESS_TEXTS[request.preview.access]] : [];
    const head = [`${index + 1} of ${calls.length}`, toLine(request.tool_name), ...words].join(" ─ ");
    return [...(index > 0 ? [[]] : []), ...wrapRows(head, room, "bold"), ...layOutCall(request, edited, room)];
  });
  const choices = [
    { key: "a", words: `approve all ${calls.length}` },
    { key: "tab", words: "one by one" },
    { key: "n", words: "deny all" },
  ];
  const note = { leave: "esc again: deny all", unread: "Scroll to the end: ↓ or Page Down", ask: null };
  return {
    title: `Approve ─ ${calls.length} changes`,
    tone: TONES[access],
    until: calls.map(({ card }) => card.until ?? card.request.expires_at).sort()[0],
    body: { rows: [...layOutError(ui.error, room), ...rows] },
    keys:
      ui.step === "why" ? layOutReason(ui.why, room) : addKeyNote(layOutKeys(ui, choices, room), note[ui.step], room),
  };
}
