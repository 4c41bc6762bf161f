import type { Key } from "../keys/key.ts";
import type { AnyCard } from "./card-action.ts";

/**
 * The part that receives keys: the composer or an open card. A card takes keys only after it was drawn with the focus
 * and then no key was pressed for a while, so that it never takes a key meant for another part. Until then the composer
 * takes keys, except those that send or close something, which are ignored.
 */
export type Focus = {
  /** Open cards, oldest first. `what` is the content of the request; new content makes a new card. */
  cards: { id: string; what: unknown }[];
  /** The selection that the user made with Tab: `COMPOSER`, `DRAFTING` or a card. If null, the oldest card has the focus. */
  chosen: string | null;
  /**
   * When each card first appeared on the screen, in ms since 1970, and when the focused card was first drawn with the
   * focus.
   */
  seen: ReadonlyMap<string, number>;
  drawn: { id: string; at: number } | null;
  /** The card that takes keys now, and the earliest time of a key that it takes. */
  open: { id: string; since: number } | null;
  lastKey: number;
};

/** ID of the composer. No card has this ID. */
export const COMPOSER = "";

/** ID of the composer while it has a text that was started during a card's focus. No card has this ID. */
export const DRAFTING = " ";

export const INITIAL_FOCUS: Focus = {
  cards: [],
  chosen: null,
  seen: new Map(),
  drawn: null,
  open: null,
  lastKey: Number.NEGATIVE_INFINITY,
};

/** How long no key may be pressed before a card takes one, in ms; longer while a draft is being typed. */
const QUIET_MS = 300;
const QUIET_WHILE_WRITING_MS = 1_000;

/** Returns the ID of the focused card, or null for the composer. */
export function getFocused({ cards, chosen }: Focus): string | null {
  if (isComposer(chosen)) return null;
  return cards.some(({ id }) => id === chosen) ? chosen : (cards[0]?.id ?? null);
}

/** Updates the open cards. If the focused card is closed or replaced, the next card gets the focus and starts fresh. */
export function updateCards(focus: Focus, open: AnyCard[]): Focus {
  const cards = open.map((card) => ({ id: card.id, what: getContent(card) }));
  const isSame = (id: string) =>
    Object.is(cards.find((card) => card.id === id)?.what, focus.cards.find((card) => card.id === id)?.what);
  const isUnchanged = (id: string) => cards.some((card) => card.id === id) && isSame(id);
  const seenAt = new Map([...focus.seen].filter(([id]) => isUnchanged(id)));
  const isGone = cards.length === 0 || !(isComposer(focus.chosen) || isUnchanged(focus.chosen ?? ""));
  const chosenId = isGone ? null : focus.chosen;
  return clearStale({ ...focus, cards, chosen: chosenId, seen: seenAt });
}

/** Records that a frame with these cards is on the screen, and which of them was drawn with the focus. */
export function recordDrawn(focus: Focus, frame: { cards: string[]; focused: string | null; at: number }): Focus {
  const cards = frame.cards.filter((id) => focus.cards.some((card) => card.id === id));
  const seenAt = new Map(cards.map((id) => [id, focus.seen.get(id) ?? frame.at]));
  const now = getFocused(focus);
  const isDrawn = now !== null && frame.focused === now && seenAt.has(now);
  const since = focus.drawn?.id === now ? focus.drawn : null;
  return clearStale({ ...focus, seen: seenAt, drawn: isDrawn ? (since ?? { id: now, at: frame.at }) : null });
}

/** Whether the composer has a draft, and whether the focused card uses Tab and takes text (`update-card.ts`). */
type FocusedCardState = { draft: boolean; takesTab: boolean; takesText?: boolean };

/** Target of a key. `none` means that it is ignored. */
export type KeyTarget = { focus: Focus; to: "card" | "composer" | "none" };

