import { type AnyCard, type CardUi, isBegun, openUi } from "../cards/card-ui.ts";
import { withCards } from "../cards/focus.ts";
import { reduceAll, type TimedPart } from "../reduce.ts";
import { type CardItem, openCards } from "../view.ts";
import type { Effect, Step } from "./events.ts";
import { answerableCards } from "./open.ts";
import { newsOf } from "./present.ts";
import type { Session } from "./state.ts";
import { hinted } from "./step.ts";
import { isOver, withQueue } from "./turn.ts";

/** The conversation went on: cards open and end, and what was queued has its turn when nothing is under way any more. */
export function partsCame(session: Session, parts: TimedPart[]): Step {
  const view = reduceAll(session.view, parts);
  const open = openCards(view);
  const before = openCards(session.view);
  const closed = before.filter(({ id }) => open.every((card) => card.id !== id)).map(({ id }) => id);
  const fresh = open.filter(({ id }) => before.every((card) => card.id !== id));
  const anew = open.filter((card) => before.some((one) => one.id === card.id && asksElse(one, card)));
  const effects: Effect[] = [
    ...closed.map((card): Effect => ({ do: "closed", card })),
    ...fresh.map((card): Effect => ({ do: "opened", card, unseen: !session.windowFocused })),
  ];
  const isLost = closed.some((id) => isLostWith(session.cards[id]));
  const news = newsOf(session, view) ?? session.news;
  const told = isLost ? hinted(session, LOST) : session;
  const next = turned(withOpenCards({ ...told, view, news }, closed, [...fresh, ...anew]));
  return withQueue({ session: next.session, effects: [...effects, ...next.effects] });
}

const LOST = "The card is over: what you changed in it was not sent.";

function isLostWith(ui: CardUi | undefined): boolean {
  return ui !== undefined && isBegun(ui);
}

/** The session after its cards changed: what the person did with those that closed is forgotten. */
export function withOpenCards(session: Session, closed: string[], opened: AnyCard[]): Session {
  const kept = <T>(of: Record<string, T>) => Object.entries(of).filter(([id]) => !closed.includes(id));
  const fresh = opened.map((card) => [card.id, openUi(card)] as const);
  return {
    ...session,
    cards: Object.fromEntries([...kept(session.cards), ...fresh]),
    links: Object.fromEntries(kept(session.links)),
    focus: withCards(session.focus, answerableCards(session)),
  };
}

/** A request under the same name that asks something else, for example again after an answer that was wrong. */
function asksElse(one: CardItem, other: CardItem): boolean {
  return one.type !== "auth" && other.type !== "auth" && one.request !== other.request;
}

/** What was sent has begun, to be cancelled if the person wants so; or it is over. */
function turned(session: Session): Step {
  const { view, arriving, cancelling } = session;
  const isHere = arriving !== null && arriving.after !== view.generation_id;
  if (arriving !== null && !isHere) return { session, effects: [] };
  const now = { ...session, arriving: null, cancelling: cancelling && !isOver(view) };
  const generation = view.generation_id;
  const isCancelled = isHere && now.cancelling && generation !== undefined;
  return { session: now, effects: isCancelled ? [{ do: "cancel", generation }] : [] };
}
