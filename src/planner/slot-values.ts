import type { Skill } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { isNoun } from "./field-words.ts";
import { type Field, isFieldWord } from "./fields.ts";
import { PERSON_PRONOUNS, PRONOUNS } from "./grammar.ts";
import { readNames } from "./names.ts";
import type { Phrase } from "./phrase.ts";
import { resolveReference } from "./reference.ts";
import { readText, type SlotValue } from "./texts.ts";

/** Lists what a slot may take. */
export function readSlot(skill: Skill, field: Field, clause: Clause, at: number, phrases: Phrase[]): SlotValue[] {
  const own = phrases
    .filter((phrase) => phrase.field === field && phrase.from === at && phrase.also === undefined)
    .map(({ to, value, particular }) => ({
      to,
      value,
      quality: 1,
      particular: particular || field.kind === "date",
      own: true,
    }));
  const found = [...own, ...readReference(skill, field, clause, at)];
  if (["key", "number", "date", "boolean", "object"].includes(field.kind)) return found;
  if (field.closed) return found;
  return [
    ...found,
    ...(field.kind === "text" ? readText(skill, field, clause, at) : readNames(skill, field, clause, at)),
  ];
}

/** "It", "the second one", "the ticket": what was said before, or nothing yet. */
function readReference(skill: Skill, field: Field, clause: Clause, at: number): SlotValue[] {
  const { words } = clause;
  const found: SlotValue[] = [];
  for (let to = at + 1; to <= Math.min(words.length, at + 4); to++) {
    const referred = resolveReference(clause, skill.service, field, at, to);
    if (referred)
      found.push({ to, value: referred.length === 1 ? referred[0] : referred, quality: 1, particular: false });
  }
  if (found.length > 0 || !field.required) return found;
  const first = words[at];
  if (
    first &&
    ((PRONOUNS.has(first.lower) && first.lower !== "that") || (field.person && PERSON_PRONOUNS.has(first.lower)))
  )
    found.push({ to: at + 1, value: undefined, quality: 0.4, particular: false });
  const noun = words[at + 1];
  if (
    first &&
    ["the", "this", "that", "my"].includes(first.lower) &&
    noun &&
    (isFieldWord(field, noun) || isNoun(skill, noun))
  )
    found.push({ to: at + 2, value: undefined, quality: 0.5, particular: true });
  return found;
}
