import fc from "fast-check";
import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { NOW } from "#test/cards";
import { approval, begins, createAnswer, form, needs } from "#test/parts";
import { keyNamed } from "#test/shorthand";
import { getText } from "#ui/editor/draft";
import type { SessionEffect, SessionEvent } from "#ui/session/events";
import { layOutLiveRegion } from "#ui/session/live-frame";
import { findFocusedCard, listCards } from "#ui/session/open-cards";
import { createSession, updateSession } from "#ui/session/update";

type Happening =
  | { do: "key"; key: string; after: number }
  | { do: "open" | "replace" | "answer" | "refuse" | "local" | "draw" | "tick" | "size"; which: number; after: number };

const KEYS = Array.from("123yneds x").concat(
  ["enter", "enter", "ctrl-enter", "escape", "tab", "shift-tab", "up", "down", "left"].map((name) => `<${name}>`),
  ["<ctrl-r>", "<ctrl-d>", "<ctrl-g>", "<focus>", "<blur>", "<paste>a\nb"],
);

const happenings = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("key" as const),
        key: fc.constantFrom(...KEYS),
        after: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.constantFrom(0, 299, 300, 301, 999, 1_000, 1_001)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom(
          ...([
            "open",
            "open",
            "replace",
            "answer",
            "refuse",
            "local",
            "draw",
            "draw",
            "draw",
            "tick",
            "size",
          ] as const),
        ),
        which: fc.integer({ min: 0, max: 3 }),
        after: fc.constantFrom(0, 0, 5, 50, 400),
      }),
    },
  ),
  { minLength: 15, maxLength: 40 },
);

test("G01 in 10,000 interleavings no card acts on a key pressed before it could be read, and no text is lost", () => {
  let acts = 0;
  fc.assert(
    fc.property(happenings, (all) => {
      acts += playAll(all);
    }),
    { numRuns: 10_000, seed: 20_261_128 },
  );
  expect(acts).toBeGreaterThan(800);
}, 60_000);

/**
 * The test's record of the screen: since when a card has been in every frame, and focused in every frame, and which
 * request was drawn.
 */
type CardRecord = { what: unknown; seen: number; focused: number | null };

