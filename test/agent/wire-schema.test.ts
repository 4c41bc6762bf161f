import type { JSONSchema7 } from "ai";
import { expect, test } from "vitest";
import { adaptInput } from "#agent/calls/adapt-input";
import { toWireSchema } from "#agent/steps/wire-tools";

const wire = (field: unknown, more: object = {}) =>
  toWireSchema({ type: "object", properties: { a: field }, ...more } as JSONSchema7).properties?.a;

test.each<[string, unknown, unknown]>([
  ["a list without items", { type: "array" }, { type: "array", items: {} }],
  ["items of any kind", { type: "array", items: true }, { type: "array", items: {} }],
  ["a field of any kind", true, {}],
  ["choices of another type", { type: "null", enum: ["A"] }, { type: "null" }],
  ["choices on a list instead of its items", { type: "array", items: {}, enum: [0, 1] }, { type: "array", items: {} }],
  ["a reference to nothing", { $ref: "#/$defs/Missing", description: "d" }, { description: "d" }],
])("providers that refuse %s get none", (_, schema, expected) => {
  expect(wire(schema)).toEqual(expected);
});

test("what providers take stays", () => {
  const field = { type: ["string", "null"], enum: ["A", null], description: "d" };
  expect(wire(field)).toEqual(field);
  expect(wire({ $ref: "#/$defs/N" }, { $defs: { N: { type: "string" } } })).toEqual({ $ref: "#/$defs/N" });
});

test("a field whose name providers refuse has another one, and an input with either reaches the tool", () => {
  const schema: JSONSchema7 = {
    type: "object",
    properties: { "filter[name]": { type: "string" } },
    required: ["filter[name]"],
  };
  const { properties = {}, required = [] } = toWireSchema(schema);
  const [name = ""] = Object.keys(properties);
  expect(name).toMatch(/^[\w.-]{1,64}$/);
  expect(required).toEqual([name]);
  expect(adaptInput(schema, { [name]: "x" })).toEqual({ "filter[name]": "x" });
  expect(adaptInput(schema, { "filter[name]": "x" })).toEqual({ "filter[name]": "x" });
});
