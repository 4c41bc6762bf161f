import type { Skill } from "./catalogue.ts";
import { type Clause, sliceText } from "./clauses.ts";
import { findKnownValue, isNoun, isRival, leadsTo } from "./field-words.ts";
import { type Field, isFieldWord, isLongText } from "./fields.ts";
import {
  ARTICLES,
  KEY,
  MARK,
  OPERATORS,
  POSSESSIVES,
  PREPOSITIONS,
  PRONOUNS,
  QUESTION_WORDS,
  TEXT_CUES,
  VAGUE_WORDS,
} from "./grammar.ts";
import { getWord, type Word } from "./language.ts";
import type { Phrase } from "./phrase.ts";
import { findTimes } from "./times.ts";

/** Text from a word on, and how much it looks like one. */
type TextEnd = { to: number; value: string; quality: number };

/** Text in quotes or after a colon, and words after "called", "saying" or the field's own name. */
export function findTexts(skill: Skill, field: Field, clause: Clause): Phrase[] {
  const { words } = clause;
  const reads = skill.access === "read";
  return words.flatMap((word, at): Phrase[] => {
    const lead = findTextLead(skill, field, words, at);
    const before = getWord(words, at - 1);
    const base = { field, particular: false };
    if (word.kind === "literal") {
      if (isOthersText(skill, field, words, at) || (word.text === MARK && !isLongText(field))) return [];
      // "The spreadsheet “Budget”" is the name of one.
      if (lead === undefined && skill.fields.some((other) => other !== field && isFieldWord(other, before))) return [];
      const weight = lead !== undefined ? 0.65 : field.required ? 0.45 : 0.25;
      return [{ ...base, from: lead ?? at, to: at + 1, value: word.text, weight }];
    }
    if (lead === undefined || word.kind !== "word" || PREPOSITIONS.has(word.lower) || OPERATORS.has(word.lower))
      return [];
    if (reads && (ARTICLES.has(word.lower) || !QUERY_CUES.has(before.lower))) return [];
    // Beside other fields, a text ends at a mark; a message only with the request.
    const isOne = (to: number) => isLongText(field) || words.slice(at, to).every(({ kind }) => kind === "word");
    return (reads ? readQuery(skill, clause, at) : readAll(skill, field, clause, at))
      .filter(({ to }) => isOne(to))
      .map(({ to, value }) => ({ ...base, from: lead, to, value, weight: 0.5 + 0.02 * (to - at) }));
  });
}

/** After a colon: what is never looked for, and "subject Offer, body: …", which is several fields. */
function isOthersText({ access, fields }: Skill, field: Field, words: Word[], at: number): boolean {
  if (getWord(words, at - 1).text !== ":") return false;
  const named = getWord(words, at)
    .lower.split(/[,;] /)
    .map((piece) => piece.split(/[: ]/)[0]);
  const others = fields.filter((one) => one !== field && one.kind === "text");
  return access === "read" || others.some(({ name }) => named.includes(name.toLowerCase()));
}

/** Where words that lead to a text begin: "called", "with the text", "subject". */
function findTextLead(skill: Skill, field: Field, words: Word[], at: number): number | undefined {
  const reads = skill.access === "read";
  let from = at;
  if (reads && ARTICLES.has(getWord(words, from - 1).lower)) from--;
  if (words[from - 1]?.text === ":" || words[from - 1]?.lower === "is") from--;
  const cue = getWord(words, from - 1);
  const own = isFieldWord(field, cue);
  if (isLongText(field) && NAMED.has(cue.lower)) return undefined;
  if (!own && !((reads ? QUERY_CUES : TEXT_CUES).has(cue.lower) && leadsTo(skill, field, cue))) return undefined;
  from--;
  if (ARTICLES.has(getWord(words, from - 1).lower)) from--;
  return own && ["with", "and"].includes(getWord(words, from - 1).lower) ? from - 1 : from;
}

