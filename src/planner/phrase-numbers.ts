import type { Skill } from "./catalogue.ts";
import { type Clause, sliceText, type Value } from "./clauses.ts";
import { isNoun, leadsTo } from "./field-words.ts";
import { type Field, isFieldWord } from "./fields.ts";
import { ARTICLES, isPlural, NEGATIONS } from "./grammar.ts";
import type { Word } from "./language.ts";
import { NUMBERS } from "./periods.ts";
import type { Phrase } from "./phrase.ts";
import { findTimes } from "./times.ts";

/** "PR 12", "#12", "5 bugs", "the last 3". */
export function findNumbers(skill: Skill, field: Field, { words }: Clause): Phrase[] {
  const counts = AMOUNT.test(field.name);
  return words.flatMap((word, at): Phrase[] => {
    const number = counts && namesNewest(skill, words, at) ? 1 : readNumber(word, counts);
    if (number === 1 && RECENT.has(word.lower))
      return [{ field, from: at, to: at + 1, value: number, weight: 1, particular: false }];
    if (number === undefined) return [];
    const before = words[at - 1];
    const phrase = { field, value: number, weight: 0.5, particular: false };
    if (counts) {
      const next = words[at + 1];
      const counted = next?.kind === "word" && (!next.stop || RECENT.has(next.lower)) && !/^\d/.test(next.text);
      if (!counted) return [];
      const to = RECENT.has(next?.lower ?? "") && sortsNewest(skill) ? at + 2 : at + 1;
      const from =
        RECENT.has(before?.lower ?? "") && sortsNewest(skill) ? at - 1 : FIRST.has(before?.lower ?? "") ? at - 1 : at;
      return [{ ...phrase, from, to }];
    }
    if (words[at + 1] && isPlural(words[at + 1] as Word)) return [];
    const side = BOUNDS.find(({ name }) => name.test(field.name));
    if (side) {
      const from = findBound(words, at, side.leads);
      return from === undefined ? [] : [{ ...phrase, from, to: at + 1 }];
    }
    if (word.text.startsWith("#") || leadsTo(skill, field, before)) {
      const led = isFieldWord(field, before) || before?.lower === "number";
      return [{ ...phrase, from: led ? at - 1 : at, to: at + 1 }];
    }
    return field.required ? [{ ...phrase, from: at, to: at + 1, weight: 0.35 }] : [];
  });
}

/** "The newest mail", "my latest unread email": one thing, of a tool that lists the newest first. */
function namesNewest(skill: Skill, words: Word[], at: number): boolean {
  if (!RECENT.has(words[at]?.lower ?? "") || !sortsNewest(skill)) return false;
  const thing = words.slice(at + 1, at + 4).find((word) => isNoun(skill, word));
  return thing !== undefined && !isPlural(thing);
}

/** Where "above", "worth more than" or "of at least" begins, before a number. */
function findBound(words: Word[], at: number, leads: Set<string>): number | undefined {
  const before = (size: number) =>
    words
      .slice(Math.max(0, at - size), at)
      .map(({ lower }) => lower)
      .join(" ");
  const size = [2, 1].find((one) => leads.has(before(one)));
  if (size === undefined) return undefined;
  const from = at - size;
  return ["worth", "of"].includes(words[from - 1]?.lower ?? "") ? from - 1 : from;
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
  if (names.length === 0) return [];
  return words.flatMap((word, from): Phrase[] => {
    let at = from;
    if (["with", "has", "have", "having"].includes(word.lower) && skill.access === "read") at++;
    if (ARTICLES.has(words[at]?.lower ?? "")) at++;
    const fits = names.every((name, index) => name.stem === words[at + index]?.stem);
    if (!fits || NEGATIONS.has(words[from - 1]?.lower ?? "")) return [];
    return [{ field, from, to: at + names.length, value: true, weight: 0.5, particular: false }];
  });
}

/** "…, Due 15 jan 2027": columns by their names, for a field that takes any. */
export function findColumns(field: Field, clause: Clause): Phrase[] {
  const { words } = clause;
  return words.flatMap((word, at): Phrase[] => {
    const before = words[at - 1];
    const begins = before?.text === "," || before?.lower === "and";
    if (!begins || word.kind !== "word" || !/^\p{Lu}\p{Ll}/u.test(word.text)) return [];
    const from = words[at + 1]?.lower === "is" || words[at + 1]?.text === ":" ? at + 2 : at + 1;
    const length = words.slice(from).findIndex(({ text, lower }) => text === "," || lower === "and");
    const to = length < 0 ? words.length : from + length;
    if (to <= from || to - from > MOST_WORDS) return [];
    const time = findTimes(clause, false).find((one) => one.from === from && one.to === to);
    const value = { [word.text]: time?.start ?? sliceText(clause, from, to) };
    return [
      {
        field,
        from: before?.text === "," ? at : at - 1,
        to,
        value: value as unknown as Value,
        weight: 0.6,
        particular: false,
      },
    ];
  });
}

/** Whether a tool lists the newest first, by its own words. */
export function sortsNewest({ description, examples }: Skill): boolean {
  return /\b(newest|latest|recent(ly)?)\b/i.test(`${description} ${examples.join(" ")}`);
}

const AMOUNT = /^(limit|count|max|amount_of|first|page_?size)/i;
export const RECENT = new Set(["newest", "latest", "last", "recent"]);
const FIRST = new Set(["first", "top"]);
const MOST_WORDS = 12;
