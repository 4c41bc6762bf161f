import { isCueFor, type Skill } from "./catalogue.ts";
import type { Field } from "./fields.ts";
import { QUESTION_WORDS } from "./grammar.ts";
import type { Word } from "./language.ts";
import { isSameValue, scoreSimilarity } from "./lexicon.ts";

/**
 * How well words look like a name where an example has a slot for one. A word in small letters is a name only after a word that leads to
 * one ("in kay"), and never when it says something else to this tool: a value of another field, or what its description speaks of.
 */
export function scoreName(skill: Skill, field: Field, words: Word[], from: number, to: number): number {
  const span = words.slice(from, to);
  const [first] = span;
  // "Use project PROJ-123": after the field's own name anything is its value.
  if (first && to - from === 1 && first.kind === "word" && !first.stop && words[from - 1]?.lemma === field.name)
    return goesOn(first, words[to]) ? 0.8 : 0.9;
  if (isServiceName(skill, span)) return 0;
  const quality = nameQuality(field, span);
  if (first === undefined || quality === 0) return 0;
  const led = isCueFor(skill, field, words[from - 1]);
  // A field that has a look of its own takes others only where they are led to; so does a name of several words.
  if (to - from > 1) return led ? quality : 0;
  if (field.shape?.test(first.text) || (quality >= 0.8 && !field.shape)) return quality;
  if (skill.fields.some((other) => other !== field && couldBeValue(other, span))) return 0;
  if (isGenericWord(skill, field, span)) return 0.5;
  return led || words[from + 1]?.lemma === field.name ? quality : 0;
}

/** The name of the tool's own service says where to look; nothing there is called that unless it is in quotes. */
export function isServiceName({ service, title }: Skill, span: Word[]): boolean {
  const [first] = span;
  if (first === undefined || span.length > 3) return false;
  const name = title.toLowerCase();
  if (first.lower !== service && !name.startsWith(first.lower)) return false;
  const text = span.map(({ lower }) => lower).join(" ");
  return text === service || text === name;
}

/** A name of which this word is only the first: "Mara" in "the contact Mara Lind". */
function goesOn(word: Word, next: Word | undefined): boolean {
  return next?.kind === "word" && [word, next].every(({ text }) => /^\p{Lu}\p{Ll}/u.test(text));
}

/** A word that says no more than the tool itself does: the "ticket" of "open a ticket" is no type of issue. */
export function isGenericWord(skill: Skill, field: Field, span: Word[]): boolean {
  const [word] = span;
  if (
    word === undefined ||
    span.length > 1 ||
    field.kind !== "name" ||
    field.values.length === 0 ||
    couldBeValue(field, span)
  )
    return false;
  return /^\p{Ll}/u.test(word.text) && skill.vocabulary.some((known) => scoreSimilarity(known, word) >= 0.75);
}

/** The known value that some words name: in its own words or, unless `exactly`, in words that mean the same. */
export function findKnownValue(field: Field, span: Word[], exactly = false): string | undefined {
  const same = (test: (a: Word, b: Word) => boolean) =>
    field.values.find(
      ({ words }) => words.length === span.length && words.every((word, index) => test(word, span[index] ?? word)),
    )?.value;
  const exact = same((a, b) => a.lower === b.lower || a.stem === b.stem);
  return exact ?? (exactly ? undefined : same(isSameValue));
}

export function couldBeValue(field: Field, span: Word[]): boolean {
  return findKnownValue(field, span) !== undefined;
}

export function findKey(word: Word, field: Field): string | undefined {
  if (word.kind !== "word" || field.shape === undefined) return undefined;
  const last = /^https?:/.test(word.text)
    ? (word.text
        .replace(/[?#].*$/, "")
        .split("/")
        .at(-1) ?? "")
    : word.text;
  return field.shape.test(last) ? last.toUpperCase() : undefined;
}

export function scoreText(span: Word[]): number {
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
