import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCard, key, NOW, typeText } from "#test/cards";
import { approval, form } from "#test/parts";
import type { CardUi } from "#ui/cards/card-state";
import { COMPOSER, type Focus, getFocused, INITIAL_FOCUS, recordDrawn, routeKey, updateCards } from "#ui/cards/focus";
import { createCardUi, takesTab, updateCard } from "#ui/cards/update-card";
import type { Key } from "#ui/keys/key";
import type { CardItem } from "#ui/view/view";

const first = createCard(approval());
const second = createCard(approval({ interaction_id: "int_2" }));

const timeAt = (ms: number) => NOW + ms;

function frame(focus: Focus, ms: number): Focus {
  return recordDrawn(focus, { cards: focus.cards.map(({ id }) => id), focused: getFocused(focus), at: timeAt(ms) });
}

/** Where each of these keys goes; the composer already has text. */
function goes(focus: Focus, keys: [Key | undefined, number][], { draft = false, takesTab = false } = {}) {
  let now = focus;
  const went = keys.map(([eachKey, ms]) => {
    const target = routeKey(now, { ...(eachKey ?? key("enter")), at: timeAt(ms) }, { draft, takesTab });
    now = target.focus;
    return target.to;
  });
  return { now, went };
}

const [firstKey] = typeText("1");

