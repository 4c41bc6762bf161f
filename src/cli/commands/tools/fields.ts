import { Problem } from "#protocol/errors";
import { tryParseJson } from "#protocol/json";
import type { ToolView } from "#protocol/tools";

/** One field of a tool's input, from its JSON Schema. */
export type Field = {
  name: string;
  /** Its type in words: `text`, `whole number (1 to 100)`, `list of text`. */
  type: string;
  required: boolean;
  description: string;
  schema: Schema;
};

type Schema = Record<string, unknown>;

/** Lists the fields of a tool's input, required ones first. */
export function listFields({ input_schema: schema }: ToolView): Field[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(record(schema.properties)).map(([name, value]): Field => {
    const schema = record(value);
    const description = typeof schema.description === "string" ? schema.description : "";
    return { name, type: getType(schema), required: required.includes(name), description, schema: schema };
  });
  return fields.sort((a, b) => Number(b.required) - Number(a.required));
}

/**
 * Builds an input from `key=value` texts, each converted to its field's type: numbers and booleans, lists by
 * repetition, lists and objects also as JSON.
 *
 * @throws Problem USAGE for a text that is not `key=value`, INVALID_REQUEST for a value that its field does not accept
 */
export function parseFields(tool: ToolView, values: string[]): Record<string, unknown> {
  const schemas = record(tool.input_schema.properties);
  const input: Record<string, unknown> = {};
  for (const text of values) {
    const index = text.indexOf("=");
    if (index < 1)
      throw new Problem("USAGE", `--field ${JSON.stringify(text)} is not in the form key=value.`, {
        hint: "For example --field project=KAY.",
      });
    const name = text.slice(0, index);
    const value = readValue(name, text.slice(index + 1), record(schemas[name]));
    const previous = Object.hasOwn(input, name) ? input[name] : undefined;
    if (previous !== undefined && !Array.isArray(previous))
      throw new Problem("USAGE", `The field ${JSON.stringify(name)} is given twice.`);
    const next = Array.isArray(previous) && Array.isArray(value) ? [...previous, ...value] : value;
    Object.defineProperty(input, name, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return input;
}

function readValue(name: string, text: string, schema: Schema): unknown {
  const types = getTypes(schema);
  if (types.includes("string") || types.length === 0) return text;
  if (types.includes("array")) return parseJsonValue(text, "[") ?? [getItem(name, text, schema)];
  if (types.includes("object")) return parseJsonValue(text, "{") ?? refuseField(name, "an object, as JSON");
  if (types.includes("boolean")) return getSwitch(name, text);
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (/^\s*[+-]?\d+\s*$/.test(text) && !Number.isSafeInteger(number))
    refuseField(name, `a whole number of at most ${Number.MAX_SAFE_INTEGER}`);
  return Number.isFinite(number) ? number : refuseField(name, "a number");
}

function getItem(name: string, text: string, schema: Schema): unknown {
  return readValue(name, text, record(schema.items));
}

function getSwitch(name: string, text: string): boolean {
  const value = text.trim().toLowerCase();
  if (value === "true" || value === "yes") return true;
  return value === "false" || value === "no" ? false : refuseField(name, "true or false");
}

function parseJsonValue(text: string, start: string): unknown {
  return text.trim().startsWith(start) ? tryParseJson(text) : undefined;
}

function refuseField(name: string, problem: string): never {
  throw new Problem("INVALID_REQUEST", `The field “${name}” must be ${problem}.`, {
    hint: "",
    details: { field: name },
  });
}

function getTypes(schema: Schema): string[] {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const variants = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [...types, ...variants.flatMap((variant) => getTypes(record(variant)))].filter(
    (type) => typeof type === "string",
  );
}

function getType(schema: Schema): string {
  const { enum: values, const: only, items } = schema;
  if (Array.isArray(values)) return values.map(String).join(" | ");
  if (only !== undefined) return String(only);
  const types = getTypes(schema).filter((type) => type !== "null");
  if (types.includes("array") && types.length === 1) return `list of ${getType(record(items))}`;
  const words = types.map((type) => TYPES[type] ?? type).join(" or ") || "anything";
  return words + formatRange(schema);
}

function formatRange({ minimum, maximum }: Schema): string {
  const least = typeof minimum === "number" && Math.abs(minimum) < Number.MAX_SAFE_INTEGER ? minimum : undefined;
  const most = typeof maximum === "number" && Math.abs(maximum) < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (least !== undefined && most !== undefined) return ` (${least} to ${most})`;
  if (least !== undefined) return ` (at least ${least})`;
  return most === undefined ? "" : ` (at most ${most})`;
}

function record(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

const TYPES: Record<string, string> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "true or false",
};
