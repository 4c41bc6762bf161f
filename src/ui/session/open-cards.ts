import { getFocused } from "../cards/focus.ts";
import type { AnyCard, CardViewport } from "../cards/update-card.ts";
import { listOpenCards } from "../view/view.ts";
import type { Session } from "./state.ts";

/** Every card that waits, those of this terminal first: they were called up here. */
export function listCards({ local, view }: Session): AnyCard[] {
  return [...local, ...listOpenCards(view)];
}

/** Those of them that can be answered here. */
export function listAnswerableCards({ local, view, readOnly }: Session): AnyCard[] {
  return readOnly ? local : [...local, ...listOpenCards(view)];
}

/** The card that is read along with: it waits for somebody else's answer. */
export function findReadOnlyCard(session: Session): AnyCard | undefined {
  return session.readOnly && session.local.length === 0 ? listOpenCards(session.view)[0] : undefined;
}

/** What a key says that would end what others are asked. */
export const READ_ONLY_HINT = "Read-only here: /interactive on lets you answer.";

/** The card that has the focus, whether or not it takes keys already. */
export function findFocusedCard(session: Session): AnyCard | undefined {
  const id = getFocused(session.focus);
  return listCards(session).find((card) => card.id === id);
}

/** A line that is a command to the session, known or not: a slash and a word, alone or before its argument. A path is text. */
export function isSlashCommand(text: string): boolean {
  return /^\/[a-z]+(?:[ \t]+[^\n]*)?$/i.test(text.trim());
}

/** What is sent of a text: `//word` is the text `/word`. */
export function stripSlash(text: string): string {
  return text.startsWith("//") && isSlashCommand(text.slice(1)) ? text.slice(1) : text;
}

/** How much of a card is seen at once. */
export function getCardViewport({ size, cardRows }: Session): CardViewport {
  return { width: size.columns, maxRows: cardRows || Math.max(3, size.rows - 6) };
}
