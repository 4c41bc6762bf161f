import { clean } from "#protocol/clean";
import type { ConfirmCard } from "./act.ts";
import type { CardUi } from "./card-ui.ts";
import { SIDES } from "./frame.ts";
import { keyRows, type Pieces, toldRows } from "./pieces.ts";
import { rowsOf } from "./row.ts";

/** What a card of a confirmation consists of: the whole message, yes and no. */
export function confirmPieces(card: ConfirmCard, ui: CardUi, { width }: { width: number }): Pieces {
  const room = width - SIDES;
  const choices = [
    { key: "y", words: "yes, carry it out" },
    { key: "n", words: "no" },
  ];
  const leave = ui.type === "confirmation" && ui.step === "leave" ? rowsOf("esc again: no", room, "yellow") : [];
  return {
    title: "Confirm",
    tone: "yellow",
    until: card.expires_at,
    body: { rows: [...toldRows(ui.told, room), ...rowsOf(clean(card.message), room)] },
    keys: { rows: [...keyRows(ui, choices, room), ...leave] },
  };
}
