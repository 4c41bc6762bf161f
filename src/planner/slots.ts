import type { Alignment } from "./align.ts";
import { isCueFor, type Skill } from "./catalogue.ts";
import { type Clause, sliceText, type Value } from "./clauses.ts";
import { findDates, type NamedDate } from "./dates.ts";
import { type Field, isLongText } from "./fields.ts";
import { NEGATIONS, POSSESSIVES } from "./grammar.ts";
import type { Word } from "./language.ts";
import { isAction } from "./lexicon.ts";
import { resolveReference } from "./reference.ts";
import { TEXT_MARK } from "./spans.ts";
import { findKey, findKnownValue, isGenericWord, scoreName } from "./value-scores.ts";

/**
 * What a clause says about a tool's fields. `more` are further values of a field that takes one at a time: "close KAY-1
 * and KAY-2".
 */
export type FilledFields = {
  input: Record<string, Value | Value[]>;
  claimed: Set<number>;
  /** Those of `claimed` that are keys of a key field. */
  keys: Set<number>;
  more?: { field: string; values: Value[] };
};

/** Fill the fields of a tool: what the example's slots took, then what the rest of the clause says by look, by known values and by cues. */
export function fillFields(skill: Skill, alignment: Alignment, clause: Clause): FilledFields {
  const filled: FilledFields = { input: {}, claimed: new Set(), keys: new Set() };
  for (const { field, from, to } of alignment.captures) capture(clause, skill, filled, field, from, to);
  for (const field of skill.fields) if (field.kind === "key") fillKeys(clause, filled, field);
  for (const field of skill.fields) fillKnown(clause, skill, filled, field, alignment);
  for (const field of skill.fields) if (field.kind === "number") fillNumber(clause, skill, filled, field);
  for (const field of skill.fields) if (field.kind === "date") fillDate(clause, skill, filled, field);
  for (const field of skill.fields) {
    if (field.kind === "name") fillName(clause, skill, filled, field, alignment);
  }
  fillTexts(skill, clause, filled);
  for (const field of skill.fields)
    if (field.required && field.kind !== "text" && field.kind !== "key") inherit(clause, filled, field);
  return filled;
}

function capture(clause: Clause, skill: Skill, filled: FilledFields, field: Field, at: number, to: number): void {
  // "… called Login fails": the word that leads to a text is not part of it.
  const leads =
    field.kind === "text" &&
    to - at > 1 &&
    skill.cues.get(field.name)?.some(({ lower }) => lower === clause.words[at]?.lower);
  const from = leads ? at + 1 : at;
  const span = clause.words.slice(from, to);
  const [first] = span;
  if (field.kind === "date") {
    const date = findDates(clause, field).find((one) => one.from === from && one.to === to);
    if (date && filled.input[field.name] === undefined) putDate(skill, filled, field, date);
    return;
  }
  if (first === undefined || filled.input[field.name] !== undefined) return;
  const referred = resolveReference(clause, field, from, to);
  if (referred !== undefined) putAll(filled, field, referred);
  else if (field.kind === "key") put(filled, field, findKey(first, field) ?? first.text);
  else if (field.kind === "number") put(filled, field, Number(first.text.replace("#", "")));
  else if (!isGenericWord(skill, field, span)) {
    put(
      filled,
      field,
      findKnownValue(field, span, !field.closed && !SELF.has(first.lower)) ?? sliceText(clause, from, to),
    );
  }
  if (field.kind === "key") for (let index = from; index < to; index++) filled.keys.add(index);
  claim(filled, at, to);
}

function fillKeys({ words }: Clause, filled: FilledFields, field: Field): void {
  const found = words.flatMap((word, index) => {
    const key = filled.claimed.has(index) ? undefined : findKey(word, field);
    return key === undefined ? [] : [{ key, index }];
  });
  for (const { index } of found) {
    claim(filled, index, index + 1);
    filled.keys.add(index);
  }
  const first = filled.input[field.name];
  const keys = [...(first === undefined ? [] : [first].flat()), ...found.map(({ key }) => key)];
  if (found.length > 0) putAll(filled, field, [...new Set(keys)]);
}

