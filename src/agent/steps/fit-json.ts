import type { JSONValue } from "ai";

/** A value that fits, and a sentence about what was left out, if anything was. */
type Fitted = { value: JSONValue; leftOut?: string };

/**
 * Shortens a JSON value to about `limit` characters: first whole entries of its longest lists, then the ends of its
 * longest texts, so that it stays valid and no record is cut in the middle while others fit.
 */
export function fitJson(value: JSONValue, limit: number): Fitted {
  if (measure(value) <= limit) return { value };
  const copy = structuredClone({ value }) as { value: JSONValue };
  const notes = new Map<string, string>();
  /** Original lengths of the shortened lists. */
  const totals = new Map<JSONValue[], number>();
  for (let round = 0; round < MAX_ROUNDS && measure(copy.value) > limit; round++) {
    const excess = measure(copy.value) - limit;
    const list = findLargest(copy, (entry): entry is JSONValue[] => Array.isArray(entry) && entry.length > 1);
    if (list && list.size > limit / 4) {
      const total = totals.get(list.item) ?? list.item.length;
      totals.set(list.item, total);
      dropEntries(list.item, excess);
      dropCursors(copy.value);
      notes.set(list.name, `${total - list.item.length} of ${total} ${list.name === "value" ? "entries" : list.name}`);
      continue;
    }
    const text = findLargest(copy, (entry): entry is string => typeof entry === "string" && entry.length > SHORT_TEXT);
    if (!text) break;
    text.set(fitText(text.item, Math.max(SHORT_TEXT / 2, text.item.length - excess - NOTE_LENGTH)));
    notes.set(text.name, `the end of ${text.name === "value" ? "the text" : text.name}`);
  }
  return { value: copy.value, leftOut: `Left out: ${[...notes.values()].join("; ")}. ${MORE_HINT}` };
}

/** Shortens a text to about `limit` characters, at the end of a line if there is one near. */
export function fitText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const line = text.lastIndexOf("\n", limit);
  // A cut must not leave half of a surrogate pair.
  const head = text.slice(0, line > limit / 2 ? line : limit).replace(/[\uD800-\uDBFF]$/, "");
  return `${head}\n… (${text.length - head.length} more characters)`;
}

const MORE_HINT = "Call again with a narrower filter, or a smaller limit and then its next_cursor, to see it.";

function dropEntries(list: JSONValue[], excess: number): void {
  let freed = 0;
  while (list.length > 1 && freed < excess) freed += measure(list.pop() ?? null) + 1;
}

/** The cursor of a list that was cut would continue after the entries that were left out. */
function dropCursors(value: JSONValue): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const fields = value as Record<string, JSONValue>;
  delete fields.next_cursor;
  dropCursors(fields.data ?? null);
}

type Found<T> = { item: T; size: number; name: string; set(value: JSONValue): void };

function findLargest<T extends JSONValue>(
  root: JSONValue,
  isMatch: (value: JSONValue) => value is T,
): Found<T> | undefined {
  let largest: Found<T> | undefined;
  const visit = (parent: Record<string, JSONValue> | JSONValue[], name: string): void => {
    for (const [key, value] of Object.entries(parent) as [string, JSONValue][]) {
      const label = Array.isArray(parent) ? name : key;
      const size = typeof value === "object" || typeof value === "string" ? measure(value) : 0;
      if (isMatch(value) && size > (largest?.size ?? 0))
        largest = { item: value, size, name: label, set: (next) => void Object.assign(parent, { [key]: next }) };
      if (typeof value === "object" && value !== null) visit(value as Record<string, JSONValue>, label);
    }
  };
  visit(root as Record<string, JSONValue>, "value");
  return largest;
}

function measure(value: JSONValue): number {
  return JSON.stringify(value)?.length ?? 0;
}

const MAX_ROUNDS = 40;

/** Texts up to this length are left whole. */
const SHORT_TEXT = 200;

const NOTE_LENGTH = 40;
