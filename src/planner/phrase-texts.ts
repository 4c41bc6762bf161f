import type { Skill } from "./catalogue.ts";
import { type Clause, sliceText } from "./clauses.ts";
import { leadsTo } from "./field-words.ts";
import { type Field, isFieldWord, isLongText } from "./fields.ts";
import { ARTICLES, OPERATORS, PREPOSITIONS, TEXT_CUES } from "./grammar.ts";
import type { Word } from "./language.ts";
import { MARK, type Phrase } from "./phrase.ts";

/** Text in quotes or after a colon, and words after "called", "saying" or the field's own name. */
export function findTexts(skill: Skill, field: Field, clause: Clause): Phrase[] {
  const { words } = clause;
  return words.flatMap((word, at): Phrase[] => {
    const lead = findTextLead(skill, field, words, at);
    const base = { field, particular: false };
    if (word.kind === "literal") {
      // What follows a colon is never what to look for.
      if (skill.access === "read" && words[at - 1]?.text === ":") return [];
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
    return listTextEnds(field, words, at).map((to) => ({
      ...base,
      from: lead,
      to,
      value: sliceText(clause, at, to),
      weight: 0.5 + 0.02 * (to - at),
    }));
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

/** A line ends at a mark or with the request; a longer text only with the request. */
function listTextEnds(field: Field, words: Word[], at: number): number[] {
  if (isLongText(field)) return [words.length];
  const ends: number[] = [];
  for (let to = at + 1; to <= Math.min(words.length, at + MOST_WORDS); to++) {
    const next = words[to];
    if (next === undefined || next.kind === "mark" || PREPOSITIONS.has(next.lower)) ends.push(to);
    if (next?.kind === "mark" || next?.kind === "literal" || OPERATORS.has(next?.lower ?? "")) break;
  }
  return ends;
}

const QUERY_CUES = new Set("about called named titled mentioning containing regarding matching".split(" "));
const MOST_WORDS = 12;
