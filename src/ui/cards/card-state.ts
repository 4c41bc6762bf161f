import type { Key } from "../keys/key.ts";
import type { ApprovalUi } from "./approval.ts";
import type { AuthUi } from "./auth.ts";
import { type CardStep, type CardUiBase, FRESH_CARD_UI, getCommandKey } from "./card-action.ts";
import type { FormUi } from "./form.ts";
import type { PlanUi } from "./plan.ts";

/** State of one open card. */
export type CardUi = ApprovalUi | FormUi | AuthUi | ConfirmUi | PlanUi;

/** State of a confirmation card. `leave`: Escape was pressed once. */
export type ConfirmUi = CardUiBase & { type: "confirmation"; step: "ask" | "leave" };

export const INITIAL_CONFIRM: ConfirmUi = { ...FRESH_CARD_UI, type: "confirmation", step: "ask" };

/** Applies a key to a confirmation. Neither Enter nor a single Escape answers it. */
export function updateConfirm(ui: ConfirmUi, key: Key): CardStep<ConfirmUi> {
  if (key.name === "escape") return ui.step === "leave" ? sendAnswer(ui, "deny") : { ui: { ...ui, step: "leave" } };
  const letter = getCommandKey(key);
  if (letter === "y") return sendAnswer(ui, "approve");
  return letter === "n" ? sendAnswer(ui, "deny") : { ui: { ...ui, step: "ask" } };
}

function sendAnswer(ui: ConfirmUi, action: "approve" | "deny"): CardStep<ConfirmUi> {
  return { ui: { ...ui, step: "ask", sent: true, error: undefined }, act: { do: "answer", answer: { action } } };
}
