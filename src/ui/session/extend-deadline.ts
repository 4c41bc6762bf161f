import type { AnyCard } from "../cards/update-card.ts";
import type { SessionStep } from "./events.ts";

/** A key in a card that has less time left than this, in ms, asks for more. */
const SHORT_MS = 150_000;

/** How long no more is asked for, in ms, whatever the answer was. */
const AGAIN_MS = 20_000;

/** Asks for more time for a card that just took a key and has little left: it does not expire under who uses it. */
export function extendDeadline(step: SessionStep, card: AnyCard): SessionStep {
  const { now, extending } = step.session;
  if (card.kind === "confirmation" || card.type === "auth") return step;
  const left = Date.parse(card.until ?? card.request.expires_at) - now;
  const isAsked = extending?.card === card.id && now - extending.at < AGAIN_MS;
  if (isAsked || !(left > 0 && left < SHORT_MS)) return step;
  const session = { ...step.session, extending: { card: card.id, at: now } };
  return { session, effects: [...step.effects, { do: "extend", card: card.id }] };
}
