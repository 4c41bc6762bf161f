import type { CardUi } from "../cards/card-state.ts";
import { type Focus, updateCards } from "../cards/focus.ts";
import { type AnyCard, createCardUi, hasInput } from "../cards/update-card.ts";
import { reduceViewAll, type TimedPart } from "../view/reduce.ts";
import { type CardItem, listOpenCards, type View } from "../view/view.ts";
import type { SessionEffect, SessionStep } from "./events.ts";
import { withHint } from "./events.ts";
import { ignoreKeysAfter, sayLostText } from "./ignore-keys.ts";
import { getPlanId, listAnswerableCards, listCards } from "./open-cards.ts";
import { getPresenceNews } from "./presence.ts";
import type { Session } from "./state.ts";
import { isFinished, sendQueued } from "./turn.ts";

/** Adds parts of the conversation: opens and closes cards, and sends queued lines once nothing is running. */
export function handleParts(session: Session, parts: TimedPart[]): SessionStep {
  const view = reduceViewAll(session.view, parts);
  const open = listOpenCards(view);
  const previous = listOpenCards(session.view);
  const closed = previous.filter(({ id }) => open.every((card) => card.id !== id)).map(({ id }) => id);
  const fresh = open.filter(({ id }) => previous.every((card) => card.id !== id));
  const anew = open.filter((card) => previous.some((other) => other.id === card.id && isNewRequest(other, card)));
  const effects: SessionEffect[] = [
    ...sayLostText(
      session,
      previous.filter(({ id }) => closed.includes(id)),
    ),
    ...closed.map((card): SessionEffect => ({ do: "closed", card })),
    ...fresh.map((card): SessionEffect => ({ do: "opened", card, unseen: !session.windowFocused && isFirst(card) })),
  ];
  const isLost = closed.some((id) => hasLostInput(session.cards[id]));
  const news = getPresenceNews(session, view) ?? session.news;
  const isExpired = closed.some((id) => hasExpired(view, id));
  const hint = isLost ? LOST_INPUT_HINT : isExpired ? EXPIRED_HINT : null;
  const hinted = hint === null ? session : withHint(session, hint);
  const focus = keepInPlan(hinted.focus, previous, open);
  const next = updateTurn(updateOpenCards({ ...hinted, view, news, focus }, closed, [...fresh, ...anew]));
  return sendQueued({ session: next.session, effects: [...effects, ...next.effects] });
}

/** Whether a card is single or the first of its plan, so that a plan causes one notification. */
function isFirst(card: CardItem): boolean {
  return card.type !== "approval" || (card.request.plan?.n ?? 1) === 1;
}

const LOST_INPUT_HINT = "The request has closed. Your changes were not sent.";

/** The prompt is the newest entry of the history. */
const EXPIRED_HINT = "The request expired without an answer. Press ↑ and Enter to ask again.";

function hasExpired({ items }: View, id: string): boolean {
  return items.some((item) => item.kind === "card" && item.id === id && item.ended?.action === "expire");
}

function hasLostInput(ui: CardUi | undefined): boolean {
  return ui !== undefined && hasInput(ui);
}

/** Moves the focus to the next approval of a plan that is answered one by one. */
function keepInPlan(focus: Focus, previous: CardItem[], open: CardItem[]): Focus {
  const chosenCard = previous.find(({ id }) => id === focus.chosen);
  const plan = chosenCard && getPlanId(chosenCard);
  if (plan === undefined || open.some(({ id }) => id === focus.chosen)) return focus;
  return { ...focus, chosen: open.find((card) => getPlanId(card) === plan)?.id ?? null };
}

/** Updates the session after its cards changed, and drops the state of closed cards. */
export function updateOpenCards(previous: Session, closed: string[], opened: AnyCard[]): Session {
  const session = ignoreKeysAfter(previous, closed);
  const ids = listCards(session).map(({ id }) => id);
  const keepOpen = <T>(of: Record<string, T>) => Object.entries(of).filter(([id]) => ids.includes(id));
  const fresh = opened.map((card) => [card.id, createCardUi(card)] as const);
  return {
    ...session,
    cards: Object.fromEntries([...keepOpen(session.cards), ...fresh]),
    links: Object.fromEntries(keepOpen(session.links)),
    focus: updateCards(session.focus, listAnswerableCards(session)),
  };
}

/** Whether a request with the same ID has new content, for example after a wrong answer. */
function isNewRequest(a: CardItem, b: CardItem): boolean {
  return a.type !== "auth" && b.type !== "auth" && a.request !== b.request;
}

/** Notes that the sent prompt has started or ended, and cancels it if the user asked for that earlier. */
function updateTurn(session: Session): SessionStep {
  const { view, arriving, cancelling } = session;
  const isHere = arriving !== null && arriving.after !== view.generation_id;
  if (arriving !== null && !isHere) return { session, effects: [] };
  const now = { ...session, arriving: null, cancelling: cancelling && !isFinished(view) };
  const generation = view.generation_id;
  const isCancelled = isHere && now.cancelling && generation !== undefined;
  return { session: now, effects: isCancelled ? [{ do: "cancel", generation }] : [] };
}
