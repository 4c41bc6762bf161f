import fc from "fast-check";
import { expect, test } from "vitest";
import { shortenSummary } from "#ui/cards/approval-rows";
import { foldUnchanged, listChangedLines } from "#ui/cards/changed-lines";

const show = (before: string, after: string) =>
  listChangedLines(before, after)
    .map(({ mark, text }) => mark + text)
    .join("\n");

test.for([
  ["a\nb\nc", "a\nB\nc", " a\n-b\n+B\n c"],
  ["a\nb", "a\nb\nc", " a\n b\n+c"],
  ["a\nb\nc", "a\nc", " a\n-b\n c"],
  ["a", "b", "-a\n+b"],
  ["a", "a", " a"],
] as const)("%j changed to %j", ([before, after, expected]) => expect(show(before, after)).toBe(expected));

test("kept and removed lines are the old text, kept and added lines the new one", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 8 })
    .map((all) => all.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = listChangedLines(before, after);
      const without = (mark: string) =>
        lines
          .filter((line) => line.mark !== mark)
          .map((line) => line.text)
          .join("\n");
      expect([without("+"), without("-")]).toEqual([before, after]);
    }),
  );
});

test("long runs of unchanged lines are counted", () => {
  const old = Array.from({ length: 20 }, (_, index) => `${index}`);
  const fold = (now: string[]) =>
    foldUnchanged(listChangedLines(old.join("\n"), now.join("\n"))).map(({ mark, text }) => mark + text);
  expect(fold(old.with(9, "nine"))).toEqual([" 0 … 8 unchanged lines", "-9", "+nine", "   … 10 unchanged lines"]);
  expect(fold(old.with(0, "none"))).toEqual(["-0", "+none", "   … 19 unchanged lines"]);
  expect(fold(old.with(2, "two").with(17, "b"))).toEqual([
    " 0",
    " 1",
    "-2",
    "+two",
    "   … 14 unchanged lines",
    "-17",
    "+b",
    " 18",
    " 19",
  ]);
});

test("very long texts are compared as a whole", () => {
  const long = Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join("\n");
  expect(listChangedLines(long, `${long}!`)).toHaveLength(10_000);
});

const body = "The release is out. Highlights are many, and we thank all who helped with it.";

test.for([
  [`Send to #general: “${body}”`, "Send to #general: “The release is out.…”"],
  [`Send to #general: “${body.slice(0, 60)}…”`, "Send to #general: “The release is out.…”"],
  [`Send to #general: “${body.slice(0, 60)}…`, "Send to #general: “The release is out.…"],
  ["Send to #general: “The release”", "Send to #general: “The release”"],
  [`Send “${body} And this is not in the field”`, "Send “The release is out.… And this is not in the field”"],
] as const)("N5 the summary %j does not repeat what the card shows below", ([summary, expected]) => {
  expect(
    shortenSummary(summary, [
      { name: "text", value: body.replace("out. ", "out.\n\n") },
      { name: "n", value: 1 },
    ]),
  ).toBe(expected);
});

test("in a narrow card the summary repeats less of a text", () => {
  expect(shortenSummary(`Send to #general: “${body}”`, [{ name: "text", value: body }], 36)).toBe(
    "Send to #general: “The release…”",
  );
});
