import { parse as parseDates } from "chrono-node/en";
import type { Accept, Alignment } from "./align.ts";
import { leadsTo, type Skill } from "./catalogue.ts";
import type { Field } from "./fields.ts";
import type { Word } from "./language.ts";
import { isAction, likeness, NEGATIONS, ORDINALS, PRONOUNS, QUESTION_WORDS, sameValue } from "./lexicon.ts";
import { fieldValue, type Memory } from "./memory.ts";

/** One clause of a request, with what it may refer to. `now` in milliseconds. */
export type Clause = { text: string; words: Word[]; memory: Memory; now: number };

export type Value = string | number | boolean;

/** What a clause says about a tool's fields. `more` are further values of a field that takes one at a time: "close KAY-1 and KAY-2". */
export type Filled = {
  input: Record<string, Value | Value[]>;
  claimed: Set<number>;
  /** Those of `claimed` that are keys of a key field. */
  keys: Set<number>;
  more?: { field: string; values: Value[] };
};

/** Whether some words could be the value of a field, from their look alone. */
export function acceptor(clause: Clause, skill: Skill): Accept {
  const { words } = clause;
  return (field, from, to) => {
    const span = words.slice(from, to);
    const [first] = span;
    if (first === undefined || (skill.access !== "read" && to - from === 1 && POSSESSIVE.has(first.lower))) return 0;
    if (to - from <= 4 && reference(clause, field, from, to) !== undefined) return 0.9;
    if (span.every(({ stop, kind }) => (stop && kind === "word") || kind === "mark") && !isValue(field, span)) return 0;
    if (first.kind === "literal") return to - from === 1 && (field.kind === "text" || field.kind === "name") ? 1 : 0;
    switch (field.kind) {
      case "key":
        return to - from === 1 && keyIn(first, field) ? 1 : 0;
      case "number":
        return to - from === 1 && /^#?\d+$/.test(first.text) ? 1 : 0;
      case "text":
        return leadsTo(skill, field, words[from - 1]) || !skill.cues.has(field.name) ? textQuality(span) : 0;
      case "name":
        return isValue(field, span) ? 1 : slotName(skill, field, words, from, to);
      default:
        return 0;
    }
  };
}

