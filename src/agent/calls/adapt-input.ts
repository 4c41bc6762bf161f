import type { JSONSchema7 } from "ai";
import { isRecord, tryParseJson } from "#protocol/json";
import { toWireField } from "../steps/wire-tools.ts";
import { parseLoose } from "./loose-json.ts";

/**
 * Adapts values that have only one meaning: models send `null`, "None" or an empty text for a field that they leave out,
 * numbers and switches as text, IDs as numbers, one value for a list of one, objects and lists as JSON text, and an extra
 * object around the whole input or a value. Everything else is left to the validation.
 */
export function adaptInput(schema: JSONSchema7, input: unknown): unknown {
  const value = typeof input === "string" ? (parseContainer(input, schema) ?? input) : input;
  if (typeof value !== "object" || value === null) return value ?? {};
  const inner = Array.isArray(value) ? unwrapList(schema, value) : unwrapInput(schema, value);
  return Array.isArray(inner) ? inner : adaptObject(schema, readWireFields(schema, inner));
}

/** Renames fields that providers know by another name back to their own. */
function readWireFields({ properties = {} }: JSONSchema7, input: object): object {
  const names = new Map(Object.keys(properties).map((name) => [toWireField(name), name]));
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [names.get(name) ?? name, value]));
}

/** Unwraps a list in place of the input: it holds only the input, or is the value of the one required list field. */
function unwrapList(schema: JSONSchema7, list: unknown[]): object {
  const [first = {}] = list;
  const properties = schema.properties ?? {};
  const isInput = isRecord(first) && Object.keys(first).every((name) => Object.hasOwn(properties, name));
  if (list.length <= 1 && isInput) return first;
  const [field = "", ...others] = schema.required ?? [];
  const onlyField = Object.hasOwn(properties, field) && others.length === 0 ? properties[field] : undefined;
  return typeof onlyField === "object" && onlyField.type === "array" ? { [field]: list } : list;
}

/** Unwraps `{"arguments": {…}}`, even with the tool's name beside it, if the tool has no such fields. */
function unwrapInput(schema: JSONSchema7, input: object): object {
  const names = Object.keys(input);
  if (
    !schema.properties ||
    schema.additionalProperties ||
    names.some((name) => Object.hasOwn(schema.properties ?? {}, name))
  )
    return input;
  const [wrapper = "", ...others] = names.filter((name) => !LABELS.has(name));
  if (others.length > 0 || !WRAPPERS.has(wrapper)) return input;
  const wrapped = (input as Record<string, unknown>)[wrapper];
  const inner = typeof wrapped === "string" ? parseContainer(wrapped, schema) : wrapped;
  return isRecord(inner) ? inner : input;
}

const WRAPPERS = new Set([
  "arguments",
  "parameters",
  "input",
  "args",
  "params",
  "kwargs",
  "tool_input",
  "action_input",
]);

/** Keys that may stand beside a wrapped input. */
const LABELS = new Set(["name", "tool", "tool_name", "function", "action", "type", "id"]);

function adaptObject(schema: JSONSchema7, input: object): object {
  const required = new Set(schema.required ?? []);
  const entries = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    const field = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    if (typeof field !== "object") return [[name, value]];
    if (!required.has(name) && isLeftOut(field, value)) return [];
    return [[name, adaptValue(field, value)]];
  });
  return Object.fromEntries(entries);
}

function isLeftOut(field: JSONSchema7, value: unknown): boolean {
  if (value === null) return !acceptsType(field, "null");
  if (typeof value !== "string" || !/^(?:|null|none|nil|undefined)$/i.test(value.trim())) return false;
  return !acceptsType(field, "string") || (field.enum !== undefined && !field.enum.includes(value));
}

