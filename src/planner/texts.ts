import type { Skill } from "./catalogue.ts";
import { type Clause, sliceText } from "./clauses.ts";
import { isNoun, isRival, leadsTo } from "./field-words.ts";
import { type Field, isFieldWord, isLongText } from "./fields.ts";
import {
  ARTICLES,
  KEY,
  OPERATORS,
  POSSESSIVES,
  PREPOSITIONS,
  PRONOUNS,
  QUESTION_WORDS,
  TEXT_CUES,
  VAGUE_WORDS,
} from "./grammar.ts";
import type { Word } from "./language.ts";
import { MARK, type Phrase } from "./phrase.ts";
import { findTimes } from "./times.ts";

/** Text from a word on, and how much it looks like one. */
type TextEnd = { to: number; value: string; quality: number };

/** Text in quotes or after a colon, and words after "called", "saying" or the field's own name. */
export function findTexts(skill: Skill, field: Field, clause: Clause): Phrase[] {
  const { words } = clause;
  return words.flatMap((word, at): Phrase[] => {
    const lead = findTextLead(skill, field, words, at);
    const base = { field, particular: false };
    if (word.kind === "literal") {
      // What follows a colon is never what to look for.
      if (words[at - 1]?.text === ":" && (skill.access === "read" || namesFields(skill, field, word))) return [];
      // "The spreadsheet “Budget”" is the name of one.
      if (lead === undefined && skill.fields.some((other) => other !== field && isFieldWord(other, words[at - 1])))
        return [];
      const weight = lead !== undefined ? 0.65 : field.required ? 0.45 : 0.25;
      if (!isLongText(field) && word.text === MARK) return [];
      return [{ ...base, from: lead ?? at, to: at + 1, value: word.text, weight }];
    }
    if (lead === undefined || lead === at || word.kind !== "word") return [];
    if (skill.access === "read" && ARTICLES.has(word.lower)) return [];
    if (PREPOSITIONS.has(word.lower) || OPERATORS.has(word.lower)) return [];
    if (skill.access === "read" && !QUERY_CUES.has(words[at - 1]?.lower ?? "")) return [];
    const ends = skill.access === "read" ? readQuery(skill, clause, at) : readAll(skill, field, clause, at);
    // Beside other fields, a text ends at a mark; a message only with the request.
    const isOne = (to: number) => isLongText(field) || words.slice(at, to).every(({ kind }) => kind === "word");
    return ends
      .filter(({ to }) => isOne(to))
      .map(({ to, value }) => ({ ...base, from: lead, to, value, weight: 0.5 + 0.02 * (to - at) }));
  });
}

/** "Subject Offer, body: …" after a colon is several fields, and not one text. */
function namesFields({ fields }: Skill, field: Field, { lower }: Word): boolean {
  return lower.split(/[,;] /).some((piece) => {
    const [name] = piece.split(/[: ]/);
    return fields.some((one) => one !== field && one.kind === "text" && one.name.toLowerCase() === name);
  });
}

/** Where words that lead to a text begin: "called", "with the text", "subject". */
function findTextLead(skill: Skill, field: Field, words: Word[], at: number): number | undefined {
  let from = at;
  if (skill.access === "read" && ARTICLES.has(words[from - 1]?.lower ?? "")) from--;
  if (words[from - 1]?.text === ":" || words[from - 1]?.lower === "is") from--;
  const cue = words[from - 1];
  if (cue === undefined) return undefined;
  const own = isFieldWord(field, cue);
  const cues = skill.access === "read" ? QUERY_CUES : TEXT_CUES;
  if (isLongText(field) && ["called", "named", "titled", "entitled"].includes(cue.lower)) return undefined;
  if (!own && !(cues.has(cue.lower) && leadsTo(skill, field, cue))) return undefined;
  from--;
  if (ARTICLES.has(words[from - 1]?.lower ?? "")) from--;
  if (own && ["with", "and"].includes(words[from - 1]?.lower ?? "")) from--;
  return from;
}