/** Known values anywhere in the clause, the longest first; "not done" is not "done". */
function fillKnown({ words }: Clause, skill: Skill, filled: FilledFields, field: Field, { matched }: Alignment): void {
  if (filled.input[field.name] !== undefined || field.values.length === 0) return;
  for (let size = Math.min(4, words.length); size > 0; size--) {
    for (let from = 0; from + size <= words.length; from++) {
      const span = words.slice(from, from + size);
      if (span.some((_, index) => filled.claimed.has(from + index)) || isAddressee(words, from)) continue;
      // Things that are mine are asked for; what is done for "my latest commit" is not done for me.
      if (skill.access !== "read" && POSSESSIVES.has(words[from]?.lower ?? "")) continue;
      const value = findKnownValue(field, span);
      if (value === undefined) continue;
      if (NEGATIONS.has(words[from - 1]?.lower ?? "")) {
        const opposite = getOpposite(field, span);
        if (opposite === undefined) continue;
        put(filled, field, opposite);
        claim(filled, from - 1, from + size);
        return;
      }
      // The word that names the action is a value only where the action cannot be said without it ("close KAY-3").
      if (matched.has(from) && !field.required && from === 0 && isAction(words[0])) continue;
      put(filled, field, value);
      claim(filled, from, from + size);
      return;
    }
  }
}

function fillNumber({ words }: Clause, skill: Skill, filled: FilledFields, field: Field): void {
  if (filled.input[field.name] !== undefined) return;
  const numbers = words.flatMap((word, index) =>
    /^#?\d+$/.test(word.text) && !filled.claimed.has(index) ? [index] : [],
  );
  const named = numbers.find((index) => {
    return isCueFor(skill, field, words[index - 1]);
  });
  // "Show 5 bugs": how many.
  const amount = AMOUNT.test(field.name)
    ? numbers.find((at) => words[at + 1]?.kind === "word" && !words[at + 1]?.stop)
    : undefined;
  const index = named ?? amount ?? (field.required ? numbers[0] : undefined);
  const word = index === undefined ? undefined : words[index];
  if (index === undefined || word === undefined) return;
  put(filled, field, Number(word.text.replace("#", "")));
  claim(filled, index, index + 1);
}

/** The first day or time that is not taken; where there are several fields for one, the words before it say which. */
function fillDate(clause: Clause, skill: Skill, filled: FilledFields, field: Field): void {
  if (filled.input[field.name] !== undefined) return;
  const open = skill.fields.filter(({ kind, name }) => kind === "date" && filled.input[name] === undefined);
  const leads = (one: Field, from: number) => isCueFor(skill, one, clause.words[from - 1]);
  const date = findDates(clause, field).find(
    ({ from }) =>
      !filled.claimed.has(from) && (open.length === 1 || leads(field, from) || !open.some((one) => leads(one, from))),
  );
  if (date) putDate(skill, filled, field, date);
}

/** "From 2 to 3pm" is one date with an end, which is for the field after. */
function putDate(skill: Skill, filled: FilledFields, field: Field, { from, to, start, end }: NamedDate): void {
  const next = skill.fields.find(({ kind, name }) => kind === "date" && /^(end|until|to)/.test(name));
  put(filled, field, start);
  if (end !== undefined && next && next !== field && filled.input[next.name] === undefined) put(filled, next, end);
  claim(filled, from, to);
}

