import { clean } from "#protocol/clean";
import type { ConfirmCard } from "./card-action.ts";
import type { CardUi } from "./card-state.ts";
import { addKeyNote, type CardContent, layOutError, layOutKeys } from "./content.ts";
import { BORDER_CELLS } from "./frame.ts";
import { wrapRows } from "./row.ts";

/** What a card of a confirmation consists of: the whole message, yes and no. */
export function layOutConfirm(card: ConfirmCard, ui: CardUi, { width }: { width: number }): CardContent {
  const room = width - BORDER_CELLS;
  const choices = [
    { key: "y", words: "yes, run it" },
    { key: "n", words: "no" },
  ];
  const leave = ui.type === "confirmation" && ui.step === "leave" ? "esc again: no" : null;
  return {
    title: "Confirm",
    tone: "yellow",
    until: card.expires_at,
    body: { rows: [...layOutError(ui.told, room), ...wrapRows(clean(card.message), room)] },
    keys: addKeyNote(layOutKeys(ui, choices, room), leave, room),
  };
}
