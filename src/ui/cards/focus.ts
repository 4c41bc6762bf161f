import type { Key } from "../keys/key.ts";
import type { AnyCard } from "./card-action.ts";

/**
 * Who takes the keys: the composer or one of the open cards (case G01). A card takes no key that may have been meant for something else. It
 * must have been drawn with the focus, and then no key may have been pressed for a while; up to then keys go on to the composer, but for
 * those that would send or end something, which do nothing.
 */
export type Focus = {
  /** Open cards, oldest first; `what` is what they ask, and another `what` is another card. */
  cards: { id: string; what: unknown }[];
  /** Where the person went with Tab, `COMPOSER` or a card, or `WRITING`; without it the oldest card has the focus. */
  chosen: string | null;
  /** When each card was first on the screen, and first with the focus since it has it (ms since 1970). */
  seen: ReadonlyMap<string, number>;
  drawn: { id: string; at: number } | null;
  /** The card that takes keys by now, and from when on they may have been pressed. */
  open: { id: string; since: number } | null;
  lastKey: number;
};

/** The place that is no card. No card has this id. */
export const COMPOSER = "";

/** The composer too, as long as what was begun to be written there while a card had the focus is not sent. No card has this id. */
export const DRAFTING = " ";

export const INITIAL_FOCUS: Focus = {
  cards: [],
  chosen: null,
  seen: new Map(),
  drawn: null,
  open: null,
  lastKey: Number.NEGATIVE_INFINITY,
};

/** So long no key may be pressed before a card takes one (ms), and so long while a text is being written in the composer. */
const QUIET_MS = 300;
const QUIET_WHILE_WRITING_MS = 1_000;

/** The id of the card that has the focus, or null for the composer. */
export function getFocused({ cards, chosen }: Focus): string | null {
  if (isComposer(chosen)) return null;
  return cards.some(({ id }) => id === chosen) ? chosen : (cards[0]?.id ?? null);
}

/** The cards that are open now. One that was answered elsewhere or replaced leaves the focus to the next, which begins anew. */
export function updateCards(focus: Focus, open: AnyCard[]): Focus {
  const cards = open.map((card) => ({ id: card.id, what: getWhat(card) }));
  const isSame = (id: string) =>
    Object.is(cards.find((card) => card.id === id)?.what, focus.cards.find((card) => card.id === id)?.what);
  const stays = (id: string) => cards.some((card) => card.id === id) && isSame(id);
  const seen = new Map([...focus.seen].filter(([id]) => stays(id)));
  const isGone = cards.length === 0 || !(isComposer(focus.chosen) || stays(focus.chosen ?? ""));
  const chosen = isGone ? null : focus.chosen;
  return settle({ ...focus, cards, chosen, seen });
}

/** A frame is on the screen, with these cards in it, of which `focused` was drawn as the one that has the focus. */
export function recordDrawn(focus: Focus, frame: { cards: string[]; focused: string | null; at: number }): Focus {
  const known = frame.cards.filter((id) => focus.cards.some((card) => card.id === id));
  const seen = new Map(known.map((id) => [id, focus.seen.get(id) ?? frame.at]));
  const now = getFocused(focus);
  const isDrawn = now !== null && frame.focused === now && seen.has(now);
  const since = focus.drawn?.id === now ? focus.drawn : null;
  return settle({ ...focus, seen, drawn: isDrawn ? (since ?? { id: now, at: frame.at }) : null });
}

/** Whether a text is being written in the composer, and whether the focused card uses Tab and takes text (`card-ui.ts`). */
type CardNow = { draft: boolean; takesTab: boolean; takesText?: boolean };

/** Where a key goes. `nobody`: it does nothing. */
export type KeyTarget = { focus: Focus; to: "card" | "composer" | "nobody" };

/**
 * Who takes a key. Tab moves the focus, where the card does not use it itself; a card that was to be seen for a while before takes keys as
 * soon as it was drawn with the focus, since the person went there.
 *
 * What uses Tab in the composer, such as a list of completions, gets it before this is asked.
 *
 * A text that came in one read, or was pasted, is no row of commands: where the card takes no text, it goes to the composer with the Enter
 * at its end, and so does what is typed next.
 */
export function routeKey(focus: Focus, key: Key, { draft, takesTab, takesText = false }: CardNow): KeyTarget {
  if (key.name === "focus" || key.name === "blur") return { focus, to: "composer" };
  const after = recordKey(focus, key);
  const id = getFocused(focus);
  const counts = id !== null && isOpen(focus, id, key.at, draft ? QUIET_WHILE_WRITING_MS : QUIET_MS);
  if ((key.amid || key.name === "paste") && (!counts || !takesText))
    return { focus: counts ? beginDraft(focus, key) : after, to: "composer" };
  // Before a card takes keys, a Tab in a text that is being written was meant for that text.
  const isMeant = id === null || (counts ? !takesTab : !draft);
  if (key.name === "tab" && isMeant && focus.cards.length > 0)
    return { focus: expandTabs(after, id, key), to: "nobody" };
  if (counts)
    return {
      focus: { ...after, open: { id, since: focus.open?.id === id ? focus.open.since : key.at } },
      to: "card",
    };
  if (id === null) return { focus: after, to: "composer" };
  return { focus: after, to: key.name === "enter" || key.name === "escape" ? "nobody" : "composer" };
}

/** A key was pressed that no card takes, whoever takes it. */
export function recordKey(focus: Focus, { at }: Key): Focus {
  return { ...focus, lastKey: Math.max(focus.lastKey, at) };
}

/** A text was begun that is none of the card: the composer has the focus until it is sent or taken back. */
export function beginDraft(focus: Focus, key: Key): Focus {
  return { ...recordKey(focus, key), chosen: DRAFTING, drawn: null, open: null };
}

/** What was written is sent or taken back, or the person went back to the card. */
export function endDraft(focus: Focus): Focus {
  return focus.chosen === DRAFTING ? { ...focus, chosen: null } : focus;
}

function isComposer(chosen: string | null): boolean {
  return chosen === COMPOSER || chosen === DRAFTING;
}

function isOpen({ open, drawn, lastKey }: Focus, id: string, at: number, quiet: number): boolean {
  if (drawn?.id !== id || at < drawn.at) return false;
  if (open?.id === id) return at >= open.since;
  return at - Math.max(drawn.at, lastKey) >= quiet;
}

/** To the next place in this order: composer, cards. */
function expandTabs(focus: Focus, from: string | null, key: Key): Focus {
  const places = [COMPOSER, ...focus.cards.map(({ id }) => id)];
  const at = from === null ? 0 : places.indexOf(from);
  const to = places.at((at + (key.shift ? -1 : 1)) % places.length) ?? COMPOSER;
  const since = focus.seen.get(to);
  const isKnown = to !== COMPOSER && since !== undefined && key.at - since >= QUIET_MS;
  return { ...focus, chosen: to, drawn: null, open: isKnown ? { id: to, since: key.at } : null };
}

/** What was true of a card that no longer has the focus is forgotten. */
function settle(focus: Focus): Focus {
  const id = getFocused(focus);
  const isSeen = id !== null && focus.seen.has(id);
  return {
    ...focus,
    drawn: isSeen && focus.drawn?.id === id ? focus.drawn : null,
    open: isSeen && focus.open?.id === id ? focus.open : null,
  };
}

/** Its services change while an auth card is open; every other card that asks something else is another one. */
function getWhat(card: AnyCard): unknown {
  if (card.kind === "confirmation") return card.message;
  return card.type === "auth" ? card.id : card.request;
}
