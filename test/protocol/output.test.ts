import { expect, test } from "vitest";
import { findUnsafePattern } from "#protocol/output/safe-pattern";
import { readOutputSchema } from "#protocol/output/schema";
import { parseValue } from "#protocol/output/value";

test.each(["(a+)+$", "^(a|a)*$", "^(\\w+\\s?)*$", "^id:(\\d+)+$", "(ab|abab)+$", "(.*)*x", ".*a.*b.*c"])(
  "a pattern that could take too long is found: %s",
  (pattern) => expect(findUnsafePattern(["^[A-Z]+$", pattern])).toBe(pattern),
);

test("patterns as people write them are harmless", () => {
  const patterns = [
    "^[a-z]+(-[a-z]+)*$",
    "^[A-Z]+-\\d+$",
    "^[^@]+@[^@]+\\.[a-z]{2,}$",
    "^(?=.*\\d)(?!x).{8,}$",
    "^\\p{L}+( \\p{L}+)*$",
    "\\s+$",
  ];
  expect(findUnsafePattern(patterns)).toBeUndefined();
});

test.each([
  ['{"a": 1}', { value: { a: 1 } }],
  ["  null\n", { value: null }],
  ["```json\n[1]\n```", { value: [1] }],
  ["So:\n```\n[1]\n```\nThat is it.", { value: [1] }],
  ["```json\n[1]\n```\n```json\n[2]\n```", { problems: [{ path: "", message: "is not JSON" }] }],
  ["[1", { problems: [{ path: "", message: "is not JSON" }] }],
  [" ", { problems: [{ path: "", message: "is empty" }] }],
  ['"\\u0000"', { problems: [{ path: "", message: "contains a NUL character" }] }],
  ["[".repeat(80) + "]".repeat(80), { problems: [{ path: "", message: "is nested too deeply" }] }],
  [`"${"x".repeat(300_000)}"`, { problems: [{ path: "", message: "is too long" }] }],
])("the value in an answer, %#", (text, expected) => expect(parseValue(text)).toEqual(expected));

test("both drafts are checked as they are meant", async () => {
  const items = [{ type: "string" }];
  const seven = { $schema: "http://json-schema.org/draft-07/schema#", type: "array", items, additionalItems: false };
  const newer = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "array",
    prefixItems: items,
    items: false,
  };
  for (const schema of [seven, newer]) {
    const check = await readOutputSchema(schema);
    expect(check('["a"]')).toEqual({ value: ["a"] });
    expect(check('["a", 1]')).toEqual({ problems: [{ path: "", message: "must NOT have more than 1 items" }] });
  }
});

test("what is wrong is said with its place, formats and closed objects among it", async () => {
  const check = await readOutputSchema({
    type: "object",
    properties: { day: { type: "string", format: "date" }, kind: { enum: ["a", "b"] }, one: { const: 1 } },
    additionalProperties: false,
  });
  expect(check('{"day": "x", "kind": "c", "one": 2, "more": 0}')).toEqual({
    problems: [
      { path: "", message: 'must not have the property "more"' },
      { path: "/day", message: 'must match format "date"' },
      { path: "/kind", message: 'must be one of ["a","b"]' },
      { path: "/one", message: "must be 1" },
    ],
  });
});

test("a check that does not come to an end is ended", { timeout: 20_000 }, async () => {
  const $ref = "#/$defs/node";
  const node = { type: "object", properties: { next: { allOf: [{ $ref }, { $ref }] } } };
  const check = await readOutputSchema({ $defs: { node }, $ref });
  expect(check(`${'{"next":'.repeat(40)}{}${"}".repeat(40)}`)).toEqual({
    problems: [{ path: "", message: "takes too long to check" }],
  });
});
