import { clean } from "#protocol/clean";
import type { ConfirmCard } from "./act.ts";
import type { CardUi } from "./card-ui.ts";
import { SIDES } from "./frame.ts";
import { keysAnd, keysOf, type Pieces, toldRows } from "./pieces.ts";
import { rowsOf } from "./row.ts";

/** What a card of a confirmation consists of: the whole message, yes and no. */
export function confirmPieces(card: ConfirmCard, ui: CardUi, { width }: { width: number }): Pieces {
  const room = width - SIDES;
  const choices = [
    { key: "y", words: "yes, carry it out" },
    { key: "n", words: "no" },
  ];
  const leave = ui.type === "confirmation" && ui.step === "leave" ? "esc again: no" : null;
  return {
    title: "Confirm",
    tone: "yellow",
    until: card.expires_at,
    body: { rows: [...toldRows(ui.told, room), ...rowsOf(clean(card.message), room)] },
    keys: keysAnd(keysOf(ui, choices, room), leave, room),
  };
}