describe("the focus of cards", () => {
  test("G01 keys typed for the next message answer no card, and stay in the draft", () => {
    const keys = [...typeText("yes 1"), key("enter")].map((pressedKey, index) => ({
      ...pressedKey,
      at: timeAt(index * 20),
    }));
    let focus = INITIAL_FOCUS;
    let draft = "";
    const acts: unknown[] = [];
    for (const [index, pressedKey] of keys.entries()) {
      if (index === 1) focus = frame(updateCards(focus, [first]), 20);
      const target = routeKey(focus, pressedKey, { draft: draft !== "", takesTab: false });
      focus = target.focus;
      if (target.to === "composer") draft += pressedKey.text;
      if (target.to === "card") acts.push(updateCard(createCardUi(first), first, pressedKey).act);
    }
    expect({ draft, acts }).toEqual({ draft: "yes 1", acts: [] });
    // After a second without a key, it is meant for the card.
    expect(goes(focus, [[firstKey, 1_099]], { draft: true }).went).toEqual(["composer"]);
    expect(goes(focus, [[firstKey, 1_101]], { draft: true }).went).toEqual(["card"]);
  });

  test("a card takes a key 300 ms after it was drawn with the focus, and every later key", () => {
    const focus = frame(updateCards(INITIAL_FOCUS, [first]), 0);
    expect(goes(focus, [[firstKey, 299]]).went).toEqual(["composer"]);
    expect(
      goes(focus, [
        [firstKey, 300],
        [firstKey, 310],
        [firstKey, 320],
      ]).went,
    ).toEqual(["card", "card", "card"]);
  });

  test("a key that came before the card was drawn never counts, however late it is read", () => {
    expect(goes(updateCards(INITIAL_FOCUS, [first]), [[firstKey, 5_000]]).went).toEqual(["composer"]);
    const focus = frame(updateCards(INITIAL_FOCUS, [first]), 5_000);
    expect(goes(focus, [[firstKey, 4_990]]).went).toEqual(["composer"]);
  });

  test("each earlier key restarts the wait; Enter and Escape do nothing until then", () => {
    const focus = frame(updateCards(INITIAL_FOCUS, [first]), 0);
    const keys: [Key | undefined, number][] = [
      [firstKey, 200],
      [key("enter"), 400],
      [key("escape"), 600],
      [firstKey, 899],
    ];
    const { now, went } = goes(focus, keys);
    expect(went).toEqual(["composer", "none", "none", "composer"]);
    expect(goes(now, [[firstKey, 1_199]]).went).toEqual(["card"]);
  });

  test("window reports are not keys", () => {
    const focus = frame(updateCards(INITIAL_FOCUS, [first]), 0);
    expect(
      goes(focus, [
        [{ ...key("enter"), name: "focus" }, 200],
        [firstKey, 300],
      ]).went,
    ).toEqual(["composer", "card"]);
  });

  test("the oldest card has it, and the next one when it is answered elsewhere, with a new wait", () => {
    const focus = frame(updateCards(INITIAL_FOCUS, [first, second]), 0);
    expect(getFocused(focus)).toBe("int_1");
    const { now } = goes(focus, [[firstKey, 400]]);
    const next = updateCards(now, [second]);
    expect(getFocused(next)).toBe("int_2");
    expect(goes(next, [[firstKey, 900]]).went).toEqual(["composer"]);
    expect(goes(frame(next, 900), [[firstKey, 1_100]]).went).toEqual(["composer"]);
    expect(goes(frame(next, 900), [[firstKey, 1_200]]).went).toEqual(["card"]);
  });

  test("a card with another question under the same name is another card", () => {
    const { now } = goes(frame(updateCards(INITIAL_FOCUS, [first]), 0), [[firstKey, 400]]);
    expect(goes(updateCards(now, [first]), [[firstKey, 410]]).went).toEqual(["card"]);
    const other = updateCards(now, [createCard(approval({ prompt: "Something else" }))]);
    expect(goes(frame(other, 410), [[firstKey, 420]]).went).toEqual(["composer"]);
  });

  test("Tab cycles through composer and cards, Shift+Tab back", () => {
    const focus = frame(updateCards(INITIAL_FOCUS, [first, second]), 0);
    const places = (keys: Key[]) => {
      let now = focus;
      return keys.map((pressedKey, index) => {
        now = routeKey(now, { ...pressedKey, at: timeAt(1_000 + index) }, { draft: false, takesTab: false }).focus;
        return getFocused(now);
      });
    };
    expect(places([key("tab"), key("tab"), key("tab")])).toEqual(["int_2", null, "int_1"]);
    expect(places([key("tab", { shift: true }), key("tab", { shift: true })])).toEqual([null, "int_2"]);
  });

  test("the composer keeps the focus that the user gave it, until no card is left", () => {
    const { now } = goes(frame(updateCards(INITIAL_FOCUS, [first]), 0), [[key("tab"), 400]]);
    expect(now.chosen).toBe(COMPOSER);
    expect(getFocused(updateCards(now, [first, second]))).toBeNull();
    expect(getFocused(updateCards(updateCards(now, []), [second]))).toBe("int_2");
  });

  test("a visible card takes keys as soon as Tab selected it and it was drawn so", () => {
    const focus = frame(updateCards(INITIAL_FOCUS, [first, second]), 0);
    const { now, went } = goes(focus, [
      [key("tab"), 400],
      [firstKey, 410],
    ]);
    expect([getFocused(now), went]).toEqual(["int_2", ["none", "composer"]]);
    const tabbed = goes(focus, [[key("tab"), 400]]).now;
    expect(goes(frame(tabbed, 410), [[firstKey, 420]]).went).toEqual(["card"]);
    const early = goes(focus, [[key("tab"), 200]]).now;
    expect(goes(frame(early, 210), [[firstKey, 420]]).went).toEqual(["composer"]);
  });

  test("Tab stays in a card that uses it, and in a text that was being written when the card opened", () => {
    const focus = frame(updateCards(INITIAL_FOCUS, [first]), 0);
    expect(goes(focus, [[key("tab"), 400]], { takesTab: true }).went).toEqual(["card"]);
    expect(goes(focus, [[key("tab"), 200]], { draft: true }).went).toEqual(["composer"]);
  });
});

type Step =
  /** `late`: delay between pressing and reading it (ms). */
  | { do: "key"; key: Key; after: number; late: number }
  | { do: "open" | "answered" | "draw" | "stale"; after: number; which: number };

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant("key" as const),
      late: fc.constantFrom(0, 0, 0, 50, 400),
      after: fc.oneof(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 280, max: 310 }),
        fc.integer({ min: 250, max: 1_100 }),
      ),
      key: fc.constantFrom<Key>(
        ...typeText("123ynedsx "),
        key("enter"),
        key("escape"),
        key("tab"),
        key("tab", { shift: true }),
        key("down"),
        { ...key("enter"), name: "focus" },
      ),
    }),
    fc.record({
      do: fc.constantFrom("open" as const, "answered" as const, "draw" as const, "draw" as const, "stale" as const),
      after: fc.integer({ min: 0, max: 400 }),
      which: fc.integer({ min: 0, max: 3 }),
    }),
  ),
  { minLength: 20, maxLength: 80 },
);

