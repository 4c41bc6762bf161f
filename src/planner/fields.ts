import type { JSONSchema7 } from "@ai-sdk/provider";
import { RE2JS } from "re2js";
import type { Language, Word } from "./language.ts";
import { isSameNoun } from "./lexicon.ts";

/** Tells values of one look: a regular expression, or a pattern of a schema. */
type Shape = { test(text: string): boolean };

/** An input field of a tool, as far as its JSON Schema and description tell. */
export type Field = {
  name: string;
  required: boolean;
  kind: "key" | "number" | "boolean" | "date" | "text" | "name" | "object";
  /** Known values with the words they are recognised by; open unless the schema has an `enum`. */
  values: { value: string; words: Word[] }[];
  closed: boolean;
  /** Names a user. */
  person: boolean;
  /** Takes a list of such values. */
  list: boolean;
  /** What an accepted value looks like, from the schema's pattern or from the sample in the description. */
  shape?: Shape;
  /** The look is its alone: an address, a channel, a range of cells. */
  particular: boolean;
  /** Takes nothing but values of this look. */
  strict: boolean;
  description: string;
  /** The name as words, as people would say it. */
  words: Word[];
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

/** Whether a word is the field's own name, or means the same: the "doc" of a `document`, the "assigned" of an `assignee`. */
export function isFieldWord(field: Field, word: Word | undefined): boolean {
  if (word === undefined || word.kind !== "word") return false;
  const [head] = field.words.slice(-1);
  if (head === undefined) return false;
  if (word.lower === field.name.toLowerCase() || isSameNoun(head, word)) return true;
  return field.words.some(
    (one) => one.lower.length >= 5 && word.lower.length >= 5 && one.lower.slice(0, 5) === word.lower.slice(0, 5),
  );
}

/** The fields of a tool's input. */
export function listFields(schema: JSONSchema7, language: Language): Field[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    isSchema(property) && !QUERY_LANGUAGE.test(name) && !isTable(property)
      ? [getField(name, property, required.has(name), language)]
      : [],
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
  return {
    name,
    required,
    kind: getKind(name, schema, description, shape, values.length > 0),
    values,
    closed: listed.length > 0,
    list,
    person: /\b(person|people|user|somebody|someone|login|e-?mail)\b/i.test(description),
    ...(shape ? { shape } : {}),
    particular: shape !== undefined && !ORDINARY.some((word) => shape.test(word)),
    strict:
      typeof schema.pattern === "string" ||
      [CELLS, FILE_NAME].some((look) => shape === look) ||
      (shape === ADDRESS && !/\bname\b/i.test(description)),
    description,
    words: language.read(space(name)),
    ...(property.default !== undefined ? { initial: property.default } : {}),
  };
}

/** Rows of cells, which no one says in a sentence. */
function isTable({ items }: JSONSchema7): boolean {
  return isSchema(items) && items.type === "array";
}

function isSchema(value: unknown): value is JSONSchema7 {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function getKind(
  name: string,
  schema: JSONSchema7,
  description: string,
  shape: Shape | undefined,
  hasValues: boolean,
): Field["kind"] {
  if (schema.type === "object") return "object";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean") return "boolean";
  if (String(schema.format ?? "").startsWith("date") || DATE.test(space(`${name}. ${description}`))) return "date";
  if (shape === ISSUE_KEY) return "key";
  if (hasValues || shape || NAMING.test(description)) return "name";
  return TEXT.test(`${name} ${description}`) ? "text" : "name";
}

/** Values that a description names: whatever it quotes, and lists of capitalised words ("Bug, Task, Story"). */
function valuesIn(description: string): string[] {
  // A sample in small letters is one of any number.
  const closed = description.replace(/(?:such as|like|e\.g\.) ["“]\p{Ll}[^"“”]*["”]/gu, "");
  const quoted = [...closed.matchAll(/["“]([^"“”]+)["”]/g)].map((match) => match[1] ?? "");
  const rest = description.replace(/["“][^"“”]+["”]/g, "");
  const lists = [
    ...rest.matchAll(/(?<![\w-])[A-Z][\w-]*(?: \([^()]*\))?(?:(?:, | or |, or )[A-Z][\w-]*(?: \([^()]*\))?)+/g),
  ];
  const listed = lists.flatMap(([list]) => list.replace(/\([^()]*\)/g, "").split(/,| or /));
  return [...new Set([...quoted, ...listed].map((value) => value.trim()).filter(Boolean))];
}

function getShape(schema: JSONSchema7, description: string): Shape | undefined {
  if (typeof schema.pattern === "string") return compile(schema.pattern);
  const sample = /(?:such as|like|e\.g\.|for example|example:)\s+([^\s,;)"“]+)/i
    .exec(description)?.[1]
    ?.replace(/(?<![.…])[.…]+$/, "");
  return sample === undefined ? undefined : SHAPES.find((shape) => shape.test(sample));
}

/** Compiles a pattern of a schema, which a stranger may have written, with an engine that takes linear time. */
function compile(pattern: string): Shape | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return undefined;
  }
}

function space(value: string): string {
  return value.replace(/[_-]+|(?<=[a-z])(?=[A-Z])/g, " ");
}

const ISSUE_KEY = /^[A-Za-z][A-Za-z0-9_]*-\d+$/;
const CELLS = /^[A-Z]{1,3}\d{1,6}(?::[A-Z]{1,3}\d{1,6})?$/i;
const CHANNEL = /^#[\p{L}\p{N}_-]+$/u;
const ADDRESS = /^[^@\s]+@[^@\s]+\.\w+$/;
const FILE_NAME = /^[^\s@#/]+\.[a-z]\w{1,4}$/i;
const LINK = /^(?:https?|urn):\S+$/;

/** Looks of values, the most particular first. */
const SHAPES = [
  ISSUE_KEY,
  CELLS,
  /^#?\d+$/,
  CHANNEL,
  ADDRESS,
  LINK,
  FILE_NAME,
  /^[A-Z][A-Z0-9_]+$/,
  /^[a-z0-9_.-]+\/[a-z0-9_.-]+$/i,
  /^[a-z0-9]+(?:[-_.][a-z0-9]+)+$/i,
];

/** A look that none of these has says what it is. */
const ORDINARY = ["word", "Word", "WORD", "12", "two-words"];

/** A field for a query language, which no plain request has. */
const QUERY_LANGUAGE = /ql$/;

const DATE = /^(since|until|before|after|due|date)\b|\bdate\b|\bISO 8601\b|\bsuch as \d{4}.\d\d.\d\d/i;

/** Says which one, rather than what to write. */
const NAMING = /^(title|name|id)\b.*\b(id|url)\b|^id of /i;

const LINE = /\b(title|name|subject|summary|heading|one line|words?|find|replacement|query|qualifiers)\b/i;

const HEADING = /^(title|subject|summary|heading|name)$/;

const TEXT =
  /\b(text|words?|line|comment|message|body|content|markdown|title|summary|description|query|note|reason|subject)\b/i;
