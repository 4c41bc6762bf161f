import fc from "fast-check";
import { expect, test } from "vitest";
import { formatInputFields, listInputFields } from "#protocol/input-fields";

test("every value is listed by its path, whatever its kind", () => {
  const input = {
    to: "a@b.example",
    n: 5,
    off: false,
    none: null,
    empty: "",
    list: ["x", { y: 1 }],
    bare: {},
    blank: "  \n ",
  };
  expect(formatInputFields(listInputFields(input))).toBe(
    [
      "  to: a@b.example",
      "  n: 5",
      "  off: false",
      "  none: null",
      "  empty: (empty)",
      "  list.0: x",
      "  list.1.y: 1",
      "  bare: {}",
      "  blank: (only white space)",
    ].join("\n"),
  );
});

test("lines of a text are indented below its name, and white space that could hide the rest is counted", () => {
  const text = `first\n${"\n".repeat(50)}last${" ".repeat(400)}\u202eend`;
  expect(formatInputFields([{ name: "body", text }])).toBe(
    "  body:\n    first\n    [50 blank lines]\n    last [400 spaces] U+202Eend",
  );
});

test.each(["\u00a0", "\u2800", "\u3000", "\u2003", "\u{1d159}"])("%j counts as white space", (blank) => {
  const text = `first${`\n${blank}`.repeat(51)}\nlast${blank.repeat(400)}end`;
  expect(formatInputFields([{ name: "body", text }])).toBe(
    "  body:\n    first\n    [51 blank lines]\n    last [400 spaces] end",
  );
  expect(formatInputFields([{ name: "body", text: blank }])).toBe("  body: (only white space)");
});

test("a name cannot imitate another field", () => {
  expect(formatInputFields(listInputFields({ "text\nchannel: #general": "x" })).split("\n")).toHaveLength(1);
});

test("no leaf of an input is omitted", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (input) => {
      const count = (value: unknown): number =>
        typeof value === "object" && value !== null && Object.keys(value).length > 0
          ? Object.values(value).reduce((sum: number, inner) => sum + count(inner), 0)
          : 1;
      expect(listInputFields(input)).toHaveLength(count(input));
    }),
  );
});
