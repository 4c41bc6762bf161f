import { expect, test } from "vitest";
import { type Draft, EMPTY_DRAFT, insert, textOf } from "#ui/editor/draft";
import { atEnd, next, previous, remembered } from "#ui/editor/history";
import { matchOf, NEW_SEARCH, older, searchFor } from "#ui/editor/search";

/** What is shown after each step; what a step cannot do is "". */
function walk(entries: string[], draft: Draft, steps: string): string[] {
  let now = { history: atEnd(entries), draft };
  return Array.from(steps, (step) => {
    const moved = (step === "<" ? previous : next)(now.history, now.draft);
    now = moved ?? now;
    return moved ? textOf(moved.draft) : "";
  });
}

test("Up goes back to the oldest entry, and Down ends at the draft that was left", () => {
  const draft = { ...insert(EMPTY_DRAFT, "half written"), cursor: 4 };
  expect(walk(["one", "two"], draft, "<<<>>>")).toEqual(["two", "one", "", "two", "half written", ""]);
  const back = previous(atEnd(["one"]), draft);
  expect(back && next(back.history, back.draft)?.draft).toBe(draft);
});

test("an entry comes with the cursor at its end, and several lines stay several lines", () => {
  expect(previous(atEnd(["one\ntwo"]), EMPTY_DRAFT)?.draft).toMatchObject({ text: "one\ntwo", cursor: 7 });
});

test("without entries nothing happens", () => {
  expect(walk([], EMPTY_DRAFT, "<>")).toEqual(["", ""]);
});

test("what repeats the newest, begins with a space, is empty or is a file's length is not kept", () => {
  const entries = ["one", "two"];
  for (const text of ["two", " secret", "", "\n", "x".repeat(20_001)]) expect(remembered(entries, text)).toBe(entries);
  expect(remembered(entries, "one")).toEqual(["one", "two", "one"]);
  const many = Array.from({ length: 1_000 }, (_, n) => `entry ${n}`);
  expect(remembered(many, "new")).toEqual([...many.slice(1), "new"]);
});

test("Ctrl+R finds the newest entry that has the text, and older ones that say something else", () => {
  const entries = ["Close KAY-1", "list issues", "close KAY-2", "close KAY-2", "weather"];
  const search = searchFor(entries, "close");
  expect(matchOf(search, entries)).toBe("close KAY-2");
  const second = older(search, entries);
  expect(matchOf(second, entries)).toBe("Close KAY-1");
  expect(older(second, entries)).toBe(second);
  expect(matchOf(searchFor(entries, "Close"), entries)).toBe("Close KAY-1");
});

test("a search that finds nothing, and one for nothing, shows nothing", () => {
  expect(matchOf(searchFor(["one"], "x"), ["one"])).toBeNull();
  expect(matchOf(searchFor(["one"], ""), ["one"])).toBeNull();
  expect(older(NEW_SEARCH, ["one"])).toBe(NEW_SEARCH);
});
