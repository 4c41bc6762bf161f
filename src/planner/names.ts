import type { Skill } from "./catalogue.ts";
import { type Clause, sliceText, type Value } from "./clauses.ts";
import { endsName, findKnownValue, isNoun, listNameEnds } from "./field-words.ts";
import { type Field, isFieldWord } from "./fields.ts";
import { ARTICLES, POSSESSIVES, PREPOSITIONS, QUESTION_WORDS } from "./grammar.ts";
import { sliceLower, type Word } from "./language.ts";
import { isVerb } from "./lexicon.ts";
import { listLeads, type Phrase } from "./phrase.ts";

/** A name after a word that leads to one ("in KAY"), beside the field's own noun ("the ENG space"), or with the field's own look. */
export function findNames(skill: Skill, field: Field, clause: Clause): Phrase[] {
  const { words } = clause;
  return words.flatMap((word, at): Phrase[] => {
    if (word.kind === "mark" || (PREPOSITIONS.has(word.lower) && word.kind === "word") || ARTICLES.has(word.lower))
      return [];
    const leads = listLeads(skill, field, words, at);
    const shaped = word.kind === "word" && field.shape?.test(word.text) === true && field.particular;
    return listNameEnds(skill, field, words, at).flatMap(({ to, quality }): Phrase[] => {
      const value = readName(field, clause, at, to);
      if (value === undefined || mayBeOthers(skill, field, words, at, to)) return [];
      if (isGeneric(skill, field, words, at, to) || !endsName(skill, field, words, to)) return [];
      // "Labeled bug" is about what follows.
      const trailing = isFieldWord(field, words[to]) && !/ed$/.test(words[to]?.lower ?? "") ? 1 : 0;
      const made = (from: number, end: number, weight: number) => ({
        field,
        from,
        to: end,
        value,
        weight: weight * quality,
        particular: shaped,
      });
      return [
        ...leads.map((from) => made(from, to + trailing, 0.5 + 0.05 * (at - from) + 0.25 * trailing)),
        ...(trailing && leads.length === 0 && (at > 0 || isCode(field, word))
          ? [made(words[at - 1]?.lower === "the" ? at - 1 : at, to + 1, 0.65)]
          : []),
        ...(shaped && to === at + 1 ? [made(at, to, 0.6)] : []),
        ...(isCode(field, word) && to === at + 1 ? [made(at, to, 0.4)] : []),
      ];
    });
  });
}

/** "KAY" in "the KAY bugs": a name in capitals, for a field whose names are. */
function isCode(field: Field, { text, kind }: Word): boolean {
  return (
    kind === "word" &&
    /^\p{Lu}[\p{Lu}\p{N}_]+$/u.test(text) &&
    field.shape?.test(text) === true &&
    field.shape.test("KAY")
  );
}

/** The value of a name: several addresses as one text, where the field takes them so. */
function readName(field: Field, clause: Clause, from: number, to: number): Value | Value[] | undefined {
  const span = clause.words.slice(from, to);
  if (!span.some(({ kind }) => kind !== "mark")) return undefined;
  if (to - from > 1 && span.some(({ text }) => text.includes("@"))) {
    const addresses = span.filter(({ text }) => text.includes("@")).map(({ text }) => text);
    return field.list ? addresses : addresses.join(", ");
  }
  const text = sliceText(clause, from, to);
  return field.list ? [text] : text;
}

/** Names for a slot, with the article or the noun before them. */
export function readNames(skill: Skill, field: Field, clause: Clause, at: number): Phrase[] {
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
  return listNameEnds(skill, field, words, from).flatMap(({ to, quality }): Phrase[] => {
    const span = words.slice(from, to);
    const known = findKnownValue(field, span, !SELF.has(first.lower));
    if (known === undefined && mayBeOthers(skill, field, words, from, to)) return [];
    const said = known ?? readName(field, clause, from, to);
    // "Dm tom": a person, where the field takes channels too.
    const isPerson = at === 1 && skill.access !== "read" && field.person && field.shape?.test("#general") === true;
    const value = isPerson && typeof said === "string" && /^\p{L}+$/u.test(said) ? `@${said}` : said;
    if (value === undefined) return [];
    if (known === undefined && isGeneric(skill, field, words, from, to)) return [];
    const colon = words[from - 1]?.text === ":";
    if (colon && first.kind === "literal" && field.shape && !field.shape.test(first.text)) return [];
    const particular = field.shape?.test(first.text) === true || known !== undefined;
    const noun = words[to];
    const isOthers = skill.fields.some((other) => other !== field && isFieldWord(other, noun));
    const trailing =
      isFieldWord(field, noun) || (noun !== undefined && isNoun(skill, noun) && from > at && !isOthers) ? [to + 1] : [];
    const weigh = quality * (first.kind === "literal" ? 0.95 : 0.9);
    return [to, ...trailing].map((end) => ({
      field,
      from: at,
      to: end,
      value,
      quality: end > to ? weigh + 0.3 : weigh,
      particular: particular || end > to,
    }));
  });
}

/** "Set KAY-2 to Critical" is about the field that knows the value; where none does, about the one that a tool needs. */
function mayBeOthers(skill: Skill, field: Field, words: Word[], from: number, to: number): boolean {
  if (field.values.length === 0 || skill.access === "read") return false;
  if (skill.siblingValues.has(sliceLower(words, from, to))) return true;
  const isShared = !field.required && skill.siblingVerbs.has(words[0]?.lower ?? "");
  return isShared && !words.slice(0, from).some((word) => isFieldWord(field, word));
}

/** Whether a word only says what kind of thing it is, which names none of them. */
function isGeneric(skill: Skill, field: Field, words: Word[], from: number, to: number): boolean {
  const word = words[from] as Word;
  const isPlain = to === from + 1 && word.kind === "word" && /^\p{Ll}/u.test(word.text);
  return isPlain && (isNoun(skill, word) || isFieldWord(field, word));
}

const SELF = new Set(["me", "myself", "nobody"]);