/**
 * Decides which part takes a key. Tab moves the focus unless the card uses it. A card that has been visible for a while
 * takes keys as soon as Tab selects it and it is drawn.
 *
 * The composer handles its own uses of Tab, such as completions, before this is called.
 *
 * A text that arrived in one read, or was pasted, is not a series of commands. If the card takes no text, the composer
 * gets it with its final Enter, and the text typed next.
 */
export function routeKey(focus: Focus, key: Key, { draft, takesTab, takesText = false }: FocusedCardState): KeyTarget {
  if (key.name === "focus" || key.name === "blur") return { focus, to: "composer" };
  const next = recordKey(focus, key);
  const id = getFocused(focus);
  const counts = id !== null && isOpen(focus, id, key.at, draft ? QUIET_WHILE_WRITING_MS : QUIET_MS);
  if ((key.amid || key.name === "paste") && (!counts || !takesText))
    return { focus: counts ? beginDraft(focus, key) : next, to: "composer" };
  // While the card does not take keys yet, Tab in a draft is meant for the draft.
  const isMeant = id === null || (counts ? !takesTab : !draft);
  if (key.name === "tab" && isMeant && focus.cards.length > 0)
    return { focus: moveToNextPlace(next, id, key), to: "none" };
  if (counts)
    return {
      focus: { ...next, open: { id, since: focus.open?.id === id ? focus.open.since : key.at } },
      to: "card",
    };
  if (id === null) return { focus: next, to: "composer" };
  return { focus: next, to: key.name === "enter" || key.name === "escape" ? "none" : "composer" };
}

/** Records a key that no card takes. */
export function recordKey(focus: Focus, { at }: Key): Focus {
  return { ...focus, lastKey: Math.max(focus.lastKey, at) };
}

/** Gives the composer the focus for a new text, until that is sent or discarded. */
export function beginDraft(focus: Focus, key: Key): Focus {
  return { ...recordKey(focus, key), chosen: DRAFTING, drawn: null, open: null };
}

/** Gives the focus back after the text was sent or discarded, or the user returned to the card. */
export function endDraft(focus: Focus): Focus {
  return focus.chosen === DRAFTING ? { ...focus, chosen: null } : focus;
}

function isComposer(id: string | null): boolean {
  return id === COMPOSER || id === DRAFTING;
}

function isOpen({ open, drawn, lastKey }: Focus, id: string, time: number, quiet: number): boolean {
  if (drawn?.id !== id || time < drawn.at) return false;
  if (open?.id === id) return time >= open.since;
  return time - Math.max(drawn.at, lastKey) >= quiet;
}

/** Moves to the next part, in the order composer, cards. */
function moveToNextPlace(focus: Focus, from: string | null, key: Key): Focus {
  const places = [COMPOSER, ...focus.cards.map(({ id }) => id)];
  const index = from === null ? 0 : places.indexOf(from);
  const to = places.at((index + (key.shift ? -1 : 1)) % places.length) ?? COMPOSER;
  const since = focus.seen.get(to);
  const isKnown = to !== COMPOSER && since !== undefined && key.at - since >= QUIET_MS;
  return { ...focus, chosen: to, drawn: null, open: isKnown ? { id: to, since: key.at } : null };
}

/** Clears the state of a card that lost the focus. */
function clearStale(focus: Focus): Focus {
  const id = getFocused(focus);
  const isSeen = id !== null && focus.seen.has(id);
  return {
    ...focus,
    drawn: isSeen && focus.drawn?.id === id ? focus.drawn : null,
    open: isSeen && focus.open?.id === id ? focus.open : null,
  };
}

/**
 * Returns the identity of a card's content. Services of a connection card may change; any other change makes a new
 * card.
 */
function getContent(card: AnyCard): unknown {
  if (card.kind === "confirmation") return card.message;
  if (card.kind === "plan")
    return JSON.stringify(card.calls.map(({ card: { request }, edited }) => [request.preview, edited]));
  return card.type === "auth" ? card.id : card.request;
}
