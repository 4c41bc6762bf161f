import type { Clause, Value } from "./clauses.ts";

import { type Field, isFieldWord } from "./fields.ts";
import { ORDINALS, PERSON_PRONOUNS, PRONOUNS } from "./grammar.ts";
import { getFieldValue, type Memory } from "./memory.ts";

/** The values that words such as "it", "the second one" or "both" stand for, if the conversation has them. */
export function resolveReference(
  { words, memory }: Clause,
  service: string,
  field: Field,
  from: number,
  to: number,
): Value[] | undefined {
  if (field.kind === "text" || field.kind === "date" || field.kind === "boolean") return undefined;
  const span = words.slice(from, to).filter(({ lower }) => lower !== "the" && lower !== "of");
  const [head, next, more] = span;
  if (head === undefined || more !== undefined) return undefined;
  if (field.person && next === undefined && PERSON_PRONOUNS.has(head.lower)) return listPeople(memory);
  if (next !== undefined && !ONES.has(next.lower) && !isFieldWord(field, next)) return undefined;
  if (isElsewhere(service, memory)) return undefined;
  const values = memory.items.flatMap((item) => getFieldValue(item, field) ?? []);
  const ordinal = ORDINALS.get(head.lower);
  if (ordinal !== undefined) {
    const value = values.at(ordinal);
    return value === undefined ? undefined : [value];
  }
  if (!PRONOUNS.has(head.lower) || (next !== undefined && head.lower !== "this" && head.lower !== "that"))
    return undefined;
  if (PLURALS.has(head.lower)) return values.length > 1 && values.length <= MOST ? values : undefined;
  if (values.length === 1) return values;
  const asked = memory.asked[0]?.input[field.name];
  return values.length === 0 && (typeof asked === "string" || typeof asked === "number") ? [asked] : undefined;
}

/** Whether what was found last is of another service, or of another family of them: a file of Drive can be a document. */
function isElsewhere(service: string, { asked: [last] }: Memory): boolean {
  const family = (name: string) => name.split(/__|[.-]/)[0];
  return last !== undefined && family(last.tool) !== family(service);
}

/** The one person that the last result is about. */
function listPeople({ items }: Memory): Value[] | undefined {
  const [item, ...others] = items;
  if (item === undefined || others.length > 0) return undefined;
  const names = PEOPLE.map((name) => item[name]).filter((value) => typeof value === "string" && value !== "");
  return new Set(names).size === 1 ? [names[0] as string] : undefined;
}

const PEOPLE = ["reporter", "assignee", "author", "sender", "from", "owner", "creator", "organizer"];

const ONES = new Set(["one", "ones"]);

const PLURALS = new Set(["them", "these", "those", "both"]);

/** "Them" stands for at most so many things; more have to be named. */
const MOST = 5;
