import { type CompletedCall, type Item, listItems, toRecord } from "./memory.ts";
import { formatResults } from "./reply.ts";
import { asksForCount, asksForText, getQuestionKind, scoreNearness, splitName } from "./value-names.ts";
import { matchStage, toBooleanValue, toEnumValue, toNumberValue, toStringValue } from "./value-scalar.ts";
import { getType, isNullable, resolvePart, type SchemaNode, tryForms } from "./value-schema.ts";

/** Everything the calls of a turn brought. `more` was left out. */
type Found = { items: Item[]; data: Item[]; text: string; more: boolean };

/**
 * A value for a JSON Schema from what some calls brought: properties by their names, lists from what was found. Nothing is made up, so what
 * does not follow from the results leaves no value.
 */
export function buildValue(root: Record<string, unknown>, results: CompletedCall[]): { value: unknown } | undefined {
  // What was too much to be handed over is not there.
  if (results.some(({ result }) => result?.truncated === true)) return undefined;
  const data = results.map(
    ({ result }): Item => ({
      ...(result?.url ? { url: result.url } : {}),
      ...toRecord(result?.data),
    }),
  );
  const items = results.flatMap(({ result }) => listItems(result?.data));
  const found = { items, data, more: data.some(({ more }) => more === true), text: formatResults(results) };
  const value = fromAll(resolvePart({ schema: root, root, depth: -1 }, root), found, "");
  return value === undefined ? undefined : { value };
}

/** From all that was found; `name` is that of the property it is for. Undefined, here and below, where there is no value. */
function fromAll(part: SchemaNode, found: Found, name: string): unknown {
  return tryForms(part, (wanted, type) => {
    if (type === "array") return list(wanted, listNamed(name, found), name);
    if (type === "object") return fields(wanted, (key, sub) => fromAll(sub, found, key), found.data[0] ?? {});
    const near = name && nearestValue(name, [...found.data, ...(found.items.length === 1 ? found.items : [])]);
    if (near !== "" && near !== undefined && !Array.isArray(near)) return scalar(wanted, type, near, name);
    if (type === "integer" || type === "number")
      return (name === "" || asksForCount(name)) && !found.more ? found.items.length : undefined;
    if (type === "boolean") return answerTo(name, found);
    return type === "string" && (name === "" || asksForText(name)) ? scalar(wanted, type, found.text, name) : undefined;
  });
}

function answerTo(name: string, { items }: Found): boolean | undefined {
  const question = name === "" ? "found" : getQuestionKind(name);
  return question === "found" ? items.length > 0 : question === "done" ? true : undefined;
}

/** From one thing. */
function fromOne(part: SchemaNode, from: unknown, name: string): unknown {
  return tryForms(part, (wanted, type) => {
    if (type === "array") return list(wanted, Array.isArray(from) ? from : undefined, name);
    if (type !== "object") return scalar(wanted, type, from, name);
    const item = typeof from === "object" ? toRecord(from) : { name: from };
    return fields(wanted, (key, sub) => fromOne(sub, getField(key, sub, item), key), item);
  });
}

/** A thing's own field, or what its state says. */
function getField(name: string, wanted: SchemaNode, item: Item): unknown {
  const own = nearestValue(name, [item]);
  if (own !== undefined) return own;
  return getType(wanted) === "boolean" ? matchStage(name, nearestValue("status", [item])) : undefined;
}

function fields(wanted: SchemaNode, make: (name: string, part: SchemaNode) => unknown, all: Item): Item | undefined {
  const { properties, required = [] } = wanted.schema as { properties?: Item; required?: string[] };
  if (properties === undefined) return all;
  const made: [string, unknown][] = [];
  for (const [name, given] of Object.entries(properties)) {
    const part = resolvePart(wanted, given);
    const value = make(name, part) ?? part.schema.default;
    if (value !== undefined) made.push([name, value]);
    else if (required.includes(name) && !isNullable(part)) return undefined;
    else if (required.includes(name)) made.push([name, null]);
  }
  return Object.fromEntries(made);
}

/** Things as they are wanted; of a list of texts or numbers, the field that the list is named for. */
function list(wanted: SchemaNode, things: unknown[] | undefined, name: string): unknown[] | undefined {
  const { items } = wanted.schema;
  if (things === undefined || items === undefined || items === true) return things;
  const part = resolvePart(wanted, items);
  const isPlain = !["object", "array"].includes(getType(part) ?? "");
  const made = things.map((thing) => {
    const own = isPlain ? nearestValue(splitName(name).join("_"), [toRecord(thing)]) : undefined;
    return fromOne(part, own ?? thing, name);
  });
  return made.includes(undefined) ? undefined : made;
}

function scalar({ schema }: SchemaNode, type: string, from: unknown, name: string): unknown {
  if (Array.isArray(schema.enum)) return toEnumValue(schema.enum, from);
  if (type === "string") return toStringValue(from, schema.format);
  if (type === "boolean") return toBooleanValue(from) ?? matchStage(name, from);
  if (type === "integer" || type === "number") return toNumberValue(from, type === "integer");
  return type === "null" ? (from === null ? null : undefined) : from;
}

/** The list that a name means: one of the data's own, or what was found. */
function listNamed(name: string, { data, items }: Found): unknown[] {
  const near = name ? nearestValue(name, data) : undefined;
  return Array.isArray(near) ? near : items;
}

/** The value whose name is nearest, in some things and what is right in them. */
function nearestValue(name: string, things: Item[]): unknown {
  const values = things.flatMap(getEntries).filter(([, value]) => value !== null && value !== undefined);
  const scored = values
    .map(([key, value]) => ({ value, score: scoreNearness(name, key) }))
    .filter(({ score }) => score > 0);
  return scored.toSorted((a, b) => b.score - a.score)[0]?.value;
}

function getEntries(thing: Item): [string, unknown][] {
  return Object.entries(thing).flatMap(([key, value]): [string, unknown][] => [
    [key, value],
    ...Object.entries(toRecord(value)).map(([inner, each]): [string, unknown] => [`${key}_${inner}`, each]),
  ]);
}