/** A name after a word that leads to one ("in KAY"), beside the field's own name ("KAY project"), or with the field's own look. */
function fillName(clause: Clause, skill: Skill, filled: FilledFields, field: Field, { matched }: Alignment): void {
  const { words } = clause;
  // Values of a closed list are found wherever they stand, and nothing else is one.
  if (filled.input[field.name] !== undefined || field.closed) return;
  let best = { from: -1, to: -1, quality: 0.45 };
  words.forEach((word, from) => {
    const led = isCueFor(skill, field, words[from - 1]);
    if (filled.claimed.has(from) || (matched.has(from) && !led)) return;
    const named = words[from + 1]?.lemma === field.name;
    if (
      isGenericWord(skill, field, [word]) ||
      skill.fields.some(({ name }) => name !== field.name && name === word.lower)
    )
      return;
    const to = led ? endOfName(words, from, filled.claimed) : from + 1;
    const look = scoreName(skill, field, words, from, to);
    const quality = led || named ? look : field.shape?.test(word.text) ? look * 0.8 : 0;
    if (quality > best.quality) best = { from, to, quality };
  });
  if (best.from < 0) return;
  put(filled, field, sliceText(clause, best.from, best.to));
  claim(filled, best.from, best.to);
}

/** Where a name of several capitalised words ends. */
function endOfName(words: Word[], from: number, claimed: Set<number>): number {
  const isCapital = (index: number) =>
    words[index]?.kind === "word" && !claimed.has(index) && /^\p{Lu}/u.test(words[index]?.text ?? "");
  let to = from + 1;
  while (isCapital(from) && isCapital(to) && to - from < 4) to++;
  return to;
}

/** The user's text after a colon or in quotes, for the fields that need text first. */
function fillTexts(skill: Skill, clause: Clause, filled: FilledFields): void {
  const texts = skill.fields.filter(({ kind, name }) => kind === "text" && filled.input[name] === undefined);
  texts.sort((a, b) => Number(b.required) - Number(a.required));
  clause.words.forEach((word, index) => {
    if (word.kind !== "literal" || filled.claimed.has(index)) return;
    const cue = clause.words[index - 1]?.lemma ?? "";
    const open = texts.filter(
      (one) => filled.input[one.name] === undefined && (word.text !== TEXT_MARK || isLongText(one)),
    );
    const field = open.find(({ name, list }) => !list && name === cue) ?? open[0];
    if (field === undefined) return;
    put(filled, field, word.text);
    claim(filled, index, index + 1);
  });
}

/** What an earlier request said and this one leaves out: the repository of "show pull request 12". */
function inherit({ memory }: Clause, filled: FilledFields, field: Field): void {
  if (filled.input[field.name] !== undefined) return;
  const value = memory.asked
    .map(({ input }) => input[field.name])
    .find((known) => known !== undefined && known !== null);
  if (typeof value === "string" || typeof value === "number") put(filled, field, value);
}

/** "not done" is "open" where both are known values: the words of the two are a pair in everyday use. */
function getOpposite(field: Field, span: Word[]): string | undefined {
  const done = span.some(({ lemma, lower }) => DONE.has(lemma) || DONE.has(lower));
  return done ? field.values.find(({ value }) => value.toLowerCase() === "open")?.value : undefined;
}

/** "show me", "tell me": who is spoken to, not whose things they are. */
function isAddressee(words: Word[], index: number): boolean {
  return (
    words[index]?.lower === "me" &&
    /^(show|give|tell|get|find|list|send|let|help|read)$/.test(words[index - 1]?.lower ?? "")
  );
}

function put(filled: FilledFields, field: Field, value: Value): void {
  filled.input[field.name] = field.list ? [value] : value;
}

function putAll(filled: FilledFields, field: Field, values: Value[]): void {
  const [first, ...others] = values;
  if (first === undefined) return;
  filled.input[field.name] = field.list ? values : first;
  if (!field.list && others.length > 0) filled.more = { field: field.name, values: others };
}

function claim({ claimed }: FilledFields, from: number, to: number): void {
  for (let index = from; index < to; index++) claimed.add(index);
}

const AMOUNT = /^(limit|count|max|amount|first|page_?size)/i;

const SELF = new Set(["i", "me", "my", "mine", "myself"]);

const DONE = new Set([
  "do",
  "done",
  "close",
  "closed",
  "resolve",
  "resolved",
  "finish",
  "finished",
  "complete",
  "completed",
]);
