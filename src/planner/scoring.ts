import type { Alignment } from "./align.ts";
import type { Part, Skill } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { isQuestion } from "./clauses.ts";
import { PLACE_WORDS, POSSESSIVES } from "./grammar.ts";
import type { Word } from "./language.ts";
import { scoreSimilarity } from "./lexicon.ts";
import type { FilledFields } from "./slots.ts";
import { findKnownValue } from "./value-scores.ts";

/** How well a tool fits a clause, as one of its examples does: 0 to about 1. */
export function scoreReading(
  skill: Skill,
  parts: Part[],
  alignment: Alignment,
  filled: FilledFields,
  clause: Clause,
  skills: Skill[],
): number {
  const missing = skill.fields.filter(({ required, name }) => required && filled.input[name] === undefined).length;
  const slots = parts.filter((part) => "slot" in part).length;
  const empty = slots - alignment.captures.length;
  const fit = alignment.score;
  const covered = coverage(skill, alignment, filled, clause);
  // Both have to be good: an example that fits a corner of the request says little, and so does a request that happens to use its words.
  const both = fit + covered === 0 ? 0 : (2 * fit * covered) / (fit + covered);
  return (
    0.5 * both +
    0.3 * fit +
    0.2 * covered +
    serviceBonus(skill, clause, skills) -
    0.1 * missing -
    0.02 * empty +
    entityBonus(filled, clause) -
    (isOnlyPlace(skill, clause) ? 0.3 : 0) -
    (skill.access === "read" && isOthers(alignment, filled, clause) ? 0.15 : 0) +
    shapeBonus(alignment, clause) * (skill.access === "read" ? 0.5 : 1) -
    (isBaseless(skill, parts, alignment, filled, clause) ? (skill.access === "read" ? 0.4 : 0.2) : 0) -
    (skill.access !== "read" && isForeign(skill, alignment, filled, clause) ? 0.25 : 0)
  );
}

/**
 * Share of the words that are accounted for: matched by the example, put into a field, or named by the tool's
 * description.
 */
function coverage(skill: Skill, { matched }: Alignment, { claimed }: FilledFields, { words }: Clause): number {
  let total = 0;
  let covered = 0;
  words.forEach((word, index) => {
    if (word.kind === "mark" || (word.stop && !claimed.has(index) && !matched.has(index))) return;
    const weight = word.stop ? 0.3 : 1;
    total += weight;
    if (matched.has(index) || claimed.has(index)) covered += weight;
    else if (namesField(skill, word)) covered += weight;
    else if (describes(skill, index, words)) covered += weight * 0.6;
  });
  return total === 0 ? 0 : covered / total;
}

/** "Close the issue": what it works on is named, though not which one. */
function namesField(skill: Skill, word: Word): boolean {
  return skill.fields.some((field) => field.word !== undefined && scoreSimilarity(field.word, word) >= 0.75);
}

/** Words of a clause that neither the example nor a field nor the description accounts for. */
export function countUnexplained(
  skill: Skill,
  { matched }: Alignment,
  { claimed }: FilledFields,
  { words }: Clause,
): number {
  return words.filter(
    ({ kind, stop }, index) =>
      kind !== "mark" && !stop && !matched.has(index) && !claimed.has(index) && !describes(skill, index, words),
  ).length;
}

/** Whether what is asked for is only where the tool looks: the repositories of "list my repositories", for a tool that lists issues of one. */
function isOnlyPlace(skill: Skill, { words }: Clause): boolean {
  const end = words.findIndex(({ lower, kind }) => kind !== "word" || PLACE_WORDS.has(lower));
  const head = words.slice(0, end < 0 ? undefined : end).findLast(({ stop }) => !stop);
  if (head === undefined || head === words[0]) return false;
  const place = skill.fields.some(({ word }) => word !== undefined && scoreSimilarity(word, head) >= 0.75);
  return place && !isKnownNoun(skill, head);
}

/**
 * Returns whether no word distinguishes this tool from others: "show" and a name that could be anything. Naming the
 * service, one of its things, or a value with a distinct form does.
 */