test("G01 in 10,000 interleavings no card that was not visible with the focus before the key acts on it", () => {
  let acts = 0;
  fc.assert(
    fc.property(steps, fc.boolean(), (all, writes) => {
      acts += play(all, writes);
    }),
    { numRuns: 10_000, seed: 20_261_128 },
  );
  expect(acts).toBeGreaterThan(1_000);
});

/** The test's record of a card: since when it was on the screen, and with the focus, in every frame. */
type CardRecord = { seen?: number; focused?: number; byTab?: number };

/** Plays the steps, and checks each action against the screen. */
function play(all: Step[], writes: boolean): number {
  let focus = INITIAL_FOCUS;
  let cards: CardItem[] = [];
  const uis = new Map<string, CardUi>();
  const knownCards = new Map<string, CardRecord>();
  let now = 0;
  let cardCount = 0;
  let acts = 0;
  let draft = writes ? "text" : "";
  let previous: { cards: string[]; focused: string | null } = { cards: [], focused: null };
  for (const step of all) {
    now += step.after;
    if (step.do === "key") {
      const id = getFocused(focus);
      const ui = id === null ? undefined : uis.get(id);
      const pressedKey = { ...step.key, at: now - step.late };
      const target = routeKey(focus, pressedKey, { draft: draft !== "", takesTab: ui !== undefined && takesTab(ui) });
      const focusedId = getFocused(target.focus);
      if (focusedId !== id && focusedId !== null) {
        const { seen } = knownCards.get(focusedId) ?? {};
        knownCards.set(focusedId, { seen, byTab: seen !== undefined && pressedKey.at - seen >= 300 ? now : undefined });
      }
      if (focusedId !== id && id !== null) knownCards.set(id, { seen: knownCards.get(id)?.seen });
      focus = target.focus;
      if (target.to === "composer" && pressedKey.name === "text") draft += pressedKey.text;
      const card = cards.find((candidate) => candidate.id === id);
      if (target.to !== "card" || !card || !ui) continue;
      const { ui: next, act } = updateCard(ui, card, pressedKey);
      uis.set(card.id, next);
      if (!act) continue;
      acts += 1;
      const { focused = Number.POSITIVE_INFINITY, byTab } = knownCards.get(card.id) ?? {};
      const isSafe = pressedKey.at - focused >= 300 || (byTab !== undefined && focused <= pressedKey.at);
      if (!isSafe) throw new Error(`${card.id} acted at ${pressedKey.at} and was drawn with the focus at ${focused}.`);
    } else if (step.do === "draw" || step.do === "stale") {
      const frame = step.do === "draw" ? { cards: cards.map(({ id }) => id), focused: getFocused(focus) } : previous;
      focus = recordDrawn(focus, { ...frame, at: now });
      for (const { id } of cards) {
        const { seen, focused, byTab } = knownCards.get(id) ?? {};
        if (!frame.cards.includes(id)) knownCards.set(id, {});
        else
          knownCards.set(id, {
            seen: seen ?? now,
            focused: frame.focused === id ? (focused ?? now) : undefined,
            byTab,
          });
      }
      previous = frame;
    } else if (step.do === "open") {
      cardCount += 1;
      const part = step.which > 1 ? approval : form;
      const card = createCard(part({ interaction_id: `int_${cardCount}` }));
      uis.set(card.id, createCardUi(card));
      cards = [...cards, card];
      focus = updateCards(focus, cards);
    } else {
      cards = cards.filter((_, index) => index !== step.which);
      focus = updateCards(focus, cards);
    }
  }
  return acts;
}
