import { cardKey } from "../cards/card-ui.ts";
import { written } from "../cards/focus.ts";
import type { Key } from "../key.ts";
import { composerKey } from "./composer-key.ts";
import type { Step } from "./events.ts";
import { cardRoom, focusedCard } from "./open.ts";
import type { Session } from "./state.ts";
import { only } from "./step.ts";

/**
 * How long a letter has to stay alone before a card acts on it, in ms: nobody waits for that, and whatever types a text, a program above
 * all, has its next character there by then.
 */
const ALONE_MS = 80;

/** Whether this key is, or brings, a character of a text. */
export function isTyped({ name, ctrl, alt }: Key): boolean {
  return name === "paste" || (name === "text" && !ctrl && !alt);
}

/** The card would act on this letter: it does when no other comes with it. */
export function held(session: Session, card: string, key: Key): Step {
  return only({ ...session, held: { card, key, at: key.at } }, { do: "wait", ms: ALONE_MS });
}

/** What a key makes of the letter before it: a repetition is the same letter, another character makes a text of both. Null when it stood alone. */
export function joined(session: Session, key: Key): Step | null {
  const { held } = session;
  if (!held || !isTyped(key) || key.at - held.at >= ALONE_MS) return null;
  if (key.text === held.key.text && !key.amid)
    return only({ ...session, held: { ...held, at: key.at } }, { do: "wait", ms: ALONE_MS });
  const first = composerKey({ ...session, held: null, focus: written(session.focus, key) }, held.key);
  const second = composerKey(first.session, key);
  return { session: second.session, effects: [...first.effects, ...second.effects] };
}

/** By now the letter has stood alone for long enough, or another key that is no text was pressed: the card acts on it. */
export function stoodAlone(session: Session, isOver = false): Step {
  const { held } = session;
  if (!held || (!isOver && session.now - held.at < ALONE_MS)) return only(session);
  const after = { ...session, held: null };
  const card = focusedCard(session);
  const ui = card && session.cards[card.id];
  // It was for the card as it was then.
  if (!card || !ui || card.id !== held.card || session.focus.open?.id !== card.id) return only(after);
  const { ui: next, act } = cardKey(ui, card, held.key, cardRoom(session));
  const answered = { ...after, cards: { ...after.cards, [card.id]: next } };
  return act ? only(answered, { do: "act", card, act }) : only(answered);
}
