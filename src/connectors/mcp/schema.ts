import { cleanLine } from "#protocol/clean";

/** A schema is refused when it is larger, deeper or wider than this. */
const LONGEST = 32 * 1024;
const DEEPEST = 12;
const MOST_FIELDS = 80;
const MOST_VALUES = 200;
const LONGEST_DESCRIPTION = 300;

type Json = Record<string, unknown>;

/**
 * A JSON Schema as a server gives it, made safe for models and for checking: keywords that are known and cheap, words cleaned and cut. Patterns
 * are left to the server, since one can be written that takes for ever.
 *
 * @returns undefined for what is no schema of an object, or one that nobody could read
 */
export function sanitizeSchema(schema: unknown): Json | undefined {
  if (!isObject(schema) || JSON.stringify(schema).length > LONGEST) return undefined;
  try {
    const inner = clean(schema, 0);
    if (inner.type !== undefined && inner.type !== "object") return undefined;
    return { ...inner, type: "object", properties: inner.properties ?? {} };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class Unreadable extends Error {}

function clean(schema: Json, depth: number): Json {
  if (depth > DEEPEST) throw new Unreadable();
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      const kept = KEYWORDS[key]?.(value, depth);
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}

type Keep = (value: unknown, depth: number) => unknown;

const text: Keep = (value) => (typeof value === "string" ? cleanLine(value, LONGEST_DESCRIPTION) : undefined);
const number: Keep = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
const count: Keep = (value) => (Number.isSafeInteger(value) && Number(value) >= 0 ? value : undefined);
const inner: Keep = (value, depth) => {
  if (typeof value === "boolean") return value;
  return isObject(value) ? clean(value, depth + 1) : undefined;
};
const several: Keep = (value, depth) =>
  Array.isArray(value) && value.length > 0 && value.length <= 20 && value.every(isObject)
    ? value.map((one) => clean(one, depth + 1))
    : undefined;
const findByName: Keep = (value, depth) => {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length > MOST_FIELDS || entries.some(([name]) => !isName(name))) throw new Unreadable();
  return Object.fromEntries(entries.map(([name, one]) => [name, inner(one, depth) ?? {}]));
};
const names: Keep = (value) =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string" && isName(one)) : undefined;
const plain: Keep = (value) => {
  if (value === null || ["boolean", "number"].includes(typeof value)) return value;
  if (typeof value !== "string") return undefined;
  // A value that is changed by cleaning would be another value.
  if (cleanLine(value) !== value || value.length > LONGEST_DESCRIPTION) throw new Unreadable();
  return value;
};
const values: Keep = (value, depth) => {
  if (!Array.isArray(value)) return undefined;
  if (value.length === 0 || value.length > MOST_VALUES) throw new Unreadable();
  return value.map((one) => plain(one, depth)).filter((one) => one !== undefined);
};
const type: Keep = (value) => {
  const all = Array.isArray(value) ? value : [value];
  return all.length > 0 && all.every((one) => TYPES.has(String(one))) ? value : undefined;
};

const TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

const KEYWORDS: Record<string, Keep> = {
  type,
  title: text,
  description: text,
  enum: values,
  const: plain,
  default: (value, depth) => (typeof value === "string" ? text(value, depth) : plain(value, depth)),
  format: (value) => (typeof value === "string" && /^[a-z-]{1,30}$/.test(value) ? value : undefined),
  properties: findByName,
  $defs: findByName,
  definitions: findByName,
  required: names,
  additionalProperties: inner,
  items: inner,
  anyOf: several,
  oneOf: several,
  allOf: several,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  $ref: (value) => {
    if (typeof value !== "string" || !/^#\/(\$defs|definitions)\/[\w.-]+$/.test(value)) throw new Unreadable();
    return value;
  },
};

function isName(name: string): boolean {
  return /^[\w$][\w$. -]{0,63}$/.test(name) && !["__proto__", "constructor", "prototype"].includes(name);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
