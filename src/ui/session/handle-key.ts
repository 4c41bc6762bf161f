import { findShortRequests } from "../cards/card-action.ts";
import type { CardUi } from "../cards/card-state.ts";
import { beginDraft, DRAFTING, endDraft, recordKey, routeKey } from "../cards/focus.ts";
import { type AnyCard, type CardAction, scrollCard, takesTab, takesText, updateCard } from "../cards/update-card.ts";
import { discardText } from "../editor/draft.ts";
import type { Key } from "../keys/key.ts";
import { updatePicker } from "../picker/picker.ts";
import { canComplete, updateComposer } from "./composer.ts";
import { type SessionStep, toStep } from "./events.ts";
import { holdKey, isTextKey, joinHeldKey, releaseHeldKey } from "./held-key.ts";
import { dropIgnoredKey } from "./ignore-keys.ts";
import { findFocusedCard, findReadOnlyCard, getCardUi, getCardViewport, requestAction } from "./open-cards.ts";
import { countPickerRows } from "./row-budget.ts";
import type { Session } from "./state.ts";
import { cancelTurn, isBusy } from "./turn.ts";

/** Time in which a second Ctrl+C exits, in ms. */
const ARMED_MS = 2_000;

/** Applies a key: global keys first, then the focused card, otherwise the composer. */
export function handleKey(session: Session, key: Key): SessionStep {
  if (key.name === "focus" || key.name === "blur")
    return { session: { ...session, windowFocused: key.name === "focus" }, effects: [] };
  if (session.picking) return applyPickerKey(session, session.picking, key);
  const ignored = dropIgnoredKey(session, key);
  if (ignored) return toStep(ignored);
  return applyKey({ ...session, ignoring: null }, key);
}

/** Applies a key to the open list. */
function applyPickerKey(session: Session, { id, picker }: NonNullable<Session["picking"]>, key: Key): SessionStep {
  const focus = recordKey(session.focus, key);
  if (key.name === "text" && key.ctrl && key.text === "l") return toStep(session, { do: "clearWindow" });
  if (key.name === "text" && key.ctrl && key.text === "z") return toStep(session, { do: "suspend" });
  const { picker: next, chosen } = updatePicker(picker, key, countPickerRows(session.size.rows));
  if (chosen === undefined) return toStep({ ...session, focus, picking: { id, picker: next } });
  return toStep({ ...session, focus, picking: null }, { do: "picked", id, values: chosen });
}

function applyKey(session: Session, key: Key): SessionStep {
  const step = joinHeldKey(session, key);
  if (step) return step;
  const releasedStep = releaseHeldKey(session, true);
  const nextStep = applyFreshKey(releasedStep.session, key);
  return { session: nextStep.session, effects: [...releasedStep.effects, ...nextStep.effects] };
}

/** Handles a key that does not belong to a held letter. */
function applyFreshKey(session: Session, key: Key): SessionStep {
  const chord = key.name === "text" && key.ctrl && !key.alt ? key.text.toLowerCase() : "";
  // Any other key between two Ctrl+C cancels leaving.
  const now = chord === "c" || session.exitArmedUntil === 0 ? session : { ...session, exitArmedUntil: 0, hint: null };
  const step = EVERYWHERE[chord]?.(now) ?? applyPageKey(now, key) ?? applyFocusedKey(now, key);
  return step.session.draft.text === ""
    ? { ...step, session: { ...step.session, focus: endDraft(step.session.focus) } }
    : step;
}

const EVERYWHERE: Record<string, (session: Session) => SessionStep | null> = {
  c: interrupt,
  z: (session) => toStep(session, { do: "suspend" }),
  l: (session) => toStep(session, { do: "clearWindow" }),
  o: (session) => toStep(session, { do: "expand" }),
  d: (session) => (session.draft.text === "" && !canDecline(session) ? toStep(session, { do: "leave" }) : null),
};

/** Whether Ctrl+D declines a form instead of leaving. */
function canDecline(session: Session): boolean {
  const ui = session.cards[findFocusedCard(session)?.id ?? ""];
  return ui?.type === "form" && !ui.sent;
}

