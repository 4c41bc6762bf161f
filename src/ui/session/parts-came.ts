import { type AnyCard, openUi } from "../cards/card-ui.ts";
import { withCards } from "../cards/focus.ts";
import { openCards, reduceAll, type TimedPart } from "../view.ts";
import type { Effect, Step } from "./events.ts";
import { cardsOf } from "./open.ts";
import type { Session } from "./state.ts";
import { isOver, takenBack } from "./turn.ts";

/** The conversation went on: cards open and end, and what was queued has its turn when nothing is under way any more. */
export function partsCame(session: Session, parts: TimedPart[]): Step {
  const view = reduceAll(session.view, parts);
  const open = openCards(view);
  const before = openCards(session.view);
  const closed = before.filter(({ id }) => open.every((card) => card.id !== id)).map(({ id }) => id);
  const fresh = open.filter(({ id }) => before.every((card) => card.id !== id));
  const effects: Effect[] = [
    ...closed.map((card): Effect => ({ do: "closed", card })),
    ...fresh.map((card): Effect => ({ do: "opened", card, unseen: !session.windowFocused })),
  ];
  const next = withOpenCards({ ...session, view }, closed, fresh);
  return isOver(view) && !isOver(session.view) ? turnEnded(next, effects) : { session: next, effects };
}

/** The session after its cards changed: what the person did with those that closed is forgotten. */
export function withOpenCards(session: Session, closed: string[], opened: AnyCard[]): Session {
  const kept = <T>(of: Record<string, T>) => Object.entries(of).filter(([id]) => !closed.includes(id));
  const fresh = opened.map((card) => [card.id, openUi(card)] as const);
  return {
    ...session,
    cards: Object.fromEntries([...kept(session.cards), ...fresh]),
    links: Object.fromEntries(kept(session.links)),
    focus: withCards(session.focus, cardsOf(session)),
  };
}

/** What was queued is sent after a turn that went well; after any other it comes back into the draft, for the person to decide. */
function turnEnded(session: Session, effects: Effect[]): Step {
  const [next, ...queue] = session.queue;
  const ended = { ...session, cancelling: false };
  if (next === undefined || session.sending !== null) return { session: ended, effects };
  if (session.view.status !== "completed") return { session: takenBack(ended), effects };
  return { session: { ...ended, queue, sending: next }, effects: [...effects, { do: "send", text: next }] };
}
