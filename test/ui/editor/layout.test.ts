// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
import { Terminal } from "@xterm/headless";
import * as fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { type Draft, EMPTY_DRAFT, insert, paste, replaceText } from "#ui/editor/draft";
import { layOutDraft } from "#ui/editor/layout";

const draftWith = (text: string): Draft => replaceText(EMPTY_DRAFT, text);
const layOut = (draft: Draft, width: number, maxRows = 100) => layOutDraft(draft, { width, maxRows, prompt: "> " });

test("U06 the cursor is after the typed text, in cells", () => {
  expect(layOut(draftWith("한글"), 80)).toEqual({ rows: ["> 한글"], cursor: { row: 0, column: 6 } });
  expect(layOut({ ...draftWith("日本語"), cursor: 1 }, 80).cursor).toEqual({ row: 0, column: 4 });
  expect(layOut(draftWith("cafe\u0301 ⅓ 😀"), 80).cursor).toEqual({ row: 0, column: 11 });
  expect(layOut(EMPTY_DRAFT, 80)).toEqual({ rows: ["> "], cursor: { row: 0, column: 2 } });
});

test("a character of two cells is never cut", () => {
  expect(layOut(draftWith("abcd한글"), 7)).toEqual({ rows: ["> abcd", "한글"], cursor: { row: 1, column: 4 } });
  expect(layOut({ ...draftWith("abcd한글"), cursor: 4 }, 7).cursor).toEqual({ row: 1, column: 0 });
  expect(layOut(draftWith("한"), 1).rows).toEqual(["> ", "?", ""]);
});

test("U21 a long word takes rows of the full width, below the first character", () => {
  const { rows, cursor } = layOut(draftWith("x".repeat(150)), 20);
  expect(rows).toEqual([`> ${"x".repeat(18)}`, ...Array(7).fill(`  ${"x".repeat(18)}`), `  ${"x".repeat(6)}`]);
  expect(cursor).toEqual({ row: 8, column: 8 });
});

test("U21 after a full row the cursor is in the next one", () => {
  expect(layOut(draftWith("x".repeat(18)), 20)).toEqual({
    rows: [`> ${"x".repeat(18)}`, "  "],
    cursor: { row: 1, column: 2 },
  });
  const full = draftWith(`${"x".repeat(18)}\ny`);
  expect(layOut(full, 20).rows).toEqual([`> ${"x".repeat(18)}`, "  y"]);
  expect(layOut({ ...full, cursor: 18 }, 20)).toEqual({
    rows: [`> ${"x".repeat(18)}`, "  ", "  y"],
    cursor: { row: 1, column: 2 },
  });
});

test.each([0, Number.NaN, -3])("U21 a width of %s counts as 80", (width) => {
  expect(layOut(draftWith("x".repeat(100)), width).rows.map((row) => row.length)).toEqual([80, 24]);
});

test("words are cut at the width, not wrapped at spaces, and lines are below the first one, except in a narrow window", () => {
  expect(layOut(draftWith("one two three\nfour\n"), 10)).toEqual({
    rows: ["> one two ", "  three", "  four", "  "],
    cursor: { row: 3, column: 2 },
  });
  expect(layOut(draftWith("one\ntwo"), 7).rows).toEqual(["> one", "two"]);
});

test("if there are too many rows, they scroll to the cursor, with a count of the hidden ones", () => {
  const draft = draftWith(Array.from({ length: 10 }, (_, n) => `line ${n}`).join("\n"));
  expect(layOut(draft, 20, 4)).toEqual({
    rows: ["↑ 7 more", "  line 7", "  line 8", "  line 9"],
    cursor: { row: 3, column: 8 },
  });
  expect(layOut({ ...draft, cursor: 0 }, 20, 4)).toEqual({
    rows: ["> line 0", "  line 1", "  line 2", "↓ 7 more"],
    cursor: { row: 0, column: 2 },
  });
  expect(layOut({ ...draft, cursor: 35 }, 20, 4)).toEqual({
    rows: ["↑ 4 more", "  line 4", "  line 5", "↓ 4 more"],
    cursor: { row: 2, column: 2 },
  });
  expect(layOut(draft, 20, 1)).toEqual({ rows: ["  line 9"], cursor: { row: 0, column: 8 } });
});

