import type { AnyCard, CardRoom } from "../cards/card-ui.ts";
import { focusOf } from "../cards/focus.ts";
import { openCards } from "../view.ts";
import type { Session } from "./state.ts";

/** Every card that waits, those of this terminal first: they were called up here. */
export function cardsOf({ local, view }: Session): AnyCard[] {
  return [...local, ...openCards(view)];
}

/** Those of them that can be answered here. */
export function answerableCards({ local, view, readOnly }: Session): AnyCard[] {
  return readOnly ? local : [...local, ...openCards(view)];
}

/** The card that is read along with: it waits for somebody else's answer. */
export function cardReadAlong(session: Session): AnyCard | undefined {
  return session.readOnly && session.local.length === 0 ? openCards(session.view)[0] : undefined;
}

/** What a key says that would end what others are asked. */
export const READS_ALONG = "Read-only here: /interactive on lets you answer.";

/** The card that has the focus, whether or not it takes keys already. */
export function focusedCard(session: Session): AnyCard | undefined {
  const id = focusOf(session.focus);
  return cardsOf(session).find((card) => card.id === id);
}

/** A line that is a command to the session, known or not: a slash and a word, alone or before its argument. A path is text. */
export function isSlash(text: string): boolean {
  return /^\/[a-z]+(?:[ \t]+[^\n]*)?$/i.test(text.trim());
}

/** What is sent of a text: `//word` is the text `/word`. */
export function unslashed(text: string): string {
  return text.startsWith("//") && isSlash(text.slice(1)) ? text.slice(1) : text;
}

/** How much of a card is seen at once. */
export function cardRoom({ size, cardRows }: Session): CardRoom {
  return { width: size.columns, maxRows: cardRows || Math.max(3, size.rows - 6) };
}
