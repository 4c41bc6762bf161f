import { type CompletedCall, type Item, listItems, toRecord } from "./memory.ts";
import { formatResults } from "./reply.ts";

/** Everything the calls of a turn brought. `more` was left out. */
type Found = { items: Item[]; data: Item[]; text: string; more: boolean };

/** A part of a JSON Schema with all references replaced, and the property that it is for. */
type Wanted = { schema: Item; root: Item; name: string; depth: number };

/**
 * A value for a JSON Schema from what some calls brought: properties by their names, lists from what was found. Nothing
 * is made up, so what does not follow from the results leaves no value.
 */
export function buildValue(root: Record<string, unknown>, results: CompletedCall[]): { value: unknown } | undefined {
  // What was too much to be handed over is not there.
  if (results.some(({ result }) => result?.truncated === true)) return undefined;
  const data = results.map(
    ({ result }): Item => ({ ...(result?.url ? { url: result.url } : {}), ...toRecord(result?.data) }),
  );
  const items = results.flatMap(({ result }) => listItems(result?.data));
  const found = { items, data, more: data.some(({ more }) => more === true), text: formatResults(results) };
  const value = fill(resolve({ schema: root, root, name: "", depth: 0 }), found);
  return value === undefined ? undefined : { value };
}

/** The value of a part: from all that was found, or from one `thing`. Undefined where there is none. */
function fill(wanted: Wanted, found: Found, ...thing: unknown[]): unknown {
  const { schema, name, depth } = wanted;
  if (depth > DEEPEST) return undefined;
  if ("const" in schema) return schema.const;
  const forms = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (forms) return forms.map((form) => fill(toPart(wanted, form, name), found, ...thing)).find(isSaid);
  for (const type of listTypes(schema)) {
    const value = fillType(type, wanted, found, thing);
    if (value !== undefined) return value;
  }
  return undefined;
}

function fillType(type: unknown, wanted: Wanted, found: Found, [one]: unknown[]): unknown {
  const { schema, name } = wanted;
  const all = one === undefined;
  if (type === "object") return fillObject(wanted, found, one);
  const near = all ? findNearest(name, [...found.data, ...(found.items.length === 1 ? found.items : [])]) : one;
  if (type === "array") {
    const things = Array.isArray(near) ? near : all ? found.items : undefined;
    const part = toPart(wanted, schema.items ?? {}, name);
    const isPlain = !listTypes(part.schema).some((each) => each === "object");
    const values = things?.map((each) => fill(part, found, (isPlain && findNearest(name, [toRecord(each)])) || each));
    return values?.every(isSaid) ? values : undefined;
  }
  if (near !== undefined && near !== "" && !(all && Array.isArray(near))) return toScalar(type, schema, near);
  if (!all) return undefined;
  if (type === "boolean")
    return /^(found|any|exists)?$/i.test(name) ? found.items.length > 0 : DONE.test(name) || undefined;
  if (type === "integer" || type === "number")
    return /^$|count|total|number|many/i.test(name) && !found.more ? found.items.length : undefined;
  return type === "string" && /^$|answer|text|summary|message/i.test(name) ? found.text : undefined;
}

function fillObject(wanted: Wanted, found: Found, thing: unknown): Item | undefined {
  const item = thing === undefined ? undefined : typeof thing === "object" ? toRecord(thing) : { name: thing };
  const { properties, required } = wanted.schema;
  if (properties === undefined) return item ?? found.data[0] ?? {};
  const filled: Item = {};
  for (const [name, given] of Object.entries(toRecord(properties))) {
    const part = toPart(wanted, given, name);
    const own = item && findNearest(name, [item]);
    const value = (item && own === undefined ? undefined : fill(part, found, own)) ?? part.schema.default;
    if (value !== undefined) filled[name] = value;
    else if (!Array.isArray(required) || !required.includes(name)) continue;
    else if ([part.schema.type].flat().includes("null")) filled[name] = null;
    else return undefined;
  }
  return filled;
}

function toScalar(type: unknown, { enum: values, format }: Item, from: unknown): unknown {
  const value = toPlain(from);
  if (Array.isArray(values)) return values.find((one) => joinWords(String(one)) === joinWords(String(value)));
  if (type === "string" && format) return toTime(format, String(value));
  if (type === "string") return typeof value === "object" || value === undefined ? undefined : String(value);
  if (type === "integer" || type === "number") {
    const number = Array.isArray(from)
      ? from.length
      : typeof value === "string" && value.trim()
        ? Number(value)
        : value;
    const isRight = type === "integer" ? Number.isInteger(number) : Number.isFinite(number);
    return isRight ? number : undefined;
  }
  return type === "boolean" && typeof value === "boolean" ? value : undefined;
}

function toTime(format: unknown, text: string): string | undefined {
  if (format !== "date" && format !== "date-time") return text;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  return format === "date" ? text.slice(0, 10) : new Date(time).toISOString();
}

/** An object by the name that it has for people, a list of words as one text. */
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain).join(", ");
  const item = toRecord(value);
  return value === item ? (item.name ?? item.title ?? item.email ?? item.key ?? item.id) : value;
}

function listTypes({ type, properties, items, enum: values }: Item): unknown[] {
  if (type !== undefined) return [type].flat().filter((one) => one !== "null");
  return [properties !== undefined ? "object" : items !== undefined ? "array" : values && "string"];
}

/** The value whose name is the wanted one, or means the same. */
function findNearest(name: string, things: Item[]): unknown {
  const entries = things.flatMap((thing) =>
    Object.entries(thing).flatMap(([key, value]): [string, unknown][] => [
      [joinWords(key), value],
      ...Object.entries(toRecord(value)).map(([inner, each]): [string, unknown] => [joinWords(key + inner), each]),
    ]),
  );
  const wanted = joinWords(name);
  const same = SAME.find((group) => group.some((one) => wanted === one || wanted.endsWith(`issue${one}`))) ?? [];
  for (const each of [wanted, ...same]) {
    const found = entries.find(([key, value]) => key === each && value !== null && value !== undefined);
    if (found) return found[1];
  }
  return undefined;
}

/** "issueKeys" and "issue_key" are the same name. */
function joinWords(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/(?<=[^s])s$/, "");
}

function toPart({ root, depth }: Wanted, given: unknown, name: string): Wanted {
  return resolve({ schema: toRecord(given), root, name, depth: depth + 1 });
}

function resolve(wanted: Wanted): Wanted {
  const { schema, root, depth } = wanted;
  const path = /^#\/?(.*)$/.exec(String(schema.$ref ?? ""))?.[1];
  if (path === undefined || depth > DEEPEST) return wanted;
  const target = path
    .split("/")
    .filter(Boolean)
    .reduce<unknown>((at, step) => toRecord(at)[step], root);
  return resolve({ ...wanted, schema: toRecord(target), depth: depth + 1 });
}

function isSaid(value: unknown): boolean {
  return value !== undefined;
}

/** Names of the same thing in different services, without a plural's `s`. */
const SAME = [
  ["key", "id", "number"],
  ["title", "summary", "subject", "name"],
  ["url", "link"],
  ["statu", "status", "state", "stage"],
  ["type", "kind"],
  ["author", "creator", "reporter", "from", "sender"],
  ["body", "description", "text", "content", "message"],
  ["updated", "modified"],
  ["label", "tag"],
  ["count", "total"],
];
const DONE = /^(ok|success|done|completed|created|sent|updated)$/i;
const DEEPEST = 24;
