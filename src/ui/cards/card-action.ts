import type { InteractionAnswer } from "#protocol/conversations";
import type { Key } from "../keys/key.ts";
import type { CardItem } from "../view/view.ts";

/** An action that the user chose on a card, for the caller to run. */
export type CardAction =
  | { do: "answer"; answer: InteractionAnswer }
  /** An answer for each card of a plan. */
  | { do: "answer all"; answers: { card: ApprovalCard; answer: InteractionAnswer }[] }
  /** Open this text in an editor; the result goes to `applyEdit`. */
  | { do: "edit"; text: string }
  /**
   * Connection cards: start or retry (one service or all), open the links again, copy a link, show a link as a QR code, continue without,
   * cancel the request.
   */
  | { do: "connect"; service?: string }
  | { do: "open" }
  | { do: "copy" }
  | { do: "qr" }
  /** The address that a service sent a browser to, which could not open it. */
  | { do: "paste"; text: string }
  | { do: "without" }
  | { do: "cancel request" };

/** State of a card after a key, and the action to run. */
export type CardStep<Ui> = { ui: Ui; act?: CardAction };

/**
 * A confirmation from a backend that holds the request (`confirmation_required`). `formatConfirmation` builds the
 * message.
 */
export type ConfirmCard = {
  kind: "confirmation";
  /** The confirmation's token. */
  id: string;
  message: string;
  expires_at?: string;
};

/** The open approvals of one step, shown together. `edited` is a changed input that was not sent yet. */
export type PlanCard = {
  kind: "plan";
  /** Combines the IDs of its approvals, so a plan with another approval is a new card. */
  id: string;
  calls: { card: ApprovalCard; edited?: Record<string, unknown> }[];
};

/** Everything that is shown as a card. */
export type AnyCard = CardItem | ConfirmCard | PlanCard;

export type ApprovalCard = Extract<CardItem, { type: "approval" | "form" }>;

/** Returns the character of a command key. Pasted text and several characters at once are not commands. */
export function getCommandKey(key: Key): string {
  return key.name === "text" && !key.ctrl && !key.alt && key.text.length === 1 ? key.text.toLowerCase() : "";
}

/**
 * State common to all open cards: rows scrolled away above, whether the answer is being sent, and why the last one was
 * rejected.
 */
export type CardUiBase = { scroll: number; sent: boolean; error?: string };

export const FRESH_CARD_UI: CardUiBase = { scroll: 0, sent: false };

/** Whether a key scrolls. */
export function isScrollKey(key: Key): boolean {
  return getScrollDelta(key, 1) !== 0;
}

/** Returns by how many rows a key scrolls; 0 for any other key. `page` is the number of visible rows. */
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

/** Remaining time below which a key requests more, in ms. */
const SHORT_MS = 150_000;

/** Pause between such requests, in ms. */
const AGAIN_MS = 20_000;

/**
 * Returns the IDs of the requests that need more time, so that a card does not expire while the user types in it.
 * Confirmations and connections cannot get more.
 *
 * @param now time of the key, in ms since 1970
 * @param lastRequest when more time was last requested for this card
 */
export function findShortRequests(card: AnyCard, now: number, lastRequest: number | undefined): string[] {
  const cards = card.kind === "plan" ? card.calls.map((call) => call.card) : [card];
  const requests = cards.flatMap((request) =>
    request.kind === "card" && request.type !== "auth"
      ? [{ id: request.id, left: Date.parse(request.until ?? request.request.expires_at) - now }]
      : [],
  );
  const shortest = Math.min(...requests.map((request) => request.left));
  const isAsked = lastRequest !== undefined && now - lastRequest < AGAIN_MS;
  return !isAsked && shortest > 0 && shortest < SHORT_MS ? requests.map(({ id }) => id) : [];
}