/** Unwraps a value from an extra object, `{"text": "KAY"}` or `{"item": ["a"]}`, where the field takes no objects. */
function adaptRecord(field: JSONSchema7, value: object): unknown {
  if (acceptsType(field, "object")) return adaptObject(field, value);
  const [[name = "", inner] = [], ...others] = Object.entries(value);
  const { items } = field;
  const isList = typeof items === "object" && !Array.isArray(items) && acceptsType(field, "array");
  if (others.length === 0 && (isList ? LIST_NAMES : TEXT_NAMES).test(name) && (isList || !isRecord(inner)))
    return adaptValue(field, isList ? [inner].flat() : inner);
  return isList && acceptsType(items, "object") ? [adaptObject(items, value)] : value;
}

const LIST_NAMES = /^(?:items?|values?|list|elements?)$/i;
const TEXT_NAMES = /^(?:text|value|content|string|name|id|key)$/i;

function adaptValue(field: JSONSchema7, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = field;
    if (typeof items !== "object" || Array.isArray(items)) return value;
    const list = acceptsType(items, "null") ? value : value.filter((entry) => entry !== null);
    return list.map((entry) => adaptValue(items, entry));
  }
  if (isRecord(value)) return adaptRecord(field, value);
  if (typeof value === "string" && field.enum) return findChoice(field.enum, value);
  if (acceptsType(field, typeof value)) return value;
  if ((value === 0 || value === 1) && !acceptsType(field, "integer") && acceptsType(field, "boolean"))
    return value === 1;
  if (typeof value === "number")
    return Number.isSafeInteger(value) && acceptsType(field, "string") ? String(value) : toList(field, value);
  if (typeof value !== "string") return value;
  const text = value.trim();
  const isNumber = /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text);
  if (isNumber && acceptsType(field, "number")) return Number(text);
  if (isNumber && acceptsType(field, "integer") && Number.isInteger(Number(text))) return Number(text);
  if (/^(?:true|false|yes|no|1|0)$/i.test(text) && acceptsType(field, "boolean")) return /^(?:true|yes|1)$/i.test(text);
  const container = parseContainer(text, field);
  return container === undefined ? toList(field, value) : adaptValue(field, container);
}

/** Finds the value of a closed set for a text, ignoring case and separators: "IN_PROGRESS" is "in progress". */
function findChoice(values: unknown[], text: string): unknown {
  const foldText = (value: unknown) =>
    String(value)
      .toLowerCase()
      .replace(/[\s_-]+/g, " ")
      .trim();
  return values.includes(text) ? text : (values.find((value) => foldText(value) === foldText(text)) ?? text);
}

/** Makes a list of a single value, unless the text may be a list itself. */
function toList(field: JSONSchema7, value: string | number): unknown {
  const { items } = field;
  if (typeof items !== "object" || Array.isArray(items) || !acceptsType(field, "array")) return value;
  if (typeof value === "string" && /^\s*$|[,;\n[{]/.test(value)) return value;
  const item = adaptValue(items, value);
  const type = Number.isInteger(item) && acceptsType(items, "integer") ? "integer" : typeof item;
  return acceptsType(items, type) ? [item] : value;
}

/** Parses the JSON text of an object or a list, if the schema accepts one. */
function parseContainer(text: string, schema: JSONSchema7): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = tryParseJson(text) ?? parseLoose(text);
  if (value === undefined) return undefined;
  return acceptsType(schema, Array.isArray(value) ? "array" : "object") ? value : undefined;
}

/** Whether a schema accepts values of a type. A schema without a type accepts all. */
function acceptsType(schema: JSONSchema7, typeName: string): boolean {
  const { type, anyOf, oneOf, allOf, enum: values, $ref } = schema;
  const options = anyOf ?? oneOf;
  if (options)
    return options.some((option: JSONSchema7 | boolean) => typeof option === "object" && acceptsType(option, typeName));
  if (type !== undefined)
    return Array.isArray(type) ? type.some((entry: unknown) => entry === typeName) : type === typeName;
  if (values) return values.some((entry: unknown) => (entry === null ? "null" : typeof entry) === typeName);
  return allOf === undefined && $ref === undefined;
}
