// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
import { expect, test } from "vitest";
import { clean } from "#protocol/clean";

test("U17 no control byte of a name, an error or a form label survives, and the text stays readable", () => {
  const cases: [string, string][] = [
    ["x\r\u001b[2K safe_tool", "x\n safe_tool"],
    ["Delete?\u001b[8mhidden", "Delete?hidden"],
    ["L\u001b]0;t\u0007", "L"],
    ["d\u009b31m", "d"],
    ["J\u001b[31mD", "JD"],
    ["\u001b]52;c;eA==\u0007", ""],
    ["\u001b]8;;https://evil.test\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u009d0;title\u009cafter", "after"],
    ["\u001bPq#0\u001b\\after", "after"],
    ["\u001b]0;no end, then everything else", "0;no end, then everything else"],
    ["a\u001b", "a"],
    ["a\u0000b\u0008c\u007fd\u0090e", "abcde"],
    ["\u001b\u001b[[31mred", "1mred"],
    ["a\u001b(Bb\u001bcc", "abc"],
  ];
  for (const [raw, shown] of cases) expect([raw, clean(raw)]).toEqual([raw, shown]);
});

test("U17 the rest after one removal never forms a new control sequence", () => {
  const nested = "\u001b\u001b[31m[2J \u009b\u001b[0m2J \u001b]0;\u001b[1mx\u0007";
  expect(clean(nested)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
});

test("G08 bidi overrides, isolates, zero-width and tag characters are shown as escapes", () => {
  expect(clean("Send to \u202egnp.eciovni\u202c")).toBe("Send to U+202Egnp.eciovniU+202C");
  expect(clean("gen\u200beral")).toBe("genU+200Beral");
  expect(clean("gen\u200d\u200c\u2060\u00aderal")).toBe("genU+200DU+200CU+2060U+00ADeral");
  expect(clean("a\u{e0041}b")).toBe("aU+E0041b");
  expect(clean("\u2066a\u2067b\u2068c\u2069")).toBe("U+2066aU+2067bU+2068cU+2069");
  expect(clean("a\u2028b\ufeffc\u3164d\ufff9")).toBe("aU+2028bU+FEFFcU+3164dU+FFF9");
  expect(clean("a\u200eb")).toBe("aU+200Eb");
  expect(clean("a\ufe0fb")).toBe("aU+FE0Fb");
  expect(clean("lone \ud83d")).toBe("lone U+D83D");
});

test("G08 ordinary text is unchanged", () => {
  const texts = [
    "שלום עולם!\u200f (ok)",
    "مرحبا بالعالم",
    "می\u200cخواهم",
    "क्\u200dष and क्\u200c",
    "会議を作成しますか？",
    "안녕하세요",
    "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️ ♠️ 👍🏽 🧑🏽‍🚀 1️⃣ #️⃣ 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "cafe\u0301 naïve Ünal ~?>ÿ",
    "two\nlines\tand a tab",
  ];
  for (const text of texts) expect(clean(text)).toBe(text);
});

test("a one-line text has no line breaks, and a long one is cut between characters", () => {
  expect(clean("a\r\n\tb", { lines: false })).toBe("a b");
  expect(clean("ab😀cd", { max: 4 })).toBe("ab😀…");
  expect(clean("ab😀c", { max: 4 })).toBe("ab😀c");
});
