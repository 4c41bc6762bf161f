import type { Key } from "../keys/key.ts";
import { applyApprovalEdit, INITIAL_APPROVAL, updateApproval } from "./approval.ts";
import { INITIAL_AUTH, updateAuth } from "./auth.ts";
import { type AnyCard, type CardStep, getScrollDelta, isScrollKey } from "./card-action.ts";
import { layOutCard } from "./card-layout.ts";
import type { CardUi } from "./card-state.ts";
import { INITIAL_CONFIRM, updateConfirm } from "./card-state.ts";
import { applyFormEdit, createFormUi, placeError, updateForm } from "./form.ts";
import { INITIAL_PLAN, scrollPlan, updatePlan } from "./plan.ts";

export type { AnyCard, CardAction, ConfirmCard } from "./card-action.ts";

/** Visible size of a card, for scrolling. */
export type CardViewport = { width: number; maxRows: number };

/** Creates the state of a new card. A form that is asked again keeps the earlier values. */
export function createCardUi(card: AnyCard): CardUi {
  if (card.kind === "confirmation") return INITIAL_CONFIRM;
  if (card.kind === "plan") return INITIAL_PLAN;
  if (card.type === "auth") return INITIAL_AUTH;
  return card.type === "approval" ? INITIAL_APPROVAL : createFormUi(card);
}

/**
 * Applies a key to a card. `focus.ts` passes only keys that were meant for it. A card whose answer is being sent
 * ignores keys, so nothing is answered twice.
 */
export function updateCard(ui: CardUi, card: AnyCard, key: Key, room: CardViewport = DEFAULT_ROOM): CardStep<CardUi> {
  if (ui.sent) return { ui };
  if (isScrollKey(key) && canScroll(ui)) return { ui: scrollCard(ui, card, key, room) };
  if (ui.type === "confirmation") return updateConfirm(ui, key);
  if (card.kind === "plan")
    return ui.type === "plan" ? updatePlan(ui, card, key, layOutFocused(ui, card, room).hidden) : { ui };
  if (card.kind === "confirmation" || ui.type === "plan") return { ui };
  if (card.type === "auth") return ui.type === "auth" ? updateAuth(ui, card.auth, key) : { ui };
  if (ui.type === "auth") return { ui };
  return ui.type === "approval" ? updateApproval(ui, card, key) : updateForm(ui, card, key);
}

/** Applies a key that scrolls. */
export function scrollCard(ui: CardUi, card: AnyCard, key: Key, room: CardViewport): CardUi {
  const { hidden, page } = layOutFocused(ui, card, room);
  const scroll = Math.max(0, Math.min(hidden, ui.scroll + getScrollDelta(key, page)));
  return ui.type === "plan" ? scrollPlan(ui, scroll, page) : { ...ui, scroll };
}

function layOutFocused(ui: CardUi, card: AnyCard, room: CardViewport) {
  return layOutCard({ card, ui, focused: true, position: { n: 1, of: 1 }, now: 0, ...room });
}

/** Applies text from the editor that a card opened; `null` if that failed or there is no editor. */
export function applyEdit(ui: CardUi, card: AnyCard, text: string | null): CardUi {
  if (card.kind !== "card" || card.type === "auth") return ui;
  if (ui.type === "approval") return applyApprovalEdit(ui, card, text);
  return ui.type === "form" ? applyFormEdit(ui, text) : ui;
}

/** Whether the user typed or changed something that would be lost if the card closed. */
export function hasInput(ui: CardUi): boolean {
  if (ui.sent || ui.type === "auth" || ui.type === "confirmation") return false;
  if (ui.type === "form") return ui.fill.changed === true;
  if (ui.type === "plan") return ui.why.text !== "";
  return ui.edited !== undefined || ui.fill?.changed === true || ui.why.text !== "";
}

/** Reopens a card whose answer was rejected, with the reason and everything typed. */
export function rejectAnswer(ui: CardUi, message: string): CardUi {
  if (ui.type !== "form") return { ...ui, sent: false, error: message };
  const fill = placeError(ui.fill, message);
  return { ...ui, sent: false, error: message, fill, step: fill === ui.fill ? ui.step : "fill" };
}

/** Whether Tab moves to the next field of the card instead of away from it. */
export function takesTab(ui: CardUi): boolean {
  if (ui.sent) return false;
  return ui.type === "form" ? ui.step === "fill" : ui.type === "approval" && ui.step === "edit";
}

/** Whether typed characters are text for the card. */
export function takesText(ui: CardUi): boolean {
  if (ui.sent || ui.type === "auth" || ui.type === "confirmation") return false;
  if (ui.step === "why") return true;
  if (ui.type === "plan") return false;
  const fill = ui.step === "edit" || ui.step === "fill" ? ui.fill : undefined;
  return fill?.entries[fill.at]?.typing !== undefined;
}

const DEFAULT_ROOM: CardViewport = { width: 80, maxRows: 20 };

function canScroll(ui: CardUi): boolean {
  if (ui.type === "auth" || ui.type === "confirmation") return true;
  return ui.step === "ask" || ui.step === "leave" || ui.step === "review" || ui.step === "unread";
}
