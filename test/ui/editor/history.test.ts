import { expect, test } from "vitest";
import { type Draft, EMPTY_DRAFT, getText, insert, paste } from "#ui/editor/draft";
import { listFolded } from "#ui/editor/fold";
import {
  appendEntry,
  createHistory,
  EMPTY_SEARCH,
  getMatch,
  searchHistory,
  searchOlder,
  showNext,
  showPrevious,
} from "#ui/editor/history";

/** The text after each step; "" for an impossible step. */
function walk(entries: string[], draft: Draft, steps: string): string[] {
  let now = { history: createHistory(entries), draft };
  return Array.from(steps, (step) => {
    const moved = (step === "<" ? showPrevious : showNext)(now.history, now.draft);
    now = moved ?? now;
    return moved ? getText(moved.draft) : "";
  });
}

test("Up goes back to the oldest entry, and Down ends at the draft", () => {
  const draft = { ...insert(EMPTY_DRAFT, "half written"), cursor: 4 };
  expect(walk(["one", "two"], draft, "<<<>>>")).toEqual(["two", "one", "", "two", "half written", ""]);
  const back = showPrevious(createHistory(["one"]), draft);
  expect(back && showNext(back.history, back.draft)?.draft).toBe(draft);
});

test("an entry has the cursor at its end, and several lines stay several lines", () => {
  expect(showPrevious(createHistory(["one\ntwo"]), EMPTY_DRAFT)?.draft).toMatchObject({ text: "one\ntwo", cursor: 7 });
});

test("without entries nothing happens", () => {
  expect(walk([], EMPTY_DRAFT, "<>")).toEqual(["", ""]);
});

test("a text that repeats the newest, begins with a space, is empty or is too long is not stored", () => {
  const entries = ["one", "two"];
  for (const text of ["two", " secret", "", "\n", "x".repeat(20_001)]) expect(appendEntry(entries, text)).toBe(entries);
  expect(appendEntry(entries, "one")).toEqual(["one", "two", "one"]);
  const many = Array.from({ length: 1_000 }, (_, n) => `entry ${n}`);
  expect(appendEntry(many, "new")).toEqual([...many.slice(1), "new"]);
});

test("Ctrl+R finds the newest entry with the text, and older ones that differ", () => {
  const entries = ["Close KAY-1", "list issues", "close KAY-2", "close KAY-2", "weather"];
  const search = searchHistory(entries, "close");
  expect(getMatch(search, entries)).toBe("close KAY-2");
  const second = searchOlder(search, entries);
  expect(getMatch(second, entries)).toBe("Close KAY-1");
  expect(searchOlder(second, entries)).toBe(second);
  expect(getMatch(searchHistory(entries, "Close"), entries)).toBe("Close KAY-1");
});

test("a search that finds nothing, and one for nothing, shows nothing", () => {
  expect(getMatch(searchHistory(["one"], "x"), ["one"])).toBeNull();
  expect(getMatch(searchHistory(["one"], ""), ["one"])).toBeNull();
  expect(searchOlder(EMPTY_SEARCH, ["one"])).toBe(EMPTY_SEARCH);
});

test.each([
  ["alone", "", ""],
  ["between words", "sum up ", " in one line"],
  ["before a line break that the sent text has lost", "sum up ", "\n"],
])("N27 a long paste %s is folded again when it is recalled, and a typed text is not", (_, before, after) => {
  const log = Array.from({ length: 500 }, (_, n) => `line ${n}`).join("\n") + after.replace(/[^\n]/g, "");
  const draft = insert(paste(insert(EMPTY_DRAFT, before), log), after.trimEnd());
  const [text, expected] = [getText(draft).trimEnd(), "row\n".repeat(20)];
  const pastes = new Map([
    [text, listFolded(draft.text, draft.folds)],
    [expected, []],
  ]);
  const newest = showPrevious(createHistory([expected, text], pastes), EMPTY_DRAFT);
  expect(newest && getText(newest.draft)).toBe(text);
  expect(newest?.draft.text).toHaveLength(before.length + 1 + after.trimEnd().length);
  expect(newest && showPrevious(newest.history, newest.draft)?.draft.text).toBe(expected);
});

test("N27 of a text from an earlier session, long text below a short first line is folded", () => {
  const log = "line\n".repeat(500).trimEnd();
  for (const [text, length] of [
    [`explain this:\n${log}`, 15],
    [log, 6],
    [`${"x".repeat(1_001)}`, 1],
    ["two\nlines", 9],
  ] as const) {
    const recalled = showPrevious(createHistory([text]), EMPTY_DRAFT)?.draft;
    expect([recalled && getText(recalled), recalled?.text.length]).toEqual([text, length]);
  }
});