/**
 * Handles Ctrl+C, which clears the line, then cancels the turn, then asks for a second one, then leaves
 * (docs/session.md).
 */
function interrupt(session: Session): SessionStep {
  if (session.search || (session.offer && !session.offer.live))
    return toStep({ ...session, search: null, offer: null });
  if (session.draft.text !== "") return toStep({ ...session, draft: discardText(session.draft), offer: null });
  if (session.now < session.exitArmedUntil) return toStep(session, { do: "leave" });
  if (isBusy(session) && !session.cancelling && !findReadOnlyCard(session)) return cancelTurn(session);
  const [local] = session.local;
  if (local) return toStep(session, { do: "act", card: local, act: dismissCard(local) });
  const until = session.now + ARMED_MS;
  return toStep({ ...session, exitArmedUntil: until, hint: { text: "Press Ctrl+C again to exit.", until } });
}

/** Returns the action that dismisses a card of this terminal. A confirmation is denied. */
function dismissCard(card: AnyCard): CardAction {
  return card.kind === "confirmation" ? { do: "answer", answer: { action: "deny" } } : { do: "cancel request" };
}

/** Scrolls a read-only card by a page. */
function applyPageKey(session: Session, key: Key): SessionStep | null {
  const card = findReadOnlyCard(session);
  const ui = card && getCardUi(session, card);
  if (!card || !ui || (key.name !== "pageup" && key.name !== "pagedown")) return null;
  const scrolled = scrollCard(ui, card, key, getCardViewport(session));
  return toStep({ ...session, cards: { ...session.cards, [card.id]: scrolled } });
}

function applyFocusedKey(session: Session, key: Key): SessionStep {
  // Completion, a search and visible candidates come before the cards.
  if (key.name === "escape" && session.focus.chosen === DRAFTING && !session.search && !session.offer)
    return toStep({ ...session, focus: recordKey(endDraft(session.focus), key) });
  const isComposers = session.search !== null || session.offer !== null || canComplete(session, key);
  const card = findFocusedCard(session);
  const ui = card && getCardUi(session, card);
  if (isComposers && session.focus.open === null)
    return updateComposer({ ...session, focus: recordKey(session.focus, key) }, key);
  const draft = session.draft.text !== "";
  const uses = ui ? { takesTab: takesTab(ui), takesText: takesText(ui) } : { takesTab: false };
  const { focus, to } = routeKey(session.focus, key, { draft, ...uses });
  const nextStep = { ...session, focus };
  if (to === "none") return toStep(nextStep);
  // A card whose answer is being sent takes no text: it belongs to the next message.
  if (to === "composer" || !card || !ui || (ui.sent && isTextKey(key))) return updateComposer(nextStep, key);
  const { ui: next, act } = updateCard(ui, card, key, getCardViewport(session));
  if (act && isTextKey(key)) return holdKey(nextStep, card.id, key);
  if (startsNewText(next, key) && !act)
    return updateComposer({ ...session, focus: beginDraft(session.focus, key) }, key);
  const answered = { ...nextStep, cards: { ...session.cards, [card.id]: next } };
  return act ? requestAction(answered, card, act) : extendDeadline(toStep(answered), card);
}

/** Whether a letter means nothing to the card and starts a new text instead. */
function startsNewText(next: CardUi, key: Key): boolean {
  return isTextKey(key) && key.text !== " " && (next.type === "auth" || (next.type !== "form" && next.step === "ask"));
}

/** Asks for more time for a card that just took a key and has little left, so that it does not expire while in use. */
function extendDeadline(step: SessionStep, card: AnyCard): SessionStep {
  const { now, extending } = step.session;
  const short = findShortRequests(card, now, extending?.card === card.id ? extending.at : undefined);
  if (short.length === 0) return step;
  const session = { ...step.session, extending: { card: card.id, at: now } };
  return { session, effects: [...step.effects, ...short.map((id) => ({ do: "extend" as const, card: id }))] };
}
