import type { AnyCard } from "./card-action.ts";

/** A key in a card with less time left than this, in ms, asks for more. */
const SHORT_MS = 150_000;

/** Pause between such requests, in ms, whatever the answer was. */
const AGAIN_MS = 20_000;

/**
 * Returns the IDs of the requests that need more time, so that a card does not expire while the user types in it.
 * Confirmations and connections cannot get more.
 *
 * @param now time of the key, in ms since 1970
 * @param asked when more time was last requested for this card
 */
export function findShortRequests(card: AnyCard, now: number, asked: number | undefined): string[] {
  const cards = card.kind === "plan" ? card.calls.map((call) => call.card) : [card];
  const requests = cards.flatMap((one) =>
    one.kind === "card" && one.type !== "auth"
      ? [{ id: one.id, left: Date.parse(one.until ?? one.request.expires_at) - now }]
      : [],
  );
  const left = Math.min(...requests.map((request) => request.left));
  const isAsked = asked !== undefined && now - asked < AGAIN_MS;
  return !isAsked && left > 0 && left < SHORT_MS ? requests.map(({ id }) => id) : [];
}
