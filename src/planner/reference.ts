import type { Clause, Value } from "./clauses.ts";
import type { Field } from "./fields.ts";
import { ORDINALS, PRONOUNS } from "./grammar.ts";
import { getFieldValue } from "./memory.ts";
import { findKey } from "./value-scores.ts";

/** The values that words such as "it", "the second one" or "both" stand for, if the conversation has them. */
export function resolveReference(
  { words, memory }: Clause,
  field: Field,
  from: number,
  to: number,
): Value[] | undefined {
  if (field.kind === "text" || field.kind === "date" || field.kind === "boolean") return undefined;
  const span = words.slice(from, to).filter(({ lower }) => lower !== "the" && lower !== "of");
  const [head, next] = span;
  if (head === undefined || (span.length === to - from && PRONOUNS.has(head.lower) && span.length > 2))
    return undefined;
  const values = memory.items.flatMap((item) => getFieldValue(item, field) ?? []);
  const ordinal = ORDINALS.get(head.lower);
  if (ordinal !== undefined && span.length <= 2 && (next === undefined || next.kind === "word")) {
    const value = values.at(ordinal);
    return value === undefined ? undefined : [value];
  }
  if (
    !PRONOUNS.has(head.lower) ||
    span.length > 2 ||
    (next !== undefined && (next.stop || next.kind !== "word" || findKey(next, field)))
  )
    return undefined;
  if (next !== undefined && head.lower !== "this" && head.lower !== "that") return undefined;
  if (PLURALS.has(head.lower)) return values.length > 1 && values.length <= MOST ? values : undefined;
  if (values.length === 1) return values;
  const asked = memory.asked[0]?.input[field.name];
  return values.length === 0 && (typeof asked === "string" || typeof asked === "number") ? [asked] : undefined;
}

const PLURALS = new Set(["them", "these", "those", "both"]);

/** "Them" stands for at most so many things; more have to be named. */
const MOST = 5;
