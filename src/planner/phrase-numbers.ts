import type { Skill } from "./catalogue.ts";
import { type Clause, sliceText, type Value } from "./clauses.ts";
import { isNoun, leadsTo } from "./field-words.ts";
import { type Field, isFieldWord } from "./fields.ts";
import { ARTICLES, isPlural, NEGATIONS } from "./grammar.ts";
import { getWord, sliceLower, type Word } from "./language.ts";
import { NUMBERS } from "./periods.ts";
import type { Phrase } from "./phrase.ts";
import { findTimes } from "./times.ts";

/** "PR 12", "#12", "5 bugs", "the last 3". */
export function findNumbers(skill: Skill, field: Field, { words }: Clause): Phrase[] {
  const counts = AMOUNT.test(field.name);
  const side = BOUNDS.find(({ name }) => name.test(field.name));
  return words.flatMap((word, at): Phrase[] => {
    const [before, next] = [getWord(words, at - 1), getWord(words, at + 1)];
    const take = (from: number, to: number, weight = 0.5): Phrase[] => [
      { field, from, to, value: number, weight, particular: false },
    ];
    const number = counts && namesNewest(skill, words, at) ? 1 : readNumber(word, counts);
    if (number === undefined) return [];
    if (RECENT.has(word.lower)) return take(at, at + 1, 1);
    if (counts) {
      if (next.kind !== "word" || (next.stop && !RECENT.has(next.lower)) || /^\d/.test(next.text)) return [];
      const isLast = sortsNewest(skill) && RECENT.has(before.lower);
      const to = sortsNewest(skill) && RECENT.has(next.lower) ? at + 2 : at + 1;
      return take(isLast || FIRST.has(before.lower) ? at - 1 : at, to);
    }
    if (isPlural(next)) return [];
    if (side) {
      const from = findBound(words, at, side.leads);
      return from === undefined ? [] : take(from, at + 1);
    }
    if (word.text.startsWith("#") || leadsTo(skill, field, before))
      return take(isFieldWord(field, before) || before.lower === "number" ? at - 1 : at, at + 1);
    return field.required ? take(at, at + 1, 0) : [];
  });
}

/** "The newest mail", "my latest unread email": one thing, of a tool that lists the newest first. */
function namesNewest(skill: Skill, words: Word[], at: number): boolean {
  if (!RECENT.has(getWord(words, at).lower) || !sortsNewest(skill)) return false;
  return namesOneThing(skill, words, at + 1);
}

/** Whether the next words name one thing of a tool: "bug", "unread email". */
export function namesOneThing(skill: Skill, words: Word[], from: number): boolean {
  const thing = words.slice(from, from + 3).find((word) => isNoun(skill, word));
  return thing !== undefined && !isPlural(thing);
}

/** Where "above", "worth more than" or "of at least" begins, before a number. */
function findBound(words: Word[], at: number, leads: Set<string>): number | undefined {
  const size = [2, 1].find((one) => leads.has(sliceLower(words, at - one, at)));
  if (size === undefined) return undefined;
  return ["worth", "of"].includes(getWord(words, at - size - 1).lower) ? at - size - 1 : at - size;
}

/** The words that say on which side of an amount to look. */
const BOUNDS = [
  { name: /^min/i, leads: new Set(["above", "over", "more than", "at least", "bigger than", "larger than"]) },
  { name: /^max/i, leads: new Set(["below", "under", "less than", "at most", "smaller than", "up to"]) },
];

function readNumber({ text, lower, kind }: Word, counts: boolean): number | undefined {
  if (kind !== "word") return undefined;
  if (/^#?\d{1,9}$/.test(text)) return Number(text.replace("#", ""));
  if (!counts && /^[€$£]?\d[\d.,]*k?$/i.test(text)) return toAmount(text);
  return counts && lower.length > 2 ? NUMBERS.get(lower) : undefined;
}

function toAmount(text: string): number | undefined {
  const plain = text.replace(/^[€$£]/, "").replace(/(\d),(?=\d{3}\b)/g, "$1");
  const value = Number(plain.replace(/k$/i, ""));
  return Number.isNaN(value) ? undefined : value * (/k$/i.test(plain) ? 1_000 : 1);
}

/** "All day", "with attachments": a field that is on or off, by its name. */
export function findSwitches(skill: Skill, field: Field, { words }: Clause): Phrase[] {
  const names = field.words.filter(({ lower }) => !["has", "is", "only", "include"].includes(lower));
  return words.flatMap((word, from): Phrase[] => {
    let at = from;
    if (["with", "has", "have", "having"].includes(word.lower) && skill.access === "read") at++;
    if (ARTICLES.has(getWord(words, at).lower)) at++;
    const fits = names.length > 0 && names.every((name, index) => name.stem === words[at + index]?.stem);
    if (!fits || NEGATIONS.has(getWord(words, from - 1).lower)) return [];
    return [{ field, from, to: at + names.length, value: true, weight: 0.5, particular: false }];
  });
}

/** "…, Due 15 jan 2027": columns by their names, for a field that takes any. */
export function findColumns({ fields }: Skill, field: Field, clause: Clause): Phrase[] {
  const { words } = clause;
  return words.flatMap(({ text }, at): Phrase[] => {
    const before = getWord(words, at - 1);
    const isColumn = /^\p{Lu}\p{Ll}/u.test(text) || COLUMNS.has(text);
    // "And due date to friday" is about a field that has its own name.
    const isOwn = fields.some(({ name }) => name === text.toLowerCase());
    if ((before.text !== "," && before.lower !== "and") || !isColumn || isOwn) return [];
    const next = getWord(words, at + 1);
    const start = next.lower === "is" || next.text === ":" ? at + 2 : at + 1;
    const length = words.slice(start).findIndex((one) => one.text === "," || one.lower === "and");
    const to = length < 0 ? words.length : start + length;
    if (to <= start || to - start > MOST_WORDS) return [];
    const time = findTimes(clause, false).find((one) => one.from === start && one.to === to);
    const value = { [text]: time?.start ?? sliceText(clause, start, to) } as unknown as Value;
    return [{ field, from: before.text === "," ? at : at - 1, to, value, weight: 0.6, particular: false }];
  });
}

/** Columns that people name in small letters. */
const COLUMNS = new Set("status due priority owner assignee type tags".split(" "));

/** Whether a tool lists the newest first, by its own words. */
export function sortsNewest({ description, examples }: Skill): boolean {
  return /\b(newest|latest|recent(ly)?)\b/i.test(`${description} ${examples.join(" ")}`);
}

const AMOUNT = /^(?:limit|count|max|max_?results|amount_of|first|page_?size)$/i;
export const RECENT = new Set(["newest", "latest", "last", "recent"]);
const FIRST = new Set(["first", "top"]);
const MOST_WORDS = 12;
