import { toRecord } from "./memory.ts";

/** A part of a JSON Schema, and the whole in which it can refer to others. */
export type SchemaNode = { schema: Record<string, unknown>; root: Record<string, unknown>; depth: number };

/** A part of the part, with what it refers to in its place. */
export function resolvePart({ root, depth }: SchemaNode, given: unknown): SchemaNode {
  return { schema: resolve(given, root, 0), root, depth: depth + 1 };
}

/** The first form of a part that has a value: it may name several types, or be one of several schemas. `make` is told the type. */
export function tryForms(wanted: SchemaNode, make: (wanted: SchemaNode, type: string) => unknown): unknown {
  const { schema, depth } = wanted;
  if (depth > DEEPEST) return undefined;
  if ("const" in schema) return schema.const;
  const forms = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  for (const form of forms) {
    const { schema: inner } = resolvePart(wanted, form);
    const whole = { ...schema, anyOf: undefined, oneOf: undefined, ...inner };
    const value = tryForms({ ...wanted, schema: whole, depth: depth + 1 }, make);
    if (value !== undefined) return value;
  }
  if (forms.length > 0) return undefined;
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== "null") : [getType(wanted)];
  return types.map((type) => make(wanted, String(type))).find((value) => value !== undefined);
}

/** The type that a part names, or that its keywords mean. */
export function getType({ schema: { type, properties, items, enum: values } }: SchemaNode): string | undefined {
  if (typeof type === "string") return type;
  if (properties !== undefined) return "object";
  return items === undefined ? (values === undefined ? undefined : "string") : "array";
}

/** Whether `null` is a value of it. */
export function isNullable({ schema: { type } }: SchemaNode): boolean {
  return type === "null" || (Array.isArray(type) && type.includes("null"));
}

function resolve(given: unknown, root: SchemaNode["root"], hops: number): SchemaNode["schema"] {
  const schema = toRecord(given);
  const { $ref, allOf } = schema as { $ref?: string; allOf?: unknown[] };
  if (hops >= DEEPEST) return schema;
  if ($ref?.startsWith("#")) {
    const path = $ref.slice(1).split("/").filter(Boolean);
    const target = path.reduce<unknown>((at, step) => toRecord(at)[unescapePointer(step)], root);
    return { ...resolve(target, root, hops + 1), ...schema, $ref: undefined };
  }
  if (!Array.isArray(allOf)) return schema;
  return Object.assign({}, schema, { allOf: undefined }, ...allOf.map((part) => resolve(part, root, hops + 1)));
}

function unescapePointer(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

const DEEPEST = 24;