/** Text for a slot: in quotes, after a word that leads to it, or plain words where they can be nothing else. */
export function readText(skill: Skill, field: Field, clause: Clause, at: number): TextEnd[] {
  const { words } = clause;
  const first = words[at];
  if (first === undefined || first.kind === "mark") return [];
  if (first.kind === "literal") {
    if (first.text === MARK) return isLongText(field) ? [{ to: at + 1, value: MARK, quality: 1 }] : [];
    if (words[at - 1]?.text === ":" && (skill.access === "read" || namesFields(skill, field, first))) return [];
    return [{ to: at + 1, value: first.text, quality: 1 }];
  }
  const lead = words[at - 1];
  const led = lead !== undefined && (TEXT_CUES.has(lead.lower) || lead.text === ":" || lead.lower === "about");
  if (skill.access === "read") return readQuery(skill, clause, at);
  if (led) return readAll(skill, field, clause, at);
  // Who quotes a text does not leave another one without quotes.
  if (words.some(({ kind, text }) => kind === "literal" && text !== MARK) && !/\d/.test(first.text)) return [];
  return isLongText(field) ? readSentence(skill, clause, at) : readTitle(skill, clause, at);
}

/** Words to search for: as they stand, without what would change the question. */
function readQuery(skill: Skill, clause: Clause, at: number): TextEnd[] {
  const { words } = clause;
  const from = ARTICLES.has(words[at]?.lower ?? "") ? at + 1 : at;
  const isLed = ["about", "for"].includes(words[at - 1]?.lower ?? "");
  // "Which files did tom change" is about somebody, not about words.
  if (ACTING.has(words[at - 1]?.lower ?? "")) return [];
  const times = findTimes(clause, true);
  const found: TextEnd[] = [];
  for (let to = from + 1; to <= Math.min(words.length, from + MOST_WORDS); to++) {
    const last = words[to - 1];
    if (
      last === undefined ||
      last.kind !== "word" ||
      OPERATORS.has(last.lower) ||
      QUESTION_WORDS.has(last.lower) ||
      TEXT_CUES.has(last.lower) ||
      /^[#@]/.test(last.text) ||
      isRival(skill, words, to - 1)
    )
      break;
    if (times.some((time) => time.from < to && to <= time.to)) break;
    if (
      to === from + 1 &&
      (PREPOSITIONS.has(last.lower) ||
        PRONOUNS.has(last.lower) ||
        ["i", "me", "my", "we", "you", "us"].includes(last.lower))
    )
      break;
    if (!isLed && (last.lower === "to" || (to === from + 1 && skill.foreign.has(last.lemma)))) break;
    if (PREPOSITIONS.has(last.lower) || ["and", "or", "the", "a", "my", "'s"].includes(last.lower)) continue;
    found.push({ to, value: sliceText(clause, from, to), quality: 0.7 + 0.01 * (to - from) });
  }
  return found;
}

/** After "called", "saying" or a colon: to the end, or up to where something else begins. */
function readAll(skill: Skill, field: Field, clause: Clause, at: number): TextEnd[] {
  const { words } = clause;
  const ends = isLongText(field) ? [words.length] : listLineEnds(words, at, listCues(skill, field));
  return ends.map((to) => ({
    to,
    value: sliceToEnd(clause, at, to),
    quality: 0.8 + 0.03 * (to - at),
  }));
}

/** Words that lead to another field. */
function listCues({ cues }: Skill, field: Field): Set<string> {
  return new Set([...cues].flatMap(([name, words]) => (name === field.name ? [] : words.map(({ lower }) => lower))));
}

function listLineEnds(words: Word[], at: number, cues: Set<string>): number[] {
  const ends: number[] = [];
  for (let to = at + 1; to <= words.length; to++) {
    const next = words[to];
    const isOpen = PREPOSITIONS.has(words[to - 1]?.lower ?? "") || ARTICLES.has(words[to - 1]?.lower ?? "");
    if (
      next === undefined ||
      next.kind !== "word" ||
      PREPOSITIONS.has(next.lower) ||
      TEXT_CUES.has(next.lower) ||
      /^\d|day$|^(next|this|tomorrow|today|and)$/.test(next.lower)
    )
      ends.push(to);
    if (next !== undefined && cues.has(next.lower)) {
      if (!isOpen) ends.push(to);
      break;
    }
    if (next?.kind === "literal" || to - at >= 2 * MOST_WORDS) break;
  }
  return ends;
}

/** A message without quotes: a greeting of a few words, or a sentence; never the description of something to be found first. */
function readSentence(skill: Skill, clause: Clause, at: number): TextEnd[] {
  const { words } = clause;
  const [first, second] = words.slice(at);
  // "Tell #general it works now".
  if (first && SUBJECTS.has(first.lower) && second?.kind === "word" && /^[#@]/.test(words[at - 1]?.text ?? ""))
    if (words.length > at + 2 && !PREPOSITIONS.has(second.lower) && second.lower !== "and")
      return [{ to: words.length, value: sliceToEnd(clause, at, words.length), quality: 0.8 }];
  if (
    first === undefined ||
    /^[#@]/.test(first.text) ||
    VAGUE_WORDS.has(first.lower) ||
    PREPOSITIONS.has(first.lower) ||
    POSSESSIVES.has(first.lower) ||
    PRONOUNS.has(first.lower) ||
    QUESTION_WORDS.has(first.lower) ||
    OPERATORS.has(first.lower) ||
    first.lower === "and"
  )
    return [];
  const found: TextEnd[] = [];
  const says = words.slice(at).some(({ lower }) => SENTENCE.has(lower));
  if (says && at > 1) found.push({ to: words.length, value: sliceToEnd(clause, at, words.length), quality: 0.8 });
  // "Send the build is green to #general".
  const place = words.findLastIndex(
    ({ lower }, index) => index > at && PREPOSITIONS.has(lower) && /^[#@]/.test(words[index + 1]?.text ?? ""),
  );
  if (says && place > 0) found.push({ to: place, value: sliceText(clause, at, place), quality: 0.8 });
  if (ARTICLES.has(first.lower) || ARTICLES.has(words[at - 1]?.lower ?? "")) return found;
  for (let to = at + 1; to <= Math.min(words.length, at + 4); to++) {
    const last = words[to - 1];
    if (
      last === undefined ||
      last.kind !== "word" ||
      PREPOSITIONS.has(last.lower) ||
      OPERATORS.has(last.lower) ||
      skill.foreign.has(last.lemma)
    )
      break;
    found.push({ to, value: sliceText(clause, at, to), quality: 0.6 });
  }
  return found;
}

/** A title without quotes begins with its own words: "schedule Dentist". */
function readTitle(skill: Skill, clause: Clause, at: number): TextEnd[] {
  const { words } = clause;
  const [first] = words.slice(at);
  if (first === undefined || first.kind !== "word") return [];
  const proper = /^[\p{Lu}\d]/u.test(first.text);
  const found: TextEnd[] = [];
  if (!proper && (first.stop || isNoun(skill, first) || OPERATORS.has(first.lower))) return [];
  if (KEY.test(first.text) || skill.foreign.has(first.lemma) || VAGUE_WORDS.has(first.lower)) return [];
  for (let to = at + 1; to <= Math.min(words.length, at + 8); to++) {
    const last = words[to - 1];
    if (last === undefined || last.kind !== "word" || TEXT_CUES.has(last.lower) || PREPOSITIONS.has(last.lower)) break;
    if (last.lower === "'s" || (OPERATORS.has(last.lower) && last.text === last.lower)) break;
    if (last.lower !== "and") found.push({ to, value: sliceText(clause, at, to), quality: proper ? 0.8 : 0.55 });
  }
  return found;
}

/** With the emoji at its end, but not the mark that ends the sentence. */
function sliceToEnd(clause: Clause, from: number, to: number): string {
  let end = to;
  while (
    end < clause.words.length &&
    clause.words[end]?.kind === "mark" &&
    !/^[.,:;!?()]$/.test(clause.words[end]?.text ?? "")
  )
    end++;
  return sliceText(clause, from, end);
}

const ACTING = new Set(["did", "does", "do", "has", "have", "had", "was", "were"]);
const SUBJECTS = new Set(["it", "we", "i", "they", "he", "she"]);
const SENTENCE = new Set("is are was were am will would has have had can could must should".split(" "));
const MOST_WORDS = 10;
const QUERY_CUES = new Set("about called named titled mentioning containing regarding matching".split(" "));
