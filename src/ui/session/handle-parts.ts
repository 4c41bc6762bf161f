import type { CardUi } from "../cards/card-state.ts";
import { updateCards } from "../cards/focus.ts";
import { type AnyCard, createCardUi, hasInput } from "../cards/update-card.ts";
import { reduceViewAll, type TimedPart } from "../view/reduce.ts";
import { type CardItem, listOpenCards } from "../view/view.ts";
import type { SessionEffect, SessionStep } from "./events.ts";
import { withHint } from "./events.ts";
import { listAnswerableCards } from "./open-cards.ts";
import { getPresenceNews } from "./presence.ts";
import type { Session } from "./state.ts";
import { isFinished, sendQueued } from "./turn.ts";

/** The conversation went on: cards open and end, and what was queued has its turn when nothing is under way any more. */
export function handleParts(session: Session, parts: TimedPart[]): SessionStep {
  const view = reduceViewAll(session.view, parts);
  const open = listOpenCards(view);
  const before = listOpenCards(session.view);
  const closed = before.filter(({ id }) => open.every((card) => card.id !== id)).map(({ id }) => id);
  const fresh = open.filter(({ id }) => before.every((card) => card.id !== id));
  const anew = open.filter((card) => before.some((one) => one.id === card.id && asksElse(one, card)));
  const effects: SessionEffect[] = [
    ...closed.map((card): SessionEffect => ({ do: "closed", card })),
    ...fresh.map((card): SessionEffect => ({ do: "opened", card, unseen: !session.windowFocused })),
  ];
  const isLost = closed.some((id) => isLostWith(session.cards[id]));
  const news = getPresenceNews(session, view) ?? session.news;
  const told = isLost ? withHint(session, LOST) : session;
  const next = turn(updateOpenCards({ ...told, view, news }, closed, [...fresh, ...anew]));
  return sendQueued({ session: next.session, effects: [...effects, ...next.effects] });
}

const LOST = "The card is over: what you changed in it was not sent.";

function isLostWith(ui: CardUi | undefined): boolean {
  return ui !== undefined && hasInput(ui);
}

/** The session after its cards changed: what the person did with those that closed is forgotten. */
export function updateOpenCards(session: Session, closed: string[], opened: AnyCard[]): Session {
  const kept = <T>(of: Record<string, T>) => Object.entries(of).filter(([id]) => !closed.includes(id));
  const fresh = opened.map((card) => [card.id, createCardUi(card)] as const);
  return {
    ...session,
    cards: Object.fromEntries([...kept(session.cards), ...fresh]),
    links: Object.fromEntries(kept(session.links)),
    focus: updateCards(session.focus, listAnswerableCards(session)),
  };
}

/** A request under the same name that asks something else, for example again after an answer that was wrong. */
function asksElse(one: CardItem, other: CardItem): boolean {
  return one.type !== "auth" && other.type !== "auth" && one.request !== other.request;
}

/** What was sent has begun, to be cancelled if the person wants so; or it is over. */
function turn(session: Session): SessionStep {
  const { view, arriving, cancelling } = session;
  const isHere = arriving !== null && arriving.after !== view.generation_id;
  if (arriving !== null && !isHere) return { session, effects: [] };
  const now = { ...session, arriving: null, cancelling: cancelling && !isFinished(view) };
  const generation = view.generation_id;
  const isCancelled = isHere && now.cancelling && generation !== undefined;
  return { session: now, effects: isCancelled ? [{ do: "cancel", generation }] : [] };
}
