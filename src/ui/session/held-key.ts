import { beginDraft } from "../cards/focus.ts";
import { updateCard } from "../cards/update-card.ts";
import type { Key } from "../keys/key.ts";
import { updateComposer } from "./composer.ts";
import type { SessionStep } from "./events.ts";
import { toStep } from "./events.ts";
import { findFocusedCard, getCardUi, getCardViewport, requestAction } from "./open-cards.ts";
import type { Session } from "./state.ts";

/**
 * How long a letter must stay alone before a card acts on it, in ms: too short to notice, but long enough for the next
 * character of a program that types.
 */
const ALONE_MS = 80;

/** Whether a key is, or brings, text. */
export function isTextKey({ name, ctrl, alt }: Key): boolean {
  return name === "paste" || (name === "text" && !ctrl && !alt);
}

/** Holds a letter that the card would act on, until it is clear that no other follows. */
export function holdKey(session: Session, card: string, key: Key): SessionStep {
  return toStep({ ...session, held: { card, key, at: key.at } }, { do: "wait", ms: ALONE_MS });
}

/**
 * Joins a key with the held letter: a repeat of the letter keeps it held, another character makes both a text. Returns
 * null if no letter is held.
 */
export function joinHeldKey(session: Session, key: Key): SessionStep | null {
  const { held } = session;
  if (!held || !isTextKey(key) || key.at - held.at >= ALONE_MS) return null;
  if (key.text === held.key.text && !key.amid)
    return toStep({ ...session, held: { ...held, at: key.at } }, { do: "wait", ms: ALONE_MS });
  const first = updateComposer({ ...session, held: null, focus: beginDraft(session.focus, key) }, held.key);
  const second = updateComposer(first.session, key);
  return { session: second.session, effects: [...first.effects, ...second.effects] };
}

/** Lets the card act on the held letter, after it was alone long enough or another key was pressed. */
export function releaseHeldKey(session: Session, isOver = false): SessionStep {
  const { held } = session;
  if (!held || (!isOver && session.now - held.at < ALONE_MS)) return toStep(session);
  const released = { ...session, held: null };
  const card = findFocusedCard(session);
  const ui = card && getCardUi(session, card);
  // The letter was meant for the card as it was then.
  if (!card || !ui || card.id !== held.card || session.focus.open?.id !== card.id) return toStep(released);
  const { ui: next, act } = updateCard(ui, card, held.key, getCardViewport(session));
  const answered = { ...released, cards: { ...released.cards, [card.id]: next } };
  return act ? requestAction(answered, card, act) : toStep(answered);
}
