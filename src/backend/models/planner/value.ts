import { type Done, type Item, itemsOf, record } from "./memory.ts";
import { resultText } from "./reply.ts";
import { isCount, isWords, nearness, questionOf, wordsOf } from "./value-names.ts";
import { asBoolean, asNumber, asOneOf, asString, isInStage } from "./value-scalar.ts";
import { firstForm, isNullable, partOf, typeOf, type Wanted } from "./value-schema.ts";

/** Everything the calls of a turn brought. `more` was left out. */
type Found = { items: Item[]; data: Item[]; text: string; more: boolean };

/**
 * A value for a JSON Schema from what some calls brought: properties by their names, lists from what was found. Nothing is made up, so what
 * does not follow from the results leaves no value.
 */
export function valueFor(root: Record<string, unknown>, results: Done[]): { value: unknown } | undefined {
  // What was too much to be handed over is not there.
  if (results.some(({ result }) => result?.truncated === true)) return undefined;
  const data = results.map(
    ({ result }): Item => ({
      ...(result?.url ? { url: result.url } : {}),
      ...record(result?.data),
    }),
  );
  const items = results.flatMap(({ result }) => itemsOf(result?.data));
  const found = { items, data, more: data.some(({ more }) => more === true), text: resultText(results) };
  const value = fromAll(partOf({ schema: root, root, depth: -1 }, root), found, "");
  return value === undefined ? undefined : { value };
}

/** From all that was found; `name` is that of the property it is for. Undefined, here and below, where there is no value. */
function fromAll(part: Wanted, found: Found, name: string): unknown {
  return firstForm(part, (wanted, type) => {
    if (type === "array") return list(wanted, listNamed(name, found), name);
    if (type === "object") return fields(wanted, (key, sub) => fromAll(sub, found, key), found.data[0] ?? {});
    const near = name && nearestValue(name, [...found.data, ...(found.items.length === 1 ? found.items : [])]);
    if (near !== "" && near !== undefined && !Array.isArray(near)) return scalar(wanted, type, near, name);
    if (type === "integer" || type === "number")
      return (name === "" || isCount(name)) && !found.more ? found.items.length : undefined;
    if (type === "boolean") return answerTo(name, found);
    return type === "string" && (name === "" || isWords(name)) ? scalar(wanted, type, found.text, name) : undefined;
  });
}

function answerTo(name: string, { items }: Found): boolean | undefined {
  const question = name === "" ? "found" : questionOf(name);
  return question === "found" ? items.length > 0 : question === "done" ? true : undefined;
}

/** From one thing. */
function fromOne(part: Wanted, from: unknown, name: string): unknown {
  return firstForm(part, (wanted, type) => {
    if (type === "array") return list(wanted, Array.isArray(from) ? from : undefined, name);
    if (type !== "object") return scalar(wanted, type, from, name);
    const item = typeof from === "object" ? record(from) : { name: from };
    return fields(wanted, (key, sub) => fromOne(sub, fieldOf(key, sub, item), key), item);
  });
}

/** A thing's own field, or what its state says. */
function fieldOf(name: string, wanted: Wanted, item: Item): unknown {
  const own = nearestValue(name, [item]);
  if (own !== undefined) return own;
  return typeOf(wanted) === "boolean" ? isInStage(name, nearestValue("status", [item])) : undefined;
}

function fields(wanted: Wanted, make: (name: string, part: Wanted) => unknown, all: Item): Item | undefined {
  const { properties, required = [] } = wanted.schema as { properties?: Item; required?: string[] };
  if (properties === undefined) return all;
  const made: [string, unknown][] = [];
  for (const [name, given] of Object.entries(properties)) {
    const part = partOf(wanted, given);
    const value = make(name, part) ?? part.schema.default;
    if (value !== undefined) made.push([name, value]);
    else if (required.includes(name) && !isNullable(part)) return undefined;
    else if (required.includes(name)) made.push([name, null]);
  }
  return Object.fromEntries(made);
}

/** Things as they are wanted; of a list of texts or numbers, the field that the list is named for. */
function list(wanted: Wanted, things: unknown[] | undefined, name: string): unknown[] | undefined {
  const { items } = wanted.schema;
  if (things === undefined || items === undefined || items === true) return things;
  const part = partOf(wanted, items);
  const isPlain = !["object", "array"].includes(typeOf(part) ?? "");
  const made = things.map((thing) => {
    const own = isPlain ? nearestValue(wordsOf(name).join("_"), [record(thing)]) : undefined;
    return fromOne(part, own ?? thing, name);
  });
  return made.includes(undefined) ? undefined : made;
}

function scalar({ schema }: Wanted, type: string, from: unknown, name: string): unknown {
  if (Array.isArray(schema.enum)) return asOneOf(schema.enum, from);
  if (type === "string") return asString(from, schema.format);
  if (type === "boolean") return asBoolean(from) ?? isInStage(name, from);
  if (type === "integer" || type === "number") return asNumber(from, type === "integer");
  return type === "null" ? (from === null ? null : undefined) : from;
}

/** The list that a name means: one of the data's own, or what was found. */
function listNamed(name: string, { data, items }: Found): unknown[] {
  const near = name ? nearestValue(name, data) : undefined;
  return Array.isArray(near) ? near : items;
}

/** The value whose name is nearest, in some things and what is right in them. */
function nearestValue(name: string, things: Item[]): unknown {
  const values = things.flatMap(entriesOf).filter(([, value]) => value !== null && value !== undefined);
  const scored = values.map(([key, value]) => ({ value, score: nearness(name, key) })).filter(({ score }) => score > 0);
  return scored.toSorted((a, b) => b.score - a.score)[0]?.value;
}

function entriesOf(thing: Item): [string, unknown][] {
  return Object.entries(thing).flatMap(([key, value]): [string, unknown][] => [
    [key, value],
    ...Object.entries(record(value)).map(([inner, each]): [string, unknown] => [`${key}_${inner}`, each]),
  ]);
}
