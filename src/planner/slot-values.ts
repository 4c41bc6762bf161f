import type { Skill } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { findKnownValue, isNoun, listNameEnds } from "./field-words.ts";
import { type Field, isFieldWord } from "./fields.ts";
import { PERSON_PRONOUNS, POSSESSIVES, PRONOUNS, QUESTION_WORDS } from "./grammar.ts";
import { isVerb } from "./lexicon.ts";
import type { Phrase } from "./phrase.ts";
import { readName } from "./phrases.ts";
import { resolveReference } from "./reference.ts";
import { readText, type SlotValue } from "./slot-texts.ts";

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

function readNames(skill: Skill, field: Field, clause: Clause, at: number): SlotValue[] {
  const { words } = clause;
  let from = at;
  if (["the", "my", "our"].includes(words[from]?.lower ?? "")) from++;
  if (isFieldWord(field, words[from]) && words[from + 1]?.kind !== "mark") from++;
  const first = words[from];
  if (first === undefined) return [];
  if (POSSESSIVES.has(first.lower) || QUESTION_WORDS.has(first.lower)) return [];
  if (
    first.kind === "word" &&
    ((isVerb(first) && first.text === first.lower) || (first.text.includes("@") && !field.person && !field.shape))
  )
    return [];
  return listNameEnds(skill, field, words, from).flatMap(({ to, quality }): SlotValue[] => {
    const span = words.slice(from, to);
    const known = findKnownValue(field, span, !SELF.has(first.lower));
    const said = known ?? readName(field, clause, from, to);
    // "Dm tom": a person, where the field takes channels too.
    const isPerson = at === 1 && skill.access !== "read" && field.person && field.shape?.test("#general") === true;
    const value = isPerson && typeof said === "string" && /^\p{L}+$/u.test(said) ? `@${said}` : said;
    if (value === undefined) return [];
    // A word that only says what kind of thing it is names none of them.
    const generic =
      span.length === 1 &&
      first.kind === "word" &&
      known === undefined &&
      /^\p{Ll}/u.test(first.text) &&
      (isNoun(skill, first) || isFieldWord(field, first));
    if (generic) return [];
    const colon = words[from - 1]?.text === ":";
    if (colon && first.kind === "literal" && field.shape && !field.shape.test(first.text)) return [];
    const particular = field.shape?.test(first.text) === true || known !== undefined;
    const noun = words[to];
    const isOthers = skill.fields.some((other) => other !== field && isFieldWord(other, noun));
    const trailing =
      isFieldWord(field, noun) || (noun !== undefined && isNoun(skill, noun) && from > at && !isOthers) ? [to + 1] : [];
    const weigh = quality * (first.kind === "literal" ? 0.95 : 0.9);
    return [to, ...trailing].map((end) => ({
      to: end,
      value,
      quality: end > to ? weigh + 0.3 : weigh,
      particular: particular || end > to,
    }));
  });
}

const SELF = new Set(["me", "myself", "nobody"]);
