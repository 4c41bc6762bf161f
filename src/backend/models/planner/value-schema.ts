import { record } from "./memory.ts";

/** A part of a JSON Schema, and the whole in which it can refer to others. */
export type Wanted = { schema: Record<string, unknown>; root: Record<string, unknown>; depth: number };

/** A part of the part, with what it refers to in its place. */
export function partOf({ root, depth }: Wanted, given: unknown): Wanted {
  return { schema: resolved(given, root, 0), root, depth: depth + 1 };
}

/** The first form of a part that has a value: it may name several types, or be one of several schemas. `make` is told the type. */
export function firstForm(wanted: Wanted, make: (wanted: Wanted, type: string) => unknown): unknown {
  const { schema, depth } = wanted;
  if (depth > DEEPEST) return undefined;
  if ("const" in schema) return schema.const;
  const forms = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  for (const form of forms) {
    const { schema: inner } = partOf(wanted, form);
    const whole = { ...schema, anyOf: undefined, oneOf: undefined, ...inner };
    const value = firstForm({ ...wanted, schema: whole, depth: depth + 1 }, make);
    if (value !== undefined) return value;
  }
  if (forms.length > 0) return undefined;
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== "null") : [typeOf(wanted)];
  return types.map((type) => make(wanted, String(type))).find((value) => value !== undefined);
}

/** The type that a part names, or that its keywords mean. */
export function typeOf({ schema: { type, properties, items, enum: values } }: Wanted): string | undefined {
  if (typeof type === "string") return type;
  if (properties !== undefined) return "object";
  return items === undefined ? (values === undefined ? undefined : "string") : "array";
}

/** Whether `null` is a value of it. */
export function isNullable({ schema: { type } }: Wanted): boolean {
  return type === "null" || (Array.isArray(type) && type.includes("null"));
}

function resolved(given: unknown, root: Wanted["root"], hops: number): Wanted["schema"] {
  const schema = record(given);
  const { $ref, allOf } = schema as { $ref?: string; allOf?: unknown[] };
  if (hops >= DEEPEST) return schema;
  if ($ref?.startsWith("#")) {
    const path = $ref.slice(1).split("/").filter(Boolean);
    const target = path.reduce<unknown>((at, step) => record(at)[unescaped(step)], root);
    return { ...resolved(target, root, hops + 1), ...schema, $ref: undefined };
  }
  if (!Array.isArray(allOf)) return schema;
  return Object.assign({}, schema, { allOf: undefined }, ...allOf.map((part) => resolved(part, root, hops + 1)));
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

const DEEPEST = 24;