/** Text for a slot: in quotes, after a word that leads to it, or plain words where they can be nothing else. */
export function readText(skill: Skill, field: Field, clause: Clause, at: number): TextEnd[] {
  const { words } = clause;
  const first = getWord(words, at);
  if (first.kind === "mark") return [];
  if (first.kind === "literal") {
    const isOthers = first.text === MARK ? !isLongText(field) : isOthersText(skill, field, words, at);
    return isOthers ? [] : [{ to: at + 1, value: first.text, quality: 1 }];
  }
  if (skill.access === "read") return readQuery(skill, clause, at);
  const lead = getWord(words, at - 1);
  // "Add a row to Invoices with 2043, Acme, 300".
  const isOfCells = lead.lower === "with" && /\bcells\b/i.test(field.description);
  if (TEXT_CUES.has(lead.lower) || lead.text === ":" || lead.lower === "about" || isOfCells)
    return readAll(skill, field, clause, at);
  // Who quotes a text does not leave another one without quotes.
  if (words.some(({ kind, text }) => kind === "literal" && text !== MARK) && !/\d/.test(first.text)) return [];
  return isLongText(field) ? readSentence(skill, clause, at) : readTitle(skill, clause, at);
}

/** Words to search for: as they stand, without what would change the question. */
function readQuery(skill: Skill, clause: Clause, at: number): TextEnd[] {
  const { words } = clause;
  const before = getWord(words, at - 1).lower;
  const from = ARTICLES.has(getWord(words, at).lower) ? at + 1 : at;
  const isLed = before === "about" || before === "for";
  // "Which files did tom change" is about someone, not about words.
  if (ACTING.has(before) || NOT_SOUGHT.has(getWord(words, from).lower)) return [];
  const times = findTimes(clause, true);
  const textEnds: TextEnd[] = [];
  for (let to = from + 1; to <= from + MOST_WORDS; to++) {
    const { kind, lower, lemma, text } = getWord(words, to - 1);
    if (kind !== "word" || OPERATORS.has(lower) || QUESTION_WORDS.has(lower) || TEXT_CUES.has(lower)) break;
    if (/^[#@]/.test(text) || isRival(skill, words, to - 1)) break;
    if (times.some((time) => time.from < to && to <= time.to)) break;
    if (
      !isLed &&
      (lower === "to" ||
        (PREPOSITIONS.has(lower) && ARTICLES.has(getWord(words, to).lower)) ||
        (to === from + 1 && (skill.foreign.has(lemma) || isValue(skill, words, from))))
    )
      break;
    if (!PREPOSITIONS.has(lower) && !INNER.has(lower))
      textEnds.push({ to, value: sliceText(clause, from, to), quality: 0.7 + 0.01 * (to - from) });
  }
  return textEnds;
}

/** The "won" of "in stage closed won" is no word to search for. */
function isValue({ fields }: Skill, words: Word[], at: number): boolean {
  return fields.some((field) => findKnownValue(field, words.slice(at, at + 1)) !== undefined);
}

/** After "called", "saying" or a colon: to the end, or up to where something else begins. */
function readAll(skill: Skill, field: Field, clause: Clause, at: number): TextEnd[] {
  const { words } = clause;
  const ends = isLongText(field) ? [words.length] : listLineEnds(words, at, listCues(skill, field));
  return ends.map((to) => ({ to, value: sliceToEnd(clause, at, to), quality: 0.8 + 0.03 * (to - at) }));
}

/** Words that lead to another field. */
function listCues({ cues }: Skill, field: Field): Set<string> {
  return new Set([...cues].flatMap(([name, words]) => (name === field.name ? [] : words.map(({ lower }) => lower))));
}

function listLineEnds(words: Word[], at: number, cues: Set<string>): number[] {
  const ends: number[] = [];
  for (let to = at + 1; to <= Math.min(words.length, at + 2 * MOST_WORDS); to++) {
    const { kind, lower } = getWord(words, to);
    const last = getWord(words, to - 1).lower;
    const isEnd = kind !== "word" || cues.has(lower) || PREPOSITIONS.has(lower) || TEXT_CUES.has(lower);
    const isWhole = !PREPOSITIONS.has(last) && !ARTICLES.has(last);
    if (isWhole && (isEnd || /^\d|day$|^(next|this|tomorrow|today|and)$/.test(lower))) ends.push(to);
    if (kind === "literal" || cues.has(lower)) break;
  }
  return ends;
}

/** A message without quotes: a greeting of a few words, or a sentence; never the description of something to be found first. */
function readSentence(skill: Skill, clause: Clause, at: number): TextEnd[] {
  const { words } = clause;
  const [first, second, before] = [getWord(words, at), getWord(words, at + 1), getWord(words, at - 1)];
  const whole = { to: words.length, value: sliceToEnd(clause, at, words.length), quality: 0.8 };
  const isAddressed = /^[#@]/.test(before.text) && words.length > at + 2;
  // "Tell #general it works now".
  if (isAddressed && SUBJECTS.has(first.lower) && second.kind === "word" && !INNER.has(second.lower)) return [whole];
  if (/^[#@]/.test(first.text) || NOT_SAID.some((set) => set.has(first.lower))) return [];
  const textEnds: TextEnd[] = [];
  const says = words.slice(at).some(({ lower }) => SENTENCE.has(lower));
  if (says && at > 1) textEnds.push(whole);
  // "Send the build is green to #general".
  const place = words.findLastIndex(
    ({ lower }, index) => index > at && PREPOSITIONS.has(lower) && /^[#@]/.test(getWord(words, index + 1).text),
  );
  if (says && place > 0) textEnds.push({ to: place, value: sliceText(clause, at, place), quality: 0.8 });
  if (ARTICLES.has(first.lower) || ARTICLES.has(before.lower)) return textEnds;
  for (let to = at + 1; to <= at + 4; to++) {
    const { kind, lower, lemma } = getWord(words, to - 1);
    if (kind !== "word" || PREPOSITIONS.has(lower) || OPERATORS.has(lower) || skill.foreign.has(lemma)) break;
    textEnds.push({ to, value: sliceText(clause, at, to), quality: 0.6 });
  }
  return textEnds;
}

/** A title without quotes begins with its own words: "schedule Dentist". */
function readTitle(skill: Skill, clause: Clause, at: number): TextEnd[] {
  const { words } = clause;
  const first = getWord(words, at);
  const proper = /^[\p{Lu}\d]/u.test(first.text);
  const textEnds: TextEnd[] = [];
  // "Rename KAY-3 to Fix typo in help".
  if (proper && getWord(words, at - 1).lower === "to" && RENAMING.has(getWord(words, 0).lower))
    textEnds.push({ to: words.length, value: sliceToEnd(clause, at, words.length), quality: 0.9 });
  if (!proper && (first.stop || isNoun(skill, first) || OPERATORS.has(first.lower))) return [];
  if (KEY.test(first.text) || skill.foreign.has(first.lemma) || VAGUE_WORDS.has(first.lower)) return [];
  for (let to = at + 1; to <= at + 8; to++) {
    const { kind, lower, text } = getWord(words, to - 1);
    if (kind !== "word" || TEXT_CUES.has(lower) || PREPOSITIONS.has(lower) || lower === "'s") break;
    if (OPERATORS.has(lower) && text === lower) break;
    // "Schedule Budget call": the call is a part of its name.
    const isPart = proper && isNoun(skill, getWord(words, to)) && !isNoun(skill, getWord(words, to - 1));
    if (lower !== "and" && !isPart)
      textEnds.push({ to, value: sliceText(clause, at, to), quality: proper ? 0.8 : 0.55 });
  }
  return textEnds;
}

/** With the emoji at its end, but not the mark that ends the sentence. */
function sliceToEnd(clause: Clause, from: number, to: number): string {
  const marks = clause.words.slice(to).findIndex(({ kind, text }) => kind !== "mark" || /^[.,:;!?()]$/.test(text));
  return sliceText(clause, from, marks < 0 ? clause.words.length : to + marks);
}

const ACTING = new Set(["did", "does", "do", "has", "have", "had", "was", "were"]);
const SUBJECTS = new Set(["it", "we", "i", "they", "he", "she"]);
const SENTENCE = new Set("is are was were am will would has have had can could must should".split(" "));
const MOST_WORDS = 10;
const RENAMING = new Set(["rename", "change"]);
const NAMED = new Set(["called", "named", "titled", "entitled"]);
const QUERY_CUES = new Set(
  "about called named titled mention mentions mentioning containing regarding matching".split(" "),
);
/** Words that end no text, and no message begins with a subject and one of them. */
const INNER = new Set([...PREPOSITIONS, "and", "or", "the", "a", "my", "'s"]);
const NOT_SOUGHT = new Set([...PREPOSITIONS, ...PRONOUNS, "i", "me", "my", "we", "you", "us"]);
const NOT_SAID = [VAGUE_WORDS, PREPOSITIONS, POSSESSIVES, PRONOUNS, QUESTION_WORDS, OPERATORS, new Set(["and"])];
