import { cleanLine } from "#protocol/clean";
import { isRecord } from "../transport/message.ts";

/** Limits of a schema: size, depth and width. A larger schema is rejected. */
const MAX_SCHEMA_LENGTH = 32 * 1024;
const MAX_DEPTH = 12;
const MAX_FIELDS = 80;
const MAX_VALUES = 200;
const MAX_DESCRIPTION_LENGTH = 300;

type Json = Record<string, unknown>;

/**
 * Makes a server's JSON Schema safe for models and validation: keeps known, cheap keywords, and cleans and truncates
 * text. Patterns are dropped, because matching one can take exponential time; the server checks them.
 *
 * @returns undefined if it is not an object schema, or is too large
 */
export function sanitizeSchema(schema: unknown): Json | undefined {
  if (!isRecord(schema) || JSON.stringify(schema).length > MAX_SCHEMA_LENGTH) return undefined;
  try {
    const inner = cleanSchema(schema, 0);
    if (inner.type !== undefined && inner.type !== "object") return undefined;
    return { ...inner, type: "object", properties: inner.properties ?? {} };
  } catch (error) {
    if (error instanceof UnsupportedSchemaError) return undefined;
    throw error;
  }
}

class UnsupportedSchemaError extends Error {}

function cleanSchema(schema: Json, depth: number): Json {
  if (depth > MAX_DEPTH) throw new UnsupportedSchemaError();
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      const cleaned = KEYWORDS[key]?.(value, depth);
      return cleaned === undefined ? [] : [[key, cleaned]];
    }),
  );
}

type Keep = (value: unknown, depth: number) => unknown;

const keepText: Keep = (value) => (typeof value === "string" ? cleanLine(value, MAX_DESCRIPTION_LENGTH) : undefined);
const keepNumber: Keep = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
const keepCount: Keep = (value) => (Number.isSafeInteger(value) && Number(value) >= 0 ? value : undefined);
const keepSchema: Keep = (value, depth) => {
  if (typeof value === "boolean") return value;
  return isRecord(value) ? cleanSchema(value, depth + 1) : undefined;
};
const keepSchemas: Keep = (value, depth) =>
  Array.isArray(value) && value.length > 0 && value.length <= 20 && value.every(isRecord)
    ? value.map((one) => cleanSchema(one, depth + 1))
    : undefined;
const keepSchemasByName: Keep = (value, depth) => {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS || entries.some(([name]) => !isName(name))) throw new UnsupportedSchemaError();
  return Object.fromEntries(entries.map(([name, one]) => [name, keepSchema(one, depth) ?? {}]));
};
const keepNames: Keep = (value) =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string" && isName(one)) : undefined;
const keepPrimitive: Keep = (value) => {
  if (value === null || ["boolean", "number"].includes(typeof value)) return value;
  if (typeof value !== "string") return undefined;
  // Cleaning would change the value, so it is dropped instead.
  if (cleanLine(value) !== value || value.length > MAX_DESCRIPTION_LENGTH) throw new UnsupportedSchemaError();
  return value;
};
const keepValues: Keep = (value, depth) => {
  if (!Array.isArray(value)) return undefined;
  if (value.length === 0 || value.length > MAX_VALUES) throw new UnsupportedSchemaError();
  return value.map((one) => keepPrimitive(one, depth)).filter((one) => one !== undefined);
};
const keepType: Keep = (value) => {
  const all = Array.isArray(value) ? value : [value];
  return all.length > 0 && all.every((one) => TYPES.has(String(one))) ? value : undefined;
};

const TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

const KEYWORDS: Record<string, Keep> = {
  type: keepType,
  title: keepText,
  description: keepText,
  enum: keepValues,
  const: keepPrimitive,
  default: (value, depth) => (typeof value === "string" ? keepText(value, depth) : keepPrimitive(value, depth)),
  format: (value) => (typeof value === "string" && /^[a-z-]{1,30}$/.test(value) ? value : undefined),
  properties: keepSchemasByName,
  $defs: keepSchemasByName,
  definitions: keepSchemasByName,
  required: keepNames,
  additionalProperties: keepSchema,
  items: keepSchema,
  anyOf: keepSchemas,
  oneOf: keepSchemas,
  allOf: keepSchemas,
  minimum: keepNumber,
  maximum: keepNumber,
  exclusiveMinimum: keepNumber,
  exclusiveMaximum: keepNumber,
  minLength: keepCount,
  maxLength: keepCount,
  minItems: keepCount,
  maxItems: keepCount,
  minProperties: keepCount,
  maxProperties: keepCount,
  $ref: (value) => {
    if (typeof value !== "string" || !/^#\/(\$defs|definitions)\/[\w.-]+$/.test(value))
      throw new UnsupportedSchemaError();
    return value;
  },
};

function isName(name: string): boolean {
  return /^[\w$][\w$. -]{0,63}$/.test(name) && !["__proto__", "constructor", "prototype"].includes(name);
}
