import { clean } from "#protocol/clean";
import type { ConfirmCard } from "./card-action.ts";
import type { CardUi } from "./card-state.ts";
import { addKeyNote, type CardContent, layOutError, layOutKeys } from "./content.ts";
import { BORDER_CELLS } from "./frame.ts";
import { wrapRows } from "./row.ts";

/** Lays out a confirmation card: the whole message, and its two answers. */
export function layOutConfirm(card: ConfirmCard, ui: CardUi, { width }: { width: number }): CardContent {
  const room = width - BORDER_CELLS;
  const choices = [
    { key: "y", words: "approve" },
    { key: "n", words: "deny" },
  ];
  const leave = ui.type === "confirmation" && ui.step === "leave" ? "esc again: deny" : null;
  return {
    title: "Confirm",
    tone: "yellow",
    until: card.expires_at,
    body: { rows: [...layOutError(ui.error, room), ...wrapRows(clean(card.message), room)] },
    keys: addKeyNote(layOutKeys(ui, choices, room), leave, room),
  };
}
