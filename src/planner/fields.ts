import type { JSONSchema7 } from "@ai-sdk/provider";
import type { Language, Word } from "./language.ts";

/** An input field of a tool, as far as its JSON Schema and description tell. */
export type Field = {
  name: string;
  required: boolean;
  kind: "key" | "number" | "boolean" | "date" | "text" | "name";
  /** Known values with the words they are recognised by; open unless the schema has an `enum`. */
  values: { value: string; words: Word[] }[];
  closed: boolean;
  /** Names a user. */
  person: boolean;
  /** Takes a list of such values. */
  list: boolean;
  /** What an accepted value looks like, from the schema's pattern or from the sample in the description. */
  shape?: RegExp;
  description: string;
  /** The name as a word, as people would say it. */
  word?: Word;
  /** The schema's default. */
  initial?: unknown;
};

/** Whether a field takes text of any length, rather than a line: a message, not a title. */
export function isLongText({ kind, name, description }: Field): boolean {
  return kind === "text" && !LINE.test(`${name} ${description}`);
}

/** Whether a field is the heading of something. */
export function isHeadingField({ kind, name }: Field): boolean {
  return kind === "text" && HEADING.test(name);
}

/** The fields of a tool's input. */
export function listFields(schema: JSONSchema7, language: Language): Field[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    isSchema(property) ? [getField(name, property, required.has(name), language)] : [],
  );
}

function getField(name: string, property: JSONSchema7, required: boolean, language: Language): Field {
  const { items } = property;
  const list = property.type === "array" && isSchema(items);
  const schema: JSONSchema7 = list ? { description: property.description, ...items } : property;
  const description = typeof schema.description === "string" ? schema.description : "";
  const listed = (Array.isArray(schema.enum) ? (schema.enum as unknown[]) : []).filter(
    (value) => typeof value === "string" && value !== "",
  );
  const named = listed.length > 0 ? (listed as string[]) : valuesIn(description);
  const values = named.map((value) => ({ value, words: language.read(space(value)) }));
  const shape = getShape(schema, description);
  const [word] = language.read(space(name)).slice(-1);
  return {
    name,
    required,
    kind: getKind(name, schema, description, shape, values.length > 0),
    values,
    closed: listed.length > 0,
    list,
    person: /\b(person|people|user|somebody|someone|e-?mail)\b/i.test(description),
    ...(shape ? { shape } : {}),
    description,
    ...(word ? { word } : {}),
    ...(property.default !== undefined ? { initial: property.default } : {}),
  };
}

function isSchema(value: unknown): value is JSONSchema7 {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function getKind(
  name: string,
  schema: JSONSchema7,
  description: string,
  shape: RegExp | undefined,
  hasValues: boolean,
): Field["kind"] {
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean") return "boolean";
  if (String(schema.format ?? "").startsWith("date") || DATE.test(space(`${name}. ${description}`))) return "date";
  if (shape === ISSUE_KEY) return "key";
  if (hasValues || shape) return "name";
  return TEXT.test(`${name} ${description}`) ? "text" : "name";
}

/** Values that a description names: whatever it quotes, and lists of capitalised words ("Bug, Task, Story"). */
function valuesIn(description: string): string[] {
  const quoted = [...description.matchAll(/["“]([^"”]+)["”]/g)].map((match) => match[1] ?? "");
  const rest = description.replace(/["“][^"”]+["”]/g, "");
  const lists = [...rest.matchAll(/[A-Z][\w-]*(?: \([^)]*\))?(?:(?:, | or |, or )[A-Z][\w-]*(?: \([^)]*\))?)+/g)];
  const listed = lists.flatMap(([list]) => list.replace(/\([^)]*\)/g, "").split(/,| or /));
  return [...new Set([...quoted, ...listed].map((value) => value.trim()).filter(Boolean))];
}

function getShape(schema: JSONSchema7, description: string): RegExp | undefined {
  if (typeof schema.pattern === "string") return compile(schema.pattern);
  const sample = /(?:such as|like|e\.g\.|for example|example:)\s+([^\s,;)"“]+)/i
    .exec(description)?.[1]
    ?.replace(/[.…]+$/, "");
  return sample === undefined ? undefined : SHAPES.find((shape) => shape.test(sample));
}

function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}

function space(value: string): string {
  return value.replace(/[_-]+/g, " ");
}

const ISSUE_KEY = /^[A-Za-z][A-Za-z0-9_]*-\d+$/;

/** Looks of values, the most particular first. */
const SHAPES = [
  ISSUE_KEY,
  /^#?\d+$/,
  /^#[\p{L}\p{N}_-]+$/u,
  /^[^@\s]+@[^@\s]+\.\w+$/,
  /^https?:\S+$/,
  /^[A-Z][A-Z0-9_]+$/,
  /^[a-z0-9_.-]+\/[a-z0-9_.-]+$/i,
  /^[a-z0-9]+(?:[-_.][a-z0-9]+)+$/i,
];

const DATE = /^(since|until|before|after|due|start|end|from|date)\b|\bdate\b|ISO 8601/i;

const LINE = /\b(title|name|subject|summary|heading|one line|words?|find|replacement|query|qualifiers)\b/i;

const HEADING = /^(title|subject|summary|heading|name)$/;

const TEXT =
  /\b(text|words?|line|comment|message|body|content|markdown|title|summary|description|query|note|reason|subject)\b/i;
