import type { Key } from "../key.ts";
import { type CardStep, type Common, command, FRESH } from "./act.ts";

/** A yes or no. `leave`: Escape was pressed once. */
export type ConfirmUi = Common & { type: "confirmation"; step: "ask" | "leave" };

export const OPEN_CONFIRM: ConfirmUi = { ...FRESH, type: "confirmation", step: "ask" };

/** A confirmation after a key that counts. Neither Enter nor one Escape answers it. */
export function confirmKey(ui: ConfirmUi, key: Key): CardStep<ConfirmUi> {
  if (key.name === "escape") return ui.step === "leave" ? answered(ui, "deny") : { ui: { ...ui, step: "leave" } };
  const letter = command(key);
  if (letter === "y") return answered(ui, "approve");
  return letter === "n" ? answered(ui, "deny") : { ui: { ...ui, step: "ask" } };
}

function answered(ui: ConfirmUi, action: "approve" | "deny"): CardStep<ConfirmUi> {
  return { ui: { ...ui, step: "ask", sent: true, told: undefined }, act: { do: "answer", answer: { action } } };
}
