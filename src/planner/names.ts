import type { Skill } from "./catalogue.ts";
import { type Clause, sliceText, type Value } from "./clauses.ts";
import { endsName, findKnownValue, isNoun, listNameEnds } from "./field-words.ts";
import { type Field, isFieldWord } from "./fields.ts";
import { ARTICLES, POSSESSIVES, PREPOSITIONS, QUESTION_WORDS } from "./grammar.ts";
import { getWord, sliceLower, type Word } from "./language.ts";
import { isVerb } from "./lexicon.ts";
import { listLeads, type Phrase } from "./phrase.ts";

/** A name after a word that leads to one ("in KAY"), beside the field's own noun ("the ENG space"), or with the field's own look. */
export function findNames(skill: Skill, field: Field, clause: Clause): Phrase[] {
  const { words } = clause;
  return words.flatMap((word, at): Phrase[] => {
    if (word.kind === "word" && (PREPOSITIONS.has(word.lower) || ARTICLES.has(word.lower))) return [];
    const leads = listLeads(skill, field, words, at);
    // "In sprint 7": the noun is part of the name.
    if (NUMBERED.test(field.description) && isFieldWord(field, word) && /^\d+$/.test(getWord(words, at + 1).text))
      return [at, ...leads].map((from) => {
        const value = sliceText(clause, at, at + 2);
        return { field, from, to: at + 2, value, weight: 0.7, particular: true };
      });
    const shaped = word.kind === "word" && field.shape?.test(word.text) === true && field.particular;
    return listNameEnds(skill, field, words, at).flatMap(({ to, quality }): Phrase[] => {
      const value = readName(field, clause, at, to);
      if (mayBeOthers(skill, field, words, at, to) || isGeneric(skill, field, words, at, to)) return [];
      if (!endsName(skill, field, words, to)) return [];
      const take = (from: number, end: number, weight: number): Phrase[] => [
        { field, from, to: end, value, weight: weight * quality, particular: shaped },
      ];
      // "Labeled bug" is about what follows.
      const trailing = isFieldWord(field, words[to]) && !/ed$/.test(getWord(words, to).lower) ? 1 : 0;
      const code = isCode(field, word);
      const article = getWord(words, at - 1).lower === "the" ? at - 1 : at;
      return [
        ...leads.flatMap((from) => take(from, to + trailing, 0.5 + 0.05 * (at - from) + 0.25 * trailing)),
        ...(trailing && leads.length === 0 && (at > 0 || code) ? take(article, to + 1, 0.65) : []),
        ...(to === at + 1 && (shaped || code) ? take(at, to, shaped ? 0.6 : 0.4) : []),
      ];
    });
  });
}

/** "KAY" in "the KAY bugs": a name in capitals, for a field whose names are capitals. */
function isCode(field: Field, { text, kind }: Word): boolean {
  return (
    kind === "word" &&
    /^\p{Lu}[\p{Lu}\p{N}_]+$/u.test(text) &&
    field.shape?.test(text) === true &&
    field.shape.test("KAY")
  );
}

/** The value of a name: several addresses as one text, where the field takes them so. */
function readName(field: Field, clause: Clause, from: number, to: number): Value | Value[] {
  const addresses = clause.words.slice(from, to).flatMap(({ text }) => (text.includes("@") ? [text] : []));
  const text = to - from > 1 && addresses.length > 0 ? addresses.join(", ") : sliceText(clause, from, to);
  return field.list ? (text.includes(", ") ? addresses : [text]) : text;
}

/** Names for a slot, with the article or the noun before them. */
export function readNames(skill: Skill, field: Field, clause: Clause, at: number): Phrase[] {
  const { words } = clause;
  let from = at;
  if (["the", "my", "our"].includes(getWord(words, from).lower)) from++;
  if (isFieldWord(field, words[from]) && words[from + 1]?.kind !== "mark") from++;
  const first = getWord(words, from);
  if (POSSESSIVES.has(first.lower) || QUESTION_WORDS.has(first.lower)) return [];
  // "What's tom's email" is about an address, and "the email of tom" is no mail with his name.
  const isOwned = MAIL.test(sliceLower(words, from - 2, from)) && !field.person;
  if (isOwned || OWN_MAIL.test(sliceLower(words, from + 1, from + 3))) return [];
  const isAddress = first.text.includes("@") && !field.person && !field.shape;
  if (first.kind === "word" && (isAddress || (isVerb(first) && first.text === first.lower))) return [];
  const isSaid = first.kind === "literal" && getWord(words, from - 1).text === ":";
  if (isSaid && field.shape && !field.shape.test(first.text)) return [];
  return listNameEnds(skill, field, words, from).flatMap(({ to, quality }): Phrase[] => {
    const known = findKnownValue(field, words.slice(from, to), !SELF.has(first.lower));
    const isOther = mayBeOthers(skill, field, words, from, to) || isGeneric(skill, field, words, from, to);
    if (known === undefined && isOther) return [];
    const said = known ?? readName(field, clause, from, to);
    // "Dm tom": a person, where the field takes channels too.
    const isPerson = at === 1 && skill.access !== "read" && field.person && field.shape?.test("#general") === true;
    const value = isPerson && /^\p{L}+$/u.test(String(said)) ? `@${said}` : said;
    const noun = getWord(words, to);
    const isOthers = skill.fields.some((other) => other !== field && isFieldWord(other, noun));
    const trails = isFieldWord(field, noun) || (isNoun(skill, noun) && from > at && !isOthers);
    const weigh = quality * (first.kind === "literal" ? 0.95 : 0.9);
    const particular = field.shape?.test(first.text) === true || known !== undefined;
    const base = { field, from: at, value };
    return [
      { ...base, to, quality: weigh, particular },
      ...(trails ? [{ ...base, to: to + 1, quality: weigh + 0.3, particular: true }] : []),
    ];
  });
}

/** "Set KAY-2 to Critical" is about the field that knows the value; where none does, about the one that a tool needs. */
function mayBeOthers(skill: Skill, field: Field, words: Word[], from: number, to: number): boolean {
  const isKnown = (other: Field, end = to) =>
    other !== field && findKnownValue(other, words.slice(from, end)) !== undefined;
  // "High priority" is not a label.
  const isNamed = (other: Field) => [to, to - 1].some((end) => isKnown(other, end) && isFieldWord(other, words[end]));
  if (skill.fields.some(isNamed)) return true;
  if (skill.access === "read" && !field.required && !isFieldWord(field, words[from - 1]))
    return skill.fields.some((other) => isKnown(other));
  if (field.values.length === 0 || skill.access === "read") return false;
  const text = sliceLower(words, from, to);
  const isOwn = () => skill.fields.some(({ values }) => values.some(({ value }) => value.toLowerCase() === text));
  if (skill.siblingValues.has(text) && !isOwn()) return true;
  const isShared = !field.required && skill.siblingVerbs.has(words[0]?.lower ?? "");
  return isShared && !words.slice(0, from).some((word) => isFieldWord(field, word));
}

/** Whether a word only says what kind of thing it is, which names none of them. */
function isGeneric(skill: Skill, field: Field, words: Word[], from: number, to: number): boolean {
  const word = words[from] as Word;
  const isPlain = to === from + 1 && word.kind === "word" && /^\p{Ll}/u.test(word.text);
  return isPlain && (isNoun(skill, word) || isFieldWord(field, word));
}

const MAIL = /^e?-?mail of$/;
const OWN_MAIL = /^'s e?-?mail$/;

/** "Such as Sprint 7". */
const NUMBERED = /such as \p{Lu}\p{L}+ \d/u;

const SELF = new Set(["me", "myself", "nobody"]);