function isBaseless(
  skill: Skill,
  [verb]: Part[],
  { matched, captures }: Alignment,
  filled: FilledFields,
  { words }: Clause,
): boolean {
  const names = [skill.service, skill.title.toLowerCase()];
  // "Cancel Standup": there is one tool that cancels; "add", "set" and "show" could be anybody's.
  const rare = verb !== undefined && "word" in verb && verb.weight >= RARE;
  const telling = words.some(
    (word, index) =>
      names.includes(word.lower) ||
      (!word.stop && matched.has(index) && (index > 0 || rare)) ||
      (!word.stop && index > 0 && namesField(skill, word)),
  );
  if (telling || filled.keys.size > 0) return false;
  const captured = new Set(captures.flatMap(({ from, to }) => words.slice(from, to)));
  const particular = captures.some(({ field, from, to }) => {
    const span = words.slice(from, to);
    return (
      field.kind === "number" ||
      field.kind === "date" ||
      findKnownValue(field, span) ||
      field.shape?.test(span[0]?.text ?? "")
    );
  });
  return !particular && words.every((word, index) => captured.has(word) || !filled.claimed.has(index) || word.stop);
}

/** Whether "my" is said, and the tool finds those of everybody. */
function isOthers({ matched }: Alignment, { claimed }: FilledFields, { words }: Clause): boolean {
  return words.some(
    ({ lower }, index) => POSSESSIVES.has(lower) && lower !== "i" && !matched.has(index) && !claimed.has(index),
  );
}

/** An address or a channel belongs where the tool expects one: "send … to sam@example.com". */
function shapeBonus({ captures }: Alignment, { words }: Clause): number {
  const shaped = captures.some(({ field, from, to }) => {
    const text = words[from]?.text ?? "";
    return to - from === 1 && /[#@]/.test(text) && field.shape?.test(text) === true;
  });
  return shaped ? 0.1 : 0;
}

/** Whether a word names what a tool is asked for in its examples. */
export function isKnownNoun(skill: Skill, word: Word): boolean {
  return skill.things.some((part) =>
    "word" in part ? scoreSimilarity(part.word, word) >= 0.75 : findKnownValue(part.slot, [word]) !== undefined,
  );
}

/**
 * Returns whether the tool does not know the thing to be changed: the "row" of "add a row", for a tool that creates
 * issues.
 */
function isForeign(skill: Skill, { matched }: Alignment, { claimed }: FilledFields, { words }: Clause): boolean {
  const object = words.findIndex(
    ({ kind, stop, lower }, index) => index > 0 && kind === "word" && !stop && lower !== "new",
  );
  return object > 0 && !matched.has(object) && !claimed.has(object) && !describes(skill, object, words);
}

/** A key such as KAY-3 says what a request is about: a tool that has no place for it is hardly meant. */
function entityBonus({ claimed, keys }: FilledFields, { words }: Clause): number {
  const present = words.flatMap((word, index) => (word.kind === "word" && KEY.test(word.text) ? [index] : []));
  if (present.length === 0) return 0;
  const placed = present.every((index) => claimed.has(index) && keys.has(index));
  return placed ? (isQuestion(words) ? 0.3 : 0.1) : -0.2;
}

function describes(skill: Skill, index: number, words: Clause["words"]): boolean {
  const word = words[index];
  if (word === undefined) return false;
  if (word.lower === skill.service || word.lower === skill.title.toLowerCase()) return true;
  return skill.vocabulary.some((known) => scoreSimilarity(known, word) >= 0.75);
}

/** A named service is meant. */
function serviceBonus(skill: Skill, { words }: Clause, skills: Skill[]): number {
  const named = new Set(
    words.flatMap(({ lower }) =>
      skills
        .filter(({ service, title }) => lower === service || lower === title.toLowerCase())
        .map(({ service }) => service),
    ),
  );
  if (named.size === 0) return 0;
  return named.has(skill.service) ? 0.12 : -0.4;
}

/** Weight from which a verb alone identifies the tool. */
const RARE = 0.9;

const KEY = /^[A-Za-z][A-Za-z0-9_]*-\d+$/;
