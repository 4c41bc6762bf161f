import { beginDraft } from "../cards/focus.ts";
import { updateCard } from "../cards/update-card.ts";
import type { Key } from "../keys/key.ts";
import { updateComposer } from "./composer.ts";
import type { SessionStep } from "./events.ts";
import { toStep } from "./events.ts";
import { findFocusedCard, getCardViewport } from "./open-cards.ts";
import type { Session } from "./state.ts";

/**
 * How long a letter has to stay alone before a card acts on it, in ms: nobody waits for that, and whatever types a text, a program above
 * all, has its next character there by then.
 */
const ALONE_MS = 80;

/** Whether this key is, or brings, a character of a text. */
export function isTextKey({ name, ctrl, alt }: Key): boolean {
  return name === "paste" || (name === "text" && !ctrl && !alt);
}

/** The card would act on this letter: it does when no other comes with it. */
export function holdKey(session: Session, card: string, key: Key): SessionStep {
  return toStep({ ...session, held: { card, key, at: key.at } }, { do: "wait", ms: ALONE_MS });
}

/** What a key makes of the letter before it: a repetition is the same letter, another character makes a text of both. Null when it stood alone. */
export function joinHeldKey(session: Session, key: Key): SessionStep | null {
  const { held } = session;
  if (!held || !isTextKey(key) || key.at - held.at >= ALONE_MS) return null;
  if (key.text === held.key.text && !key.amid)
    return toStep({ ...session, held: { ...held, at: key.at } }, { do: "wait", ms: ALONE_MS });
  const first = updateComposer({ ...session, held: null, focus: beginDraft(session.focus, key) }, held.key);
  const second = updateComposer(first.session, key);
  return { session: second.session, effects: [...first.effects, ...second.effects] };
}

/** By now the letter has stood alone for long enough, or another key that is no text was pressed: the card acts on it. */
export function releaseHeldKey(session: Session, isOver = false): SessionStep {
  const { held } = session;
  if (!held || (!isOver && session.now - held.at < ALONE_MS)) return toStep(session);
  const after = { ...session, held: null };
  const card = findFocusedCard(session);
  const ui = card && session.cards[card.id];
  // It was for the card as it was then.
  if (!card || !ui || card.id !== held.card || session.focus.open?.id !== card.id) return toStep(after);
  const { ui: next, act } = updateCard(ui, card, held.key, getCardViewport(session));
  const answered = { ...after, cards: { ...after.cards, [card.id]: next } };
  return act ? toStep(answered, { do: "act", card, act }) : toStep(answered);
}
