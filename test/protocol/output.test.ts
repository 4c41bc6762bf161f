import { expect, test } from "vitest";
import { readOutputSchema } from "#protocol/output/schema";
import { parseValue } from "#protocol/output/value";

test.each(["(a+)+$", "^(a|a)*$", "^(\\w+\\s?)*$", "^id:(\\d+)+$", "(ab|abab)+$", "(.*)*x", ".*a.*b.*c"])(
  "a pattern that takes exponential time elsewhere is checked completely: %s",
  async (pattern) => {
    const check = await readOutputSchema({ type: "string", pattern });
    for (const piece of ["a", "ab", "a ", "0"])
      expect(check(JSON.stringify(`${piece.repeat(50_000)}\n!`))).toEqual({
        problems: [{ path: "", message: `must match pattern "${pattern}"` }],
      });
  },
);

test.each([
  ["^[a-z]+(-[a-z]+)*$", "a-b", "a-"],
  ["^[A-Z]+-\\d+$", "KAY-3", "KAY-"],
  ["^[^@]+@[^@]+\\.[a-z]{2,}$", "ann@example.com", "ann@example"],
  ["^\\p{L}+( \\p{L}+)*$", "Zoë Müller", "Zoë 2"],
  ["^(?<year>\\d{4})\\/\\u{1F600}$", "2026/😀", "2026/x"],
  ["\\s+$", "a ", "a"],
])("a common pattern means what it means in JavaScript: %s", async (pattern, right, wrong) => {
  for (const source of [{ pattern }, { patternProperties: { [pattern]: false } }]) {
    const check = await readOutputSchema(source);
    const values = "pattern" in source ? [right, wrong] : [{ [wrong]: 1 }, { [right]: 1 }];
    expect(values.map((value) => "value" in check(JSON.stringify(value)))).toEqual([true, false]);
  }
});

test.each([
  ["^(?=.*\\d).{8,}$", "(?="],
  ["^(?!x)", "(?!"],
  ["(?<=a)b", "(?<=a)b"],
  ["^(a)\\1$", "\\1"],
  ["^a{1,1001}$", "{1,1001}"],
])("a pattern that a linear engine cannot run is refused in one sentence: %s", async (pattern, part) => {
  const sentence = `The output schema cannot be used. The pattern ${JSON.stringify(pattern)} uses ${JSON.stringify(part)}, but patterns must follow the RE2 syntax, which has no lookaround or backreferences.`;
  for (const schema of [{ pattern }, { patternProperties: { [pattern]: {} } }])
    await expect(readOutputSchema({ $defs: { unused: {}, used: schema }, $ref: "#/$defs/used" })).rejects.toThrow(
      sentence,
    );
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

test("both drafts are checked correctly", async () => {
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

test("a mismatch is reported with its place, including formats and closed objects", async () => {
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

test("an endless check is ended", { timeout: 20_000 }, async () => {
  const $ref = "#/$defs/node";
  const node = { type: "object", properties: { next: { allOf: [{ $ref }, { $ref }] } } };
  const check = await readOutputSchema({ $defs: { node }, $ref });
  expect(check(`${'{"next":'.repeat(40)}{}${"}".repeat(40)}`)).toEqual({
    problems: [{ path: "", message: "takes too long to check" }],
  });
});
