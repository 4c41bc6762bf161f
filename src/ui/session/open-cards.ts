import type { ApprovalCard, CardAction, PlanCard } from "../cards/card-action.ts";
import type { CardUi } from "../cards/card-state.ts";
import { getFocused, updateCards } from "../cards/focus.ts";
import { type AnyCard, type CardViewport, createCardUi } from "../cards/update-card.ts";
import { type CardItem, listOpenCards } from "../view/view.ts";
import { type SessionStep, toStep } from "./events.ts";
import type { Session } from "./state.ts";

/** Returns all open cards. Those of this terminal come first, because the user opened them. */
export function listCards(session: Session): AnyCard[] {
  return [...session.local, ...listSharedCards(session)];
}

/** Returns the cards that can be answered here. */
export function listAnswerableCards(session: Session): AnyCard[] {
  return session.readOnly ? session.local : listCards(session);
}

/** Returns the read-only card, which another client answers. */
export function findReadOnlyCard(session: Session): AnyCard | undefined {
  return session.readOnly && session.local.length === 0 ? listSharedCards(session)[0] : undefined;
}

/** Returns the cards of the conversation, with a plan before the first of the approvals that are in it. */
function listSharedCards(session: Session): AnyCard[] {
  const open = listOpenCards(session.view);
  return open.flatMap((card) => {
    const plan = createPlan(session, open, getPlanId(card));
    return plan?.calls[0]?.card.id === card.id ? [plan, card] : [card];
  });
}

/** Returns the open approvals of a step that were asked together, without those whose answer is being sent. */
function createPlan({ cards }: Session, open: CardItem[], id: string | undefined): PlanCard | undefined {
  if (id === undefined) return undefined;
  const calls = open.flatMap((card) => {
    const ui = cards[card.id];
    if (card.type !== "approval" || getPlanId(card) !== id || ui?.sent) return [];
    return [{ card: card as ApprovalCard, ...(ui?.type === "approval" && ui.edited ? { edited: ui.edited } : {}) }];
  });
  return calls.length > 1 ? { kind: "plan", id: calls.map(({ card }) => card.id).join(" "), calls } : undefined;
}

/** Returns the ID of the plan that an approval is part of. */
export function getPlanId(card: AnyCard): string | undefined {
  return card.kind === "card" && card.type === "approval" ? card.request.plan?.id : undefined;
}

/** Returns the state of a card. A plan has none until a key changes it. */
export function getCardUi({ cards }: Session, card: AnyCard): CardUi | undefined {
  return cards[card.id] ?? (card.kind === "plan" ? createCardUi(card) : undefined);
}

/** Updates the focus with the open cards: an answer or an edit of an approval changes its plan. */
export function refreshPlans(step: SessionStep): SessionStep {
  const { session } = step;
  if (!listOpenCards(session.view).some(getPlanId)) return step;
  return { ...step, session: { ...session, focus: updateCards(session.focus, listAnswerableCards(session)) } };
}

/** Requests what the user chose on a card. The answers of a plan are an answer of each of its cards. */
export function requestAction(session: Session, card: AnyCard, act: CardAction): SessionStep {
  if (act.do !== "answer all") return toStep(session, { do: "act", card, act });
  const answers = act.answers.map(
    ({ card }) =>
      [card.id, { ...(getCardUi(session, card) ?? createCardUi(card)), sent: true, error: undefined }] as const,
  );
  return {
    session: { ...session, cards: { ...session.cards, ...Object.fromEntries(answers) } },
    effects: act.answers.map(({ card, answer }) => ({ do: "act", card: card, act: { do: "answer", answer } })),
  };
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