test("a folded paste is shown by its size", () => {
  expect(layOut(paste(EMPTY_DRAFT, "x\n".repeat(812)), 80).rows).toEqual(["> [pasted 812 lines]"]);
  expect(layOut(paste(EMPTY_DRAFT, "x".repeat(3_412)), 80).rows).toEqual(["> [pasted 3,412 characters]"]);
  expect(layOut(insert(paste(EMPTY_DRAFT, "x\n".repeat(13)), "!"), 10)).toEqual({
    rows: ["> [pasted ", "  13 lines", "  ]!"],
    cursor: { row: 2, column: 4 },
  });
  expect(layOut(paste(EMPTY_DRAFT, "x\n".repeat(12)), 80).rows).toHaveLength(13);
});

test("U05 tabs are spaces, and invisible characters are escaped or removed", () => {
  const rows = (text: string) => layOut(draftWith(text), 80).rows[0]?.slice(2);
  expect(rows("a\tb\t\tc")).toBe("a b       c");
  expect(rows("x\u200by")).toBe("xU+200By");
  expect(rows("\u2660\ufe0e card")).toBe("\u2660 card");
  expect(rows("\u2139\ufe0f info 1\ufe0f\u20e3")).toBe("\u2139 info 1\u20e3");
  expect(rows("👩\u200d👩\u200d👧 👍🏽 🏽")).toBe("👩👩👧 👍 🏽");
  expect(rows("\u202eevil \u2066")).toBe("U+202Eevil U+2066");
  expect(rows("\u0301x")).toBe("\u25cc\u0301x");
  expect(rows("می\u200cخواهم")).toBe("می\u200cخواهم");
});

/** Text of every kind but emoji of the upper planes, to which a terminal of Unicode 6 gives one cell. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("한", "日", "e\u0301", "\t", "\n", "\u200b", "\u2660\ufe0f", " ", "ab"),
    ),
  )
  .map((all) => all.join("").replace(/[\u{10000}-\u{10ffff}]/gu, ""));

test("no row is wider than the frame or has a control character, and the cursor is within it", () => {
  fc.assert(
    fc.property(
      text,
      fc.nat(),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 6 }),
      (text, offset, width, maxRows) => {
        const draft = insert({ ...draftWith(text), cursor: 0 }, "");
        const places = [...new Intl.Segmenter().segment(draft.text)].map(({ index }) => index);
        const { rows, cursor } = layOut(
          { ...draft, cursor: places[offset % (places.length || 1)] ?? 0 },
          width,
          maxRows,
        );
        expect(rows.length).toBeLessThanOrEqual(maxRows);
        if (width > 1) for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(width);
        expect(rows.join("")).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
        expect(cursor.column).toBeLessThan(width > 2 ? width : 3);
        expect(rows[cursor.row]).toBeDefined();
      },
    ),
    { numRuns: 500 },
  );
});

test("U05 a terminal counts the cells of each row in the same way", async () => {
  const text =
    "\u2660\ufe0e card a\tb x\u200by \u2139\ufe0f info 1\ufe0f\u20e3 e\u0301 한글 日本 ｱﾞ नि ﷽ \u0e33 \u2764\ufe0f ㊙ é";
  const { rows } = layOut(draftWith(text), 200);
  const terminal = new Terminal({ cols: 200, rows: 4, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(rows[0] ?? "", resolve));
  expect(terminal.buffer.active.cursorX).toBe(stringWidth(rows[0] ?? ""));
  terminal.dispose();
});
