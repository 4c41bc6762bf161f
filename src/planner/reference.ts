import type { Skill } from "./catalogue.ts";
import type { Clause, Value } from "./clauses.ts";
import { isNoun } from "./field-words.ts";

import { type Field, isFieldWord } from "./fields.ts";
import { ORDINALS, PERSON_PRONOUNS, PRONOUNS } from "./grammar.ts";
import { getFieldValue, getService, type Memory } from "./memory.ts";
import type { Phrase } from "./phrase.ts";

/** The values that words such as "it", "the second one" or "both" stand for, if the conversation has them. */
export function resolveReference(
  clause: Clause,
  service: string,
  field: Field,
  from: number,
  to: number,
): Value[] | undefined {
  const { words, memory } = clause;
  if (field.kind === "text" || field.kind === "date" || field.kind === "boolean") return undefined;
  const span = words.slice(from, to).filter(({ lower }) => lower !== "the" && lower !== "of");
  const [head, next, more] = span;
  if (head === undefined || more !== undefined) return undefined;
  if (field.person && next === undefined && PERSON_PRONOUNS.has(head.lower)) return listPeople(memory);
  if (next !== undefined && !ONES.has(next.lower) && !isFieldWord(field, next)) return undefined;
  if (isElsewhere(service, memory))
    return memory.passed && resolveReference({ ...clause, memory: memory.passed }, service, field, from, to);
  const values = memory.items.flatMap((item) => getFieldValue(item, field) ?? []);
  const ordinal = ORDINALS.get(head.lower);
  if (ordinal !== undefined) {
    const value = values.at(ordinal);
    return value === undefined ? undefined : [value];
  }
  if (!PRONOUNS.has(head.lower) || (next !== undefined && head.lower !== "this" && head.lower !== "that"))
    return undefined;
  const [asked, before] = memory.asked.map(({ input }) => input[field.name]);
  // "Show KAY-3", "and KAY-4": both are these.
  if (head.lower === "both" && values.length < 2 && isValue(asked) && isValue(before)) return [before, asked];
  if (PLURALS.has(head.lower)) return values.length > 1 && values.length <= MOST ? values : undefined;
  const whole = isValue(asked) ? [asked] : undefined;
  // "Add milk to it" after a list of tasks is about the list.
  const isList = values.length > 0 && memory.items[0] !== memory.result?.data;
  if (values.length === 1 && !(isList && whole)) return values;
  return values.length === 0 || isList ? whole : undefined;
}

function isValue(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** "It", "the second one", "the ticket": what was said before, or nothing yet. */
export function readReference(skill: Skill, field: Field, clause: Clause, at: number): Phrase[] {
  const { words } = clause;
  // "Open the second one" looks at it, and is no value to filter others by.
  if (skill.access === "read" && !field.required) return [];
  const phrases: Phrase[] = [];
  const [last] = clause.memory.asked;
  const isSameService = last !== undefined && getService(last.tool) === skill.service;
  const base = { field, from: at, particular: isSameService };
  for (let to = at + 1; to <= Math.min(words.length, at + 4); to++) {
    const referred = resolveReference(clause, skill.service, field, at, to);
    if (referred)
      phrases.push({ ...base, to, value: referred.length === 1 ? referred[0] : referred, quality: 1, refers: true });
  }
  if (phrases.length > 0 || !field.required) return phrases;
  const first = words[at];
  if (
    first &&
    ((PRONOUNS.has(first.lower) && first.lower !== "that") || (field.person && PERSON_PRONOUNS.has(first.lower)))
  )
    phrases.push({ ...base, to: at + 1, value: undefined, quality: 0.4, refers: isSameService });
  const noun = words[at + 1];
  if (
    first &&
    ["the", "this", "that", "my"].includes(first.lower) &&
    noun &&
    (isFieldWord(field, noun) || isNoun(skill, noun))
  )
    phrases.push({ ...base, to: at + 2, value: undefined, quality: 0.5, particular: true });
  return phrases;
}

/** Whether what was found last is of another service, or of another family of them: a file of Drive can be a document. */
function isElsewhere(service: string, { asked: [last] }: Memory): boolean {
  const family = (name: string) => getService(name).split("-")[0];
  return last !== undefined && family(last.tool) !== family(service);
}

/** The one person that the last result is about. */
function listPeople({ items }: Memory): Value[] | undefined {
  const [item, ...others] = items;
  if (item === undefined || others.length > 0) return undefined;
  // The result is the person.
  if (typeof item.email === "string" && item.email !== "") return [item.email];
  const names = PEOPLE.map((name) => item[name]).filter((value) => typeof value === "string" && value !== "");
  return new Set(names).size === 1 ? [names[0] as string] : undefined;
}

const PEOPLE = ["reporter", "assignee", "author", "sender", "from", "owner", "creator", "organizer"];

const ONES = new Set(["one", "ones"]);

const PLURALS = new Set(["them", "these", "those", "both"]);

/** "Them" stands for at most so many things; more have to be named. */
const MOST = 5;
