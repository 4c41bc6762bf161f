import type { JSONSchema7 } from "ai";
import * as z from "zod/mini";
import { suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import type { AgentTool } from "../tool.ts";

/**
 * Converts validation issues to one sentence that names the first wrong field and its requirement.
 *
 * @param input the rejected input; tells a missing field from a wrong one
 */
export function toInputProblem(tool: string, input: unknown, issues: z.core.$ZodIssue[]): Problem {
  const issue = issues[0];
  const path = (issue?.path ?? []).map(String);
  const field = path.join(".");
  const subject = field ? `“${field}”` : "the input";
  const wrong = issue ? describeIssue(issue, getValueAtPath(input, path)) : "is not accepted";
  const others = [...new Set(issues.slice(1).map(({ path }) => path.map(String).join(".")))].filter(
    (other) => other !== field && other !== "",
  );
  const more = others.length > 0 ? ` (also wrong: ${others.join(", ")})` : "";
  return new Problem("INVALID_REQUEST", `The input of ${tool} is not accepted: ${subject} ${wrong}${more}.`, {
    hint: "",
    details: field ? { field } : {},
  });
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return value === undefined ? "is missing" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return value === undefined ? "is missing" : `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return formatLimit(issue.origin, "at least", issue.minimum);
    case "too_big":
      return formatLimit(issue.origin, "at most", issue.maximum);
    case "invalid_format":
      return `must be a valid ${issue.format}`;
    case "invalid_union":
      return value === undefined ? "is missing" : `must be ${formatUnion(issue.errors)}`;
    default:
      return issue.message && issue.message !== "Invalid input"
        ? `is not accepted: ${issue.message}`
        : "is not accepted";
  }
}

function formatLimit(origin: string, comparison: string, bound: number | bigint): string {
  if (origin === "string")
    return bound === 1 && comparison === "at least"
      ? "must not be empty"
      : `must have ${comparison} ${bound} characters`;
  if (origin === "array" || origin === "set")
    return `must have ${comparison} ${bound} ${bound === 1 ? "entry" : "entries"}`;
  return `must be ${comparison} ${bound}`;
}

function formatUnion(errors: z.core.$ZodIssue[][]): string {
  const types = errors.flatMap(([first]) =>
    first?.code === "invalid_type" ? [TYPES[first.expected] ?? first.expected] : [],
  );
  return types.length > 0 ? [...new Set(types)].join(" or ") : "something else";
}

function getValueAtPath(input: unknown, path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], input);
}

const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/**
 * Rejects misspelled fields. If they were ignored, a search with a misspelled filter would return everything.
 *
 * @throws Problem INVALID_REQUEST with the field and the valid ones
 */
export function rejectUnknownFields({ name, schema }: Pick<AgentTool, "name" | "schema">, input: unknown): void {
  const known = Object.keys(schema.properties ?? {});
  if (!schema.properties || typeof input !== "object" || input === null || Array.isArray(input)) return;
  const unknown = Object.keys(input).find((field) => !known.includes(field));
  if (unknown === undefined || schema.additionalProperties) return;
  const guess = suggestName(unknown, known, (near) => `“${near}”`);
  const list = known.length > 0 ? ` Valid fields: ${known.join(", ")}.` : " It takes no fields.";
  throw new Problem(
    "INVALID_REQUEST",
    `${name} has no field “${unknown.slice(0, 60)}”.${guess && ` ${guess}`}${list}`,
    {
      hint: "",
      details: { field: unknown },
    },
  );
}

/**
 * Adapts values that have only one meaning: models send `null` or an empty text for a field that they leave out, numbers
 * and switches as text, IDs as numbers, one value for a list of one, and objects and lists as JSON text. Everything else
 * is left to the validation.
 */
export function adaptInput(schema: JSONSchema7, input: unknown): unknown {
  const value = typeof input === "string" ? (parseContainer(input, schema) ?? input) : input;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value ?? {};
  return adaptObject(schema, value);
}

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
  if (value !== "") return false;
  return !acceptsType(field, "string") || (field.enum !== undefined && !field.enum.includes(""));
}

function adaptValue(field: JSONSchema7, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = field;
    return typeof items === "object" && !Array.isArray(items) ? value.map((each) => adaptValue(items, each)) : value;
  }
  if (typeof value === "object" && value !== null) return adaptObject(field, value);
  if (typeof value === "string" && field.enum) return findChoice(field.enum, value);
  if (acceptsType(field, typeof value)) return value;
  if (typeof value === "number")
    return Number.isSafeInteger(value) && acceptsType(field, "string") ? String(value) : toList(field, value);
  if (typeof value !== "string") return value;
  const text = value.trim();
  const isNumber = /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text);
  if (isNumber && acceptsType(field, "number")) return Number(text);
  if (isNumber && acceptsType(field, "integer") && Number.isInteger(Number(text))) return Number(text);
  if (/^(?:true|false)$/i.test(text) && acceptsType(field, "boolean")) return text.toLowerCase() === "true";
  const container = parseContainer(text, field);
  return container === undefined ? toList(field, value) : adaptValue(field, container);
}

/** The value of a closed set that a text is, whatever its case and separators: "IN_PROGRESS" is "in progress". */
function findChoice(values: unknown[], text: string): unknown {
  const plain = (value: unknown) =>
    String(value)
      .toLowerCase()
      .replace(/[\s_-]+/g, " ")
      .trim();
  return values.includes(text) ? text : (values.find((value) => plain(value) === plain(text)) ?? text);
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

/** Parses JSON text of an object or a list, if the schema takes that. */
function parseContainer(text: string, schema: JSONSchema7): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return acceptsType(schema, Array.isArray(value) ? "array" : "object") ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a schema takes values of a type. One that names no type takes all. */
function acceptsType(schema: JSONSchema7, wanted: string): boolean {
  const { type, anyOf, oneOf, allOf, enum: values, $ref } = schema;
  const options = anyOf ?? oneOf;
  if (options)
    return options.some((option: JSONSchema7 | boolean) => typeof option === "object" && acceptsType(option, wanted));
  if (type !== undefined) return Array.isArray(type) ? type.some((each: unknown) => each === wanted) : type === wanted;
  if (values) return values.some((each: unknown) => (each === null ? "null" : typeof each) === wanted);
  return allOf === undefined && $ref === undefined;
}

/** Returns the JSON Schema of a tool's input. Tools are put together for every request, while their inputs stay. */
export function getInputSchema(input: z.ZodMiniType): JSONSchema7 {
  const known = schemas.get(input) ?? (z.toJSONSchema(input, { io: "input" }) as JSONSchema7);
  schemas.set(input, known);
  return known;
}

const schemas = new WeakMap<z.ZodMiniType, JSONSchema7>();
