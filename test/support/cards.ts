import type { StreamPart } from "#protocol/events";
import type { CardUi } from "#ui/cards/card-state";
import { type AnyCard, type CardAction, createCardUi, updateCard } from "#ui/cards/update-card";
import type { Key, KeyName } from "#ui/keys/key";
import { reduceView } from "#ui/view/reduce";
import { type CardItem, EMPTY_VIEW, listOpenCards } from "#ui/view/view";

/** Cards and keys, for tests of user input. */

/** The card that a part opens. */
export function createCard(part: StreamPart): CardItem {
  const [card] = listOpenCards(reduceView(EMPTY_VIEW, { number: 1, part }));
  if (!card) throw new Error("The part opens no card.");
  return card;
}

/** A time at which the cards of `parts.ts` are open: 4:58 before their deadline. */
export const NOW = Date.parse("2026-11-27T12:00:02Z");

/** A key that is not text. */
export function key(name: KeyName, more: Partial<Key> = {}): Key {
  return { name, text: "", ctrl: false, alt: false, shift: false, at: NOW, ...more };
}

/** Typed text, one key for each character. */
export function typeText(text: string, more: Partial<Key> = {}): Key[] {
  return Array.from(text, (character) => ({ ...key("enter"), name: "text" as const, text: character, ...more }));
}

export function pasteText(text: string): Key {
  return { ...key("enter"), name: "paste", text };
}

export function ctrl(text: string): Key {
  return { ...key("enter"), name: "text", text, ctrl: true };
}

/** The state of a card after these keys, and all requested actions. Keys are a second apart. */
export function pressKeys(
  card: AnyCard,
  keys: Key[],
  from: CardUi = createCardUi(card),
): { ui: CardUi; acts: CardAction[] } {
  let ui = from;
  const acts: CardAction[] = [];
  for (const [index, key] of keys.entries()) {
    const step = updateCard(ui, card, { ...key, at: key.at + index * 1_000 });
    ui = step.ui;
    if (step.act) acts.push(step.act);
  }
  return { ui, acts };
}
