import { getFocused } from "../cards/focus.ts";
import type { AnyCard, CardViewport } from "../cards/update-card.ts";
import { listOpenCards } from "../view/view.ts";
import type { Session } from "./state.ts";

/** Returns all open cards. Those of this terminal come first, because the user opened them. */
export function listCards({ local, view }: Session): AnyCard[] {
  return [...local, ...listOpenCards(view)];
}

/** Returns the cards that can be answered here. */
export function listAnswerableCards({ local, view, readOnly }: Session): AnyCard[] {
  return readOnly ? local : [...local, ...listOpenCards(view)];
}

/** Returns the read-only card, which another client answers. */
export function findReadOnlyCard(session: Session): AnyCard | undefined {
  return session.readOnly && session.local.length === 0 ? listOpenCards(session.view)[0] : undefined;
}

/** Hint for a key that would answer for other clients. */
export const READ_ONLY_HINT = "Read-only: use /interactive on to answer.";

/** Returns the focused card, whether or not it takes keys yet. */
export function findFocusedCard(session: Session): AnyCard | undefined {
  const id = getFocused(session.focus);
  return listCards(session).find((card) => card.id === id);
}

/**
 * Whether a line is a slash command, known or not: a slash and a word or a server's prompt (`/linear:standup`), alone or
 * before an argument. A path is text.
 */
export function isSlashCommand(text: string): boolean {
  return /^\/[a-z](?:[a-z\d-]*|[a-z\d@-]*:[^\s/]\S*)(?:[ \t][^\n]*)?$/i.test(text.trim());
}

/** Whether a slash command is a prompt to send, such as an alias, rather than a command of the session. */
export function isPromptCommand(text: string, { commands }: Session["sources"]): boolean {
  const [, name = ""] = /^\/([a-z0-9-]+)/i.exec(text.trim()) ?? [];
  return commands.some((command) => command.sends === true && command.name === name.toLowerCase());
}

/** Returns the visible size of a card. */
export function getCardViewport({ size, cardRows }: Session): CardViewport {
  return { width: size.columns, maxRows: cardRows || Math.max(3, size.rows - 6) };
}
