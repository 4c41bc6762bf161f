import type { InteractionAnswer } from "#protocol/conversations";
import type { Key } from "../keys/key.ts";
import type { CardItem } from "../view/view.ts";

/** What a person decided about a card, and somebody else has to do. */
export type CardAction =
  | { do: "answer"; answer: InteractionAnswer }
  /** Open this text in an editor; what comes back goes to `edited`. */
  | { do: "edit"; text: string }
  /** Of an auth card: begin or try again, open the links again, copy one, show one as a QR code, go on without, give the request up. */
  | { do: "connect" }
  | { do: "open" }
  | { do: "copy" }
  | { do: "qr" }
  | { do: "without" }
  | { do: "cancel request" };

/** A card after a key, and what it asks for. */
export type CardStep<Ui> = { ui: Ui; act?: CardAction };

/** A yes or no of a backend that holds an ask back (`confirmation_required`). `message` is what `described` makes of its answer. */
export type ConfirmCard = {
  kind: "confirmation";
  /** The confirmation's token. */
  id: string;
  message: string;
  expires_at?: string;
};

/** Everything that is drawn as a card. */
export type AnyCard = CardItem | ConfirmCard;

export type ApprovalCard = Extract<CardItem, { type: "approval" | "form" }>;

/** The character of a key that is nothing but that; pasted text and several characters at once are no commands. */
export function getCommandKey(key: Key): string {
  return key.name === "text" && !key.ctrl && !key.alt && key.text.length === 1 ? key.text.toLowerCase() : "";
}

/** What every open card has: lines scrolled away above, its answer is on its way, why the last one was not taken. */
export type CardUiBase = { scroll: number; sent: boolean; told?: string };

export const FRESH_CARD_UI: CardUiBase = { scroll: 0, sent: false };

/** Whether a key scrolls. */
export function isScrollKey(key: Key): boolean {
  return getScrollDelta(key, 1) !== 0;
}

/** So many lines further after a key that scrolls; 0 for every other. `page` is how many lines are read at once. */
export function getScrollDelta(key: Key, page: number): number {
  switch (key.name) {
    case "up":
      return -1;
    case "down":
      return 1;
    case "pageup":
      return -page;
    case "pagedown":
      return page;
    case "home":
      return Number.NEGATIVE_INFINITY;
    case "end":
      return Number.POSITIVE_INFINITY;
    default:
      return 0;
  }
}
