import type { InteractionAnswer } from "#protocol/conversations";
import type { Key } from "../keys/key.ts";
import { type CardStep, type CardUiBase, FRESH_CARD_UI, getCommandKey, type PlanCard } from "./card-action.ts";
import { createTextInput, type TextInput, updateTextInput } from "./text-input.ts";

/**
 * State of a plan card. `leave`: Escape was pressed once. `why`: the user types a reason to deny. `unread`: the user
 * tried to approve rows that were not on the screen. `read` is the number of rows that were, from the top without a
 * gap.
 */
export type PlanUi = CardUiBase & {
  type: "plan";
  step: "ask" | "leave" | "why" | "unread";
  why: TextInput;
  read: number;
};

/** A plan that the user has not touched. */
export const INITIAL_PLAN: PlanUi = { ...FRESH_CARD_UI, type: "plan", step: "ask", why: createTextInput(), read: 0 };

/**
 * Applies a key to a plan. One key approves all of its calls, once every row was on the screen; neither Enter nor a
 * single Escape answers it.
 * @param hidden number of rows to scroll
 */
export function updatePlan(ui: PlanUi, card: PlanCard, key: Key, hidden: number): CardStep<PlanUi> {
  if (ui.step === "why") return applyReasonKey(ui, card, key);
  if (key.name === "escape") return ui.step === "leave" ? deny(ui, card, "") : { ui: { ...ui, step: "leave" } };
  const start: PlanUi = { ...ui, step: "ask" };
  switch (getCommandKey(key)) {
    case "a":
      if (ui.read < hidden) return { ui: { ...ui, step: "unread" } };
      return sendAnswers(start, card, ({ edited }) => ({
        action: "approve",
        approval_scope: "once",
        ...(edited ? { edited_args: edited } : {}),
      }));
    case "n":
      return { ui: { ...start, step: "why", error: undefined } };
    default:
      return { ui: start };
  }
}

/** Scrolls a plan. Rows that are jumped over were not on the screen. */
export function scrollPlan(ui: PlanUi, scroll: number, page: number): PlanUi {
  return { ...ui, scroll, read: scroll - ui.read <= page ? Math.max(ui.read, scroll) : ui.read };
}

function applyReasonKey(ui: PlanUi, card: PlanCard, key: Key): CardStep<PlanUi> {
  if (key.name === "escape") return { ui: { ...ui, step: "ask" } };
  const why = updateTextInput(ui.why, key, { lines: false });
  if (why) return { ui: { ...ui, why } };
  return key.name === "enter" ? deny(ui, card, ui.why.text.trim()) : { ui };
}

function deny(ui: PlanUi, card: PlanCard, reason: string): CardStep<PlanUi> {
  return sendAnswers({ ...ui, step: "ask" }, card, () => ({ action: "deny", ...(reason ? { reason } : {}) }));
}

function sendAnswers(
  ui: PlanUi,
  { calls }: PlanCard,
  toAnswer: (call: PlanCard["calls"][number]) => InteractionAnswer,
): CardStep<PlanUi> {
  const answers = calls.map((call) => ({ card: call.card, answer: toAnswer(call) }));
  return { ui: { ...ui, sent: true, error: undefined }, act: { do: "answer all", answers } };
}