/** Fill the fields of a tool: what the example's slots took, then what the rest of the clause says by look, by known values and by cues. */
export function fill(skill: Skill, alignment: Alignment, clause: Clause): Filled {
  const filled: Filled = { input: {}, claimed: new Set(), keys: new Set() };
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

function capture(clause: Clause, skill: Skill, filled: Filled, field: Field, at: number, to: number): void {
  // "… called Login fails": the word that leads to a text is not part of it.
  const leads =
    field.kind === "text" &&
    to - at > 1 &&
    skill.cues.get(field.name)?.some(({ lower }) => lower === clause.words[at]?.lower);
  const from = leads ? at + 1 : at;
  const span = clause.words.slice(from, to);
  const [first] = span;
  if (first === undefined || filled.input[field.name] !== undefined) return;
  const referred = reference(clause, field, from, to);
  if (referred !== undefined) putAll(filled, field, referred);
  else if (field.kind === "key") put(filled, field, keyIn(first, field) ?? first.text);
  else if (field.kind === "number") put(filled, field, Number(first.text.replace("#", "")));
  else if (!isGeneric(skill, field, span)) {
    put(filled, field, known(field, span, !field.closed && !SELF.has(first.lower)) ?? textOf(clause, from, to));
  }
  if (field.kind === "key") for (let index = from; index < to; index++) filled.keys.add(index);
  claim(filled, at, to);
}

function fillKeys({ words }: Clause, filled: Filled, field: Field): void {
  const found = words.flatMap((word, index) => {
    const key = filled.claimed.has(index) ? undefined : keyIn(word, field);
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
function fillKnown({ words }: Clause, skill: Skill, filled: Filled, field: Field, { matched }: Alignment): void {
  if (filled.input[field.name] !== undefined || field.values.length === 0) return;
  for (let size = Math.min(4, words.length); size > 0; size--) {
    for (let from = 0; from + size <= words.length; from++) {
      const span = words.slice(from, from + size);
      if (span.some((_, index) => filled.claimed.has(from + index)) || isAddressee(words, from)) continue;
      // Things that are mine are asked for; what is done for "my latest commit" is not done for me.
      if (skill.access !== "read" && POSSESSIVE.has(words[from]?.lower ?? "")) continue;
      const value = known(field, span);
      if (value === undefined) continue;
      if (NEGATIONS.has(words[from - 1]?.lower ?? "")) {
        const opposite = oppositeOf(field, span);
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

function fillNumber({ words }: Clause, skill: Skill, filled: Filled, field: Field): void {
  if (filled.input[field.name] !== undefined) return;
  const numbers = words.flatMap((word, index) =>
    /^#?\d+$/.test(word.text) && !filled.claimed.has(index) ? [index] : [],
  );
  const named = numbers.find((index) => {
    return leadsTo(skill, field, words[index - 1]);
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

function fillDate({ text, words, now }: Clause, skill: Skill, filled: Filled, field: Field): void {
  if (filled.input[field.name] !== undefined) return;
  const offset = words[0]?.start ?? 0;
  for (const found of parseDates(text, new Date(now))) {
    const from = words.findIndex(({ end }) => end - offset > found.index);
    const to = words.findLastIndex(({ start }) => start - offset < found.index + found.text.length) + 1;
    if (from < 0 || filled.claimed.has(from)) continue;
    const several =
      skill.fields.filter(({ kind, name }) => kind === "date" && filled.input[name] === undefined).length > 1;
    if (several && !leadsTo(skill, field, words[from - 1])) continue;
    const date = found.start.date().toISOString();
    put(filled, field, found.start.isCertain("hour") ? date : date.slice(0, 10));
    claim(filled, from, to);
    return;
  }
}

/** A name after a word that leads to one ("in KAY"), beside the field's own name ("KAY project"), or with the field's own look. */
function fillName(clause: Clause, skill: Skill, filled: Filled, field: Field, { matched }: Alignment): void {
  const { words } = clause;
  if (filled.input[field.name] !== undefined) return;
  let best = { from: -1, to: -1, quality: 0.45 };
  words.forEach((word, from) => {
    const led = leadsTo(skill, field, words[from - 1]);
    if (filled.claimed.has(from) || (matched.has(from) && !led)) return;
    const named = words[from + 1]?.lemma === field.name;
    if (isGeneric(skill, field, [word])) return;
    const to = led ? endOfName(words, from, filled.claimed) : from + 1;
    const look = slotName(skill, field, words, from, to);
    const quality = led || named ? look : field.shape?.test(word.text) ? look * 0.8 : 0;
    if (quality > best.quality) best = { from, to, quality };
  });
  if (best.from < 0) return;
  put(filled, field, textOf(clause, best.from, best.to));
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

/** Somebody's own words: what stands after a colon or in quotes, for the fields that need text first. */
function fillTexts(skill: Skill, clause: Clause, filled: Filled): void {
  const texts = skill.fields.filter(({ kind, name }) => kind === "text" && filled.input[name] === undefined);
  texts.sort((a, b) => Number(b.required) - Number(a.required));
  clause.words.forEach((word, index) => {
    if (word.kind !== "literal" || filled.claimed.has(index)) return;
    const cue = clause.words[index - 1]?.lemma ?? "";
    const field =
      texts.find(({ name, list }) => !list && name === cue && filled.input[name] === undefined) ??
      texts.find(({ name }) => filled.input[name] === undefined);
    if (field === undefined) return;
    put(filled, field, word.text);
    claim(filled, index, index + 1);
  });
}

/** What an earlier request said and this one leaves out: the repository of "show pull request 12". */
function inherit({ memory }: Clause, filled: Filled, field: Field): void {
  if (filled.input[field.name] !== undefined) return;
  const value = memory.inputs.map((input) => input[field.name]).find((known) => known !== undefined && known !== null);
  if (typeof value === "string" || typeof value === "number") put(filled, field, value);
}

/** The values that words such as "it", "the second one" or "both" stand for, if the conversation has them. */
function reference({ words, memory }: Clause, field: Field, from: number, to: number): Value[] | undefined {
  if (field.kind === "text" || field.kind === "date" || field.kind === "boolean") return undefined;
  const span = words.slice(from, to).filter(({ lower }) => lower !== "the" && lower !== "of");
  const [head, next] = span;
  if (head === undefined || (span.length === to - from && PRONOUNS.has(head.lower) && span.length > 2))
    return undefined;
  const values = memory.items.flatMap((item) => fieldValue(item, field) ?? []);
  const ordinal = ORDINALS.get(head.lower);
  if (ordinal !== undefined && span.length <= 2 && (next === undefined || next.kind === "word")) {
    const value = values.at(ordinal);
    return value === undefined ? undefined : [value];
  }
  if (
    !PRONOUNS.has(head.lower) ||
    span.length > 2 ||
    (next !== undefined && (next.stop || next.kind !== "word" || keyIn(next, field)))
  )
    return undefined;
  if (next !== undefined && head.lower !== "this" && head.lower !== "that") return undefined;
  if (PLURALS.has(head.lower)) return values.length > 1 && values.length <= MOST ? values : undefined;
  if (values.length === 1) return values;
  const asked = memory.inputs[0]?.[field.name];
  return values.length === 0 && (typeof asked === "string" || typeof asked === "number") ? [asked] : undefined;
}

/** The known value that some words name: in its own words or, unless `exactly`, in words that mean the same. */
function known(field: Field, span: Word[], exactly = false): string | undefined {
  const same = (test: (a: Word, b: Word) => boolean) =>
    field.values.find(
      ({ words }) => words.length === span.length && words.every((word, index) => test(word, span[index] ?? word)),
    )?.value;
  const exact = same((a, b) => a.lower === b.lower || a.stem === b.stem);
  return exact ?? (exactly ? undefined : same(sameValue));
}

function isValue(field: Field, span: Word[]): boolean {
  return known(field, span) !== undefined;
}

/** "not done" is "open" where both are known values: the words of the two are a pair in everyday use. */
function oppositeOf(field: Field, span: Word[]): string | undefined {
  const done = span.some(({ lemma, lower }) => DONE.has(lemma) || DONE.has(lower));
  return done ? field.values.find(({ value }) => value.toLowerCase() === "open")?.value : undefined;
}

function keyIn(word: Word, field: Field): string | undefined {
  if (word.kind !== "word" || field.shape === undefined) return undefined;
  const last = /^https?:/.test(word.text)
    ? (word.text
        .replace(/[?#].*$/, "")
        .split("/")
        .at(-1) ?? "")
    : word.text;
  return field.shape.test(last) ? last.toUpperCase() : undefined;
}

function textQuality(span: Word[]): number {
  const first = span[0];
  const last = span.at(-1);
  if (first === undefined || last === undefined || last.kind === "mark" || first.kind === "mark") return 0;
  if (first.text.startsWith("'")) return 0;
  return span.some(({ kind }) => kind === "literal") ? 0 : 0.6 + Math.min(0.3, span.length * 0.05);
}

/** How much words look like somebody's or something's name. */
function nameQuality(field: Field, span: Word[]): number {
  const [first] = span;
  if (first === undefined || span.some(({ kind }) => kind === "mark")) return 0;
  if (span.length === 1) {
    if (first.kind === "literal") return 0.8;
    if (QUESTION_WORDS.has(first.lower)) return 0;
    if (/^[A-Za-z][A-Za-z0-9_]*-\d+$/.test(first.text) && !field.shape?.test(first.text)) return 0;
    if (field.shape?.test(first.text)) return 1;
    if (field.shape?.test(first.text.toUpperCase()) && !first.stop) return 0.55;
    if (/^[#@]|[-_/.@]/.test(first.text) && /\p{L}/u.test(first.text)) return 0.85;
    return first.stop ? 0 : /^\p{Lu}/u.test(first.text) ? 0.8 : 0.5;
  }
  const capitals = span.every(({ text, kind }) => kind === "word" && /^\p{Lu}/u.test(text));
  return capitals && span.length <= 4 && field.shape?.test(first.text) !== true ? 0.9 : 0;
}

/**
 * How well words look like a name where an example has a slot for one. A word in small letters is a name only after a word that leads to
 * one ("in kay"), and never when it says something else to this tool: a value of another field, or what its description speaks of.
 */
function slotName(skill: Skill, field: Field, words: Word[], from: number, to: number): number {
  const span = words.slice(from, to);
  const [first] = span;
  // "Use project PROJ-123": after the field's own name anything is its value.
  if (first && to - from === 1 && first.kind === "word" && !first.stop && words[from - 1]?.lemma === field.name)
    return 0.9;
  const quality = nameQuality(field, span);
  if (first === undefined || quality === 0) return 0;
  const led = leadsTo(skill, field, words[from - 1]);
  // A field that has a look of its own takes others only where they are led to; so does a name of several words.
  if (to - from > 1) return led ? quality : 0;
  if (field.shape?.test(first.text) || (quality >= 0.8 && !field.shape)) return quality;
  if (skill.fields.some((other) => other !== field && isValue(other, span))) return 0;
  if (isGeneric(skill, field, span)) return 0.5;
  return led || words[from + 1]?.lemma === field.name ? quality : 0;
}

/** A word that says no more than the tool itself does: the "ticket" of "open a ticket" is no type of issue. */
function isGeneric(skill: Skill, field: Field, span: Word[]): boolean {
  const [word] = span;
  if (
    word === undefined ||
    span.length > 1 ||
    field.kind !== "name" ||
    field.values.length === 0 ||
    isValue(field, span)
  )
    return false;
  return /^\p{Ll}/u.test(word.text) && skill.vocabulary.some((known) => likeness(known, word) >= 0.75);
}

/** "show me", "tell me": who is spoken to, not whose things they are. */
function isAddressee(words: Word[], index: number): boolean {
  return (
    words[index]?.lower === "me" &&
    /^(show|give|tell|get|find|list|send|let|help|read)$/.test(words[index - 1]?.lower ?? "")
  );
}

function textOf({ text, words }: Clause, from: number, to: number): string {
  const first = words[from];
  const last = words[to - 1];
  if (first === undefined || last === undefined) return "";
  if (to - from === 1) return first.text;
  const offset = words[0]?.start ?? 0;
  return text.slice(first.start - offset, last.end - offset).trim();
}

function put(filled: Filled, field: Field, value: Value): void {
  filled.input[field.name] = field.list ? [value] : value;
}

function putAll(filled: Filled, field: Field, values: Value[]): void {
  const [first, ...others] = values;
  if (first === undefined) return;
  filled.input[field.name] = field.list ? values : first;
  if (!field.list && others.length > 0) filled.more = { field: field.name, values: others };
}

function claim({ claimed }: Filled, from: number, to: number): void {
  for (let index = from; index < to; index++) claimed.add(index);
}

const AMOUNT = /^(limit|count|max|amount|first|page_?size)/i;
const POSSESSIVE = new Set(["my", "mine", "i"]);
const SELF = new Set(["i", "me", "my", "mine", "myself"]);
const PLURALS = new Set(["them", "these", "those", "both"]);
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

/** "Them" stands for at most so many things; more have to be named. */
const MOST = 5;
