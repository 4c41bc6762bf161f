import {
  type AnyCard,
  type CardAct,
  type CardUi,
  cardKey,
  cardScrolled,
  takesTab,
  takesText,
} from "../cards/card-ui.ts";
import { pressed, takeKey, unwritten, WRITING, written } from "../cards/focus.ts";
import { emptied } from "../editor/draft.ts";
import type { Key } from "../key.ts";
import { completes, composerKey } from "./composer-key.ts";
import type { Step } from "./events.ts";
import { held, isTyped, joined, stoodAlone } from "./held.ts";
import { cardReadAlong, cardRoom, focusedCard } from "./open.ts";

import type { Session } from "./state.ts";
import { only } from "./step.ts";
import { cancelTurn, isBusy } from "./turn.ts";

/** How long a second Ctrl+C leaves, in ms. */
const ARMED_MS = 2_000;

/** What a key does: first what it does everywhere, then what it does in the card that has the focus, else in the composer. */
export function keyPressed(session: Session, key: Key): Step {
  if (key.name === "focus" || key.name === "blur")
    return { session: { ...session, windowFocused: key.name === "focus" }, effects: [] };
  const step = joined(session, key);
  if (step) return step;
  const before = stoodAlone(session, true);
  const after = freshKey(before.session, key);
  return { session: after.session, effects: [...before.effects, ...after.effects] };
}

/** A key that has nothing to do with the one before it. */
function freshKey(session: Session, key: Key): Step {
  const chord = key.name === "text" && key.ctrl && !key.alt ? key.text.toLowerCase() : "";
  // Between the two Ctrl+C that leave there is no other key.
  const now = chord === "c" || session.exitArmedUntil === 0 ? session : { ...session, exitArmedUntil: 0, hint: null };
  const step = EVERYWHERE[chord]?.(now) ?? pagedKey(now, key) ?? focusedKey(now, key);
  return step.session.draft.text === ""
    ? { ...step, session: { ...step.session, focus: unwritten(step.session.focus) } }
    : step;
}

const EVERYWHERE: Record<string, (session: Session) => Step | null> = {
  c: interrupt,
  z: (session) => only(session, { do: "suspend" }),
  l: (session) => only(session, { do: "redraw" }),
  o: (session) => only(session, { do: "expand" }),
  d: (session) => (session.draft.text === "" && !declines(session) ? only(session, { do: "leave" }) : null),
};

/** Ctrl+D says no to a form. */
function declines(session: Session): boolean {
  const ui = session.cards[focusedCard(session)?.id ?? ""];
  return ui?.type === "form" && !ui.sent;
}

/** Ctrl+C clears the line, then cancels the turn, then arms leaving, then leaves (terminal.md, "The session"). */
function interrupt(session: Session): Step {
  if (session.search || session.offer) return only({ ...session, search: null, offer: null });
  if (session.draft.text !== "") return only({ ...session, draft: emptied(session.draft) });
  if (session.now < session.exitArmedUntil) return only(session, { do: "leave" });
  if (isBusy(session) && !session.cancelling && !cardReadAlong(session)) return cancelTurn(session);
  const [local] = session.local;
  if (local) return only(session, { do: "act", card: local, act: givenUp(local) });
  const until = session.now + ARMED_MS;
  return only({ ...session, exitArmedUntil: until, hint: { text: "Ctrl+C again leaves.", until } });
}

/** What gives up a card of this terminal alone: a question is answered with no. */
function givenUp(card: AnyCard): CardAct {
  return card.kind === "confirmation" ? { do: "answer", answer: { action: "deny" } } : { do: "cancel request" };
}

/** A card that is only read along scrolls by the page. */
function pagedKey(session: Session, key: Key): Step | null {
  const card = cardReadAlong(session);
  const ui = card && session.cards[card.id];
  if (!card || !ui || (key.name !== "pageup" && key.name !== "pagedown")) return null;
  const scrolled = cardScrolled(ui, card, key, cardRoom(session));
  return only({ ...session, cards: { ...session.cards, [card.id]: scrolled } });
}

function focusedKey(session: Session, key: Key): Step {
  // Completion comes before the cards where a word was begun, as does a search or an offer that is on the screen.
  if (key.name === "escape" && session.focus.chosen === WRITING && !session.search && !session.offer)
    return only({ ...session, focus: pressed(unwritten(session.focus), key) });
  const isComposers = session.search !== null || session.offer !== null || completes(session, key);
  const card = focusedCard(session);
  const ui = card && session.cards[card.id];
  if (isComposers && session.focus.open === null)
    return composerKey({ ...session, focus: pressed(session.focus, key) }, key);
  const draft = session.draft.text !== "";
  const uses = ui ? { takesTab: takesTab(ui), takesText: takesText(ui) } : { takesTab: false };
  const { focus, to } = takeKey(session.focus, key, { draft, ...uses });
  const after = { ...session, focus };
  if (to === "nobody") return only(after);
  // A card whose answer is on its way takes no key: what is typed meanwhile is the next message.
  if (to === "composer" || !card || !ui || (ui.sent && isTyped(key))) return composerKey(after, key);
  const { ui: next, act } = cardKey(ui, card, key, cardRoom(session));
  if (act && isTyped(key)) return held(after, card.id, key);
  if (isForeign(next, key) && !act) return composerKey({ ...session, focus: written(session.focus, key) }, key);
  const answered = { ...after, cards: { ...session.cards, [card.id]: next } };
  return act ? only(answered, { do: "act", card, act }) : only(answered);
}

/** A letter that means nothing to a card that asks for one begins a text of one's own. */
function isForeign(after: CardUi, key: Key): boolean {
  return isTyped(key) && key.text !== " " && (after.type === "auth" || (after.type !== "form" && after.step === "ask"));
}