function playAll(all: Happening[]): number {
  const status = { model: "m", connection: "here" as const, services: [], title: "", profile: "default" };
  let session = createSession({ columns: 30, rows: 16, now: NOW, status });
  let [now, number, cardCount, acts, lastKey] = [NOW, 0, 0, 0, Number.NEGATIVE_INFINITY];
  const knownCards = new Map<string, CardRecord>();
  /** Cards that the user selected with Tab after they were visible for a while. */
  let tabbed: string | null = null;
  /** The pressed key, with a held letter before it, and the knowledge of the card then. */
  let pressed: { id: string | undefined; key: string; isFit: boolean }[] = [];
  const send = (event: SessionEvent): SessionEffect[] => {
    const step = updateSession(session, event);
    session = step.session;
    for (const effect of step.effects) {
      if (effect.do !== "act") continue;
      acts += 1;
      const { id } = effect.card;
      if (!pressed.some((candidate) => candidate.id === id && candidate.isFit) || knownCards.get(id)?.focused == null)
        throw new Error(`${id} acted at ${now - NOW} on ${JSON.stringify(pressed)}`);
      if (!Object.is(knownCards.get(id)?.what, getCardState(id))) throw new Error("Another card acted.");
    }
    return step.effects;
  };
  const parts = (...some: StreamPart[]) =>
    send({ type: "parts", parts: some.map((part) => ({ number: ++number, part })), at: now });
  const getCardState = (id: string) => {
    const card = listCards(session).find((candidate) => candidate.id === id);
    if (card?.kind === "confirmation") return card.message;
    if (card?.kind === "plan") return card.id;
    return card?.type === "auth" ? card.id : card?.request;
  };
  parts(...begins());
  for (const happening of all) {
    now += happening.after;
    if (happening.do === "key") {
      const key = { ...keyNamed(happening.key), at: now };
      const previous = session;
      const id = findFocusedCard(previous)?.id;
      const isCounting = id !== undefined && previous.focus.open?.id === id;
      const text = getText(previous.draft);
      const since = knownCards.get(id ?? "");
      const quiet = now - Math.max(since?.focused ?? now, isCounting ? 0 : lastKey);
      const isSoon = now - (since?.focused ?? now) < 300 && tabbed !== id;
      const isFit = since?.focused != null && !isSoon && (quiet >= 300 || isCounting || tabbed === id);
      pressed = [...(previous.held ? pressed.slice(-1) : []), { id, key: happening.key, isFit }];
      const effects = send({ type: "key", key });
      const focusedId = findFocusedCard(session)?.id;
      if (focusedId !== id) {
        const focusedCard = knownCards.get(focusedId ?? "");
        tabbed =
          focusedId !== undefined && focusedCard !== undefined && now - focusedCard.seen >= 300 ? focusedId : null;
        for (const [name, value] of knownCards)
          if (name === id || name === focusedId) knownCards.set(name, { ...value, focused: null });
      }
      for (const effect of effects) {
        if (effect.do === "send" && id !== undefined && focusedId === id)
          throw new Error(`${JSON.stringify(effect.text)} was sent while ${id} had the focus.`);
      }
      if (key.name === "text" && !key.ctrl) {
        // A character is in the draft, or belongs to the card or a search; it never removes another.
        const after = getText(session.draft);
        // Keys for a form that has just ended are dropped.
        const isIgnored = previous.ignoring !== null && session.ignoring?.since === now;
        const isTaken = isCounting || isIgnored || previous.search !== null || session.focus.open !== null;
        const added = previous.held && session.held === null ? [1, 2] : [1];
        const isTyped = added.includes(after.length - text.length) && after.includes(key.text);
        if (!isTyped && !isTaken) throw new Error(`${key.text} was lost: ${JSON.stringify([text, after])}`);
      }
      if (key.name === "enter" && id !== undefined && getText(session.draft).length < text.length && focusedId === id)
        if (previous.search === null && previous.offer === null)
          throw new Error("Enter took a text while a card had the focus.");
      if (key.name !== "focus" && key.name !== "blur") lastKey = now;
    } else if (happening.do === "draw") {
      const visibleCard = findFocusedCard(session) ?? listCards(session)[0];
      const focused = findFocusedCard(session)?.id ?? null;
      const frame = { cards: visibleCard ? [visibleCard.id] : [], focused, cardRows: 8 };
      // Laying it out gives the same result, but is slow.
      if (happening.which === 0)
        expect(layOutLiveRegion(session, { text: [], tools: [], waiting: null }, "x")).toMatchObject({
          ...frame,
          cardRows: expect.any(Number),
        });
      send({ type: "drawn", frame: { ...frame, at: now } });
      for (const id of [...knownCards.keys()]) if (!frame.cards.includes(id)) knownCards.delete(id);
      for (const id of frame.cards) {
        const previousCard = knownCards.get(id);
        const isSame = previousCard !== undefined && Object.is(previousCard.what, getCardState(id));
        const focused = frame.focused === id ? (isSame ? (previousCard.focused ?? now) : now) : null;
        knownCards.set(id, { what: getCardState(id), seen: isSame ? previousCard.seen : now, focused });
      }
    } else if (happening.do === "open") {
      cardCount += 1;
      const ask = happening.which === 0 ? form : approval;
      parts(happening.which === 3 ? needs("slack") : ask({ interaction_id: `int_${cardCount}` }));
    } else if (happening.do === "local") {
      cardCount += 1;
      send({ type: "local", card: { kind: "confirmation", id: `q${cardCount}`, message: `Really ${cardCount}?` } });
    } else if (happening.do === "tick") send({ type: "tick", at: now });
    else if (happening.do === "size")
      send({ type: "size", columns: 20 + happening.which * 20, rows: 8 + happening.which * 6 });
    else {
      const card = listCards(session)[happening.which];
      if (!card) continue;
      if (happening.do === "refuse") send({ type: "refused", card: card.id, error: "No." });
      else if (card.kind === "confirmation") send({ type: "local-ended", id: card.id });
      else if (card.kind === "plan" || card.type === "auth") continue;
      else if (happening.do === "answer") parts(createAnswer({ interaction_id: card.id, action: "deny" }));
      else parts((card.type === "form" ? form : approval)({ interaction_id: card.id, prompt: `Again ${number}` }));
    }
  }
  return acts;
}
