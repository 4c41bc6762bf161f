import { cleanLine } from "#protocol/clean";
import { isRecord } from "#protocol/json";

/**
 * Limits of a schema: size as given and cleaned, depth and width. A larger schema is rejected; a deeper part takes
 * anything.
 */
const MAX_GIVEN_LENGTH = 256 * 1024;
const MAX_SCHEMA_LENGTH = 32 * 1024;
const MAX_DEPTH = 12;
const MAX_FIELDS = 300;
const MAX_VALUES = 200;
const MAX_DESCRIPTION_LENGTH = 300;

type Json = Record<string, unknown>;

/**
 * Makes a server's JSON Schema safe for models and validation: keeps known, cheap keywords, and cleans and truncates
 * text. Patterns are dropped, because matching one can take exponential time. The server checks what kay drops.
 *
 * @returns undefined if it is not an object schema, or is too large
 */
export function sanitizeSchema(schema: unknown): Json | undefined {
  if (!isRecord(schema) || JSON.stringify(schema).length > MAX_GIVEN_LENGTH) return undefined;
  const inner = mergeVariants(cleanSchema(schema, 0));
  if (inner.type !== undefined && inner.type !== "object") return undefined;
  const cleaned = { ...inner, type: "object", properties: inner.properties ?? {} };
  return JSON.stringify(cleaned).length > MAX_SCHEMA_LENGTH ? undefined : cleaned;
}

/**
 * Puts the fields of variants (`anyOf`, a reference) beside each other at the top, where providers take no variants. A
 * field is required if all variants require it.
 */
function mergeVariants({ anyOf, oneOf, allOf, $ref, ...schema }: Json): Json {
  const defs = { ...(schema.definitions as Json), ...(schema.$defs as Json) };
  const resolve = (schema: unknown): Json => {
    const name = isRecord(schema) && typeof schema.$ref === "string" ? schema.$ref.split("/")[2] : undefined;
    const definition = name === undefined ? schema : Object.hasOwn(defs, name) ? defs[name] : {};
    return isRecord(definition) ? definition : {};
  };
  const choices = [anyOf, oneOf].filter(Array.isArray).map((list) => list.map(resolve));
  const parts = [
    ...(Array.isArray(allOf) ? allOf.map(resolve) : []),
    ...($ref === undefined ? [] : [resolve({ $ref })]),
  ];
  if (choices.length + parts.length === 0) return schema;
  const all = [...choices.flat(), ...parts];
  const listRequired = ({ required }: Json) => (Array.isArray(required) ? required : []);
  const shared = choices.flatMap(([first = {}, ...others]) =>
    listRequired(first).filter((name) => others.every((variant) => listRequired(variant).includes(name))),
  );
  const required = [...new Set([...listRequired(schema), ...parts.flatMap(listRequired), ...shared])];
  const properties = Object.assign({}, ...all.map((variant) => variant.properties), schema.properties);
  return { ...schema, properties, ...(required.length > 0 ? { required } : {}) };
}

function cleanSchema(schema: Json, depth: number): Json {
  if (depth > MAX_DEPTH) return {};
  const cleaned = Object.fromEntries(
    Object.entries(withoutComplements(schema)).flatMap(([key, value]) => {
      const cleaned = KEYWORDS[key]?.(value, depth);
      return cleaned === undefined ? [] : [[key, cleaned]];
    }),
  );
  return schema.nullable === true ? allowNull(cleaned) : cleaned;
}

/**
 * Drops keywords that are about what a dropped keyword leaves over: fields that match no pattern, and items after those
 * of a tuple. Alone, they would reject valid values.
 */
function withoutComplements({ additionalProperties, items, ...schema }: Json): Json {
  const { patternProperties, prefixItems } = schema;
  return {
    ...schema,
    ...(patternProperties === undefined && additionalProperties !== undefined ? { additionalProperties } : {}),
    ...(prefixItems === undefined && items !== undefined ? { items } : {}),
  };
}

/** Adds null to the type, since OpenAPI 3.0 has a separate keyword for it. */
function allowNull({ type, enum: values, ...rest }: Json): Json {
  return {
    ...rest,
    ...(type === undefined ? {} : { type: [...new Set([type, "null"].flat())] }),
    ...(Array.isArray(values) ? { enum: [...new Set([...values, null])] } : {}),
  };
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
    ? value.map((variant) => cleanSchema(variant, depth + 1))
    : undefined;
const keepSchemasByName: Keep = (value, depth) => {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).filter(([name]) => isName(name));
  return Object.fromEntries(
    entries.slice(0, MAX_FIELDS).map(([name, value]) => [name, keepSchema(value, depth) ?? {}]),
  );
};
const keepNames: Keep = (value) =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string" && isName(name)) : undefined;
const keepPrimitive: Keep = (value) => {
  if (value === null || ["boolean", "number"].includes(typeof value)) return value;
  // Cleaning would change the value, so it is dropped instead.
  const isPlain = typeof value === "string" && cleanLine(value) === value && value.length <= MAX_DESCRIPTION_LENGTH;
  return isPlain ? value : undefined;
};
/** Keeps all values or none: a shortened list would reject values that the server accepts. */
const keepValues: Keep = (value, depth) => {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALUES) return undefined;
  const primitives = value.map((item) => keepPrimitive(item, depth));
  return primitives.includes(undefined) ? undefined : primitives;
};
const keepType: Keep = (value) => {
  const all = Array.isArray(value) ? value : [value];
  return all.length > 0 && all.every((type) => TYPES.has(String(type))) ? value : undefined;
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
  $ref: (value) => (typeof value === "string" && /^#\/(\$defs|definitions)\/[\w.-]+$/.test(value) ? value : undefined),
};

/** Providers take fewer names; src/agent/steps/wire-tools.ts gives a field another one there. */
function isName(name: string): boolean {
  const isClean = name !== "" && name.length <= 200 && cleanLine(name, 200) === name;
  return isClean && !["__proto__", "constructor", "prototype"].includes(name);
}
