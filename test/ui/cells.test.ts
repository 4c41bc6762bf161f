import { expect, test } from "vitest";
import { onTerminal } from "#test/cells";
import { normalizeWidth, pinColumns, truncateCells, wrapCells } from "#ui/screen/cells";

test("text breaks at words, keeps its indent, and respects tab stops", () => {
  expect(wrapCells("one two three\n  indented words", 9)).toEqual(["one two", "three", "  indente", "  d words"]);
  expect(wrapCells("a\tb\n\tc\nabcd\te", 20)).toEqual(["a   b", "    c", "abcd    e"]);
  expect(wrapCells("会議を作成します", 5)).toEqual(["会議", "を作", "成し", "ます"]);
  expect(wrapCells("", 5)).toEqual([""]);
});

test("a cut text never has half a character, and is marked", () => {
  expect([
    truncateCells("会議を", 6),
    truncateCells("会議を", 5),
    truncateCells("会議を", 4),
    truncateCells("ab", 0),
  ]).toEqual(["会議を", "会議…", "会…", ""]);
});

test("U05 joined emoji are shown as their parts, and words of other scripts unchanged", () => {
  const family = "\u{1F469}\u200D\u{1F469}\u200D\u{1F467}";
  expect(normalizeWidth(`${family} \u2139\ufe0f 1\ufe0f\u20e3`)).toBe(
    "\u{1F469}\u{1F469}\u{1F467} \u2139 1\ufe0f\u20e3",
  );
  expect(normalizeWidth("می\u200cخواهم क्\u200dष")).toBe("می\u200cخواهم क्\u200dष");
});

test("U05 text after an emoji is in its column, however the terminal counts", async () => {
  const lines = ["🚀🚀🚀ab│", "\x1b[31m✅\x1b[39m 会 ab│", "plain ab│"];
  const unpainted = await onTerminal(lines.join("\n"), 20);
  const { cells } = await onTerminal(lines.map(pinColumns).join("\n"), 20);
  expect([unpainted.cells, cells]).toEqual([
    [6, 8, 9],
    [9, 9, 9],
  ]);
  expect(pinColumns("│ plain 会議 ok │")).toBe("│ plain 会議 ok │");
});
