import type { Skill } from "./catalogue.ts";
import { type Clause, sliceText, type Value } from "./clauses.ts";
import { leadsTo } from "./field-words.ts";
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
    const number = readNumber(word, counts);
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
    if (word.text.startsWith("#") || leadsTo(skill, field, before)) {
      const led = isFieldWord(field, before) || before?.lower === "number";
      return [{ ...phrase, from: led ? at - 1 : at, to: at + 1 }];
    }
    return field.required ? [{ ...phrase, from: at, to: at + 1, weight: 0.35 }] : [];
  });
}

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
  const names = field.words.filter(({ lower }) => !["has", "is", "with", "only", "include"].includes(lower));
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
    const begins = before?.text === "," || before?.lower === "with" || before?.lower === "and";
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
