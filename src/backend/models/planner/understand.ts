import { acceptor } from "./accept.ts";
import { type Alignment, align } from "./align.ts";
import type { Part, Skill } from "./catalogue.ts";
import type { Clause, Value } from "./clause.ts";
import { isQuestion } from "./clauses.ts";
import type { Field } from "./fields.ts";
import type { Word } from "./language.ts";
import { NEGATIONS, ORDINALS, PLACING, POSSESSIVE, PRONOUNS } from "./grammar.ts";
import { isAction, likeness } from "./lexicon.ts";
import { known } from "./looks.ts";
import { type Filled, fill } from "./slots.ts";

/** A tool that a clause may mean, with the input it gives and what is still missing. */
export type Reading = {
  skill: Skill;
  /** How sure: 0 to about 1. */
  score: number;
  input: Filled["input"];
  more?: { field: string; values: Value[] };
  missing: Field[];
  /** The example of the tool that the clause is like. */
  example: string;
  /** Words of the clause that neither the example nor a field nor the tool's description accounts for. */
  loose: number;
};

/** From this score on a reading is acted upon; below it the planner says what it can do instead. */
export const SURE = 0.55;

/** From this score on, what is missing apart, it is worth asking for what a write still needs. */
export const LIKELY = 0.46;

/**
 * Every tool that a clause may mean, the likeliest first. A write is only read into a clause whose verb is the tool's own and that is
 * neither a question nor says "don't".
 */
export function readings(clause: Clause, skills: Skill[]): Reading[] {
  const cautious = isQuestion(clause.words) || isForbidden(clause);
  const usable = skills.filter(({ access }) => access === "read" || !cautious);
  return usable.flatMap((skill) => reading(skill, clause, skills) ?? []).sort((a, b) => b.score - a.score);
}

/** "Don't close KAY-3": nothing is done, and said so. */
export function isForbidden({ words }: Clause): boolean {
  const [first, second] = words.map(({ lower }) => lower);
  return first === "never" || first === "don't" || first === "dont" || (first === "do" && NEGATIONS.has(second ?? ""));
}

function reading(skill: Skill, clause: Clause, skills: Skill[]): Reading | undefined {
  const accept = acceptor(clause, skill);
  let best: Reading | undefined;
  for (const [index, parts] of skill.patterns.entries()) {
    const alignment = align(parts, clause.words, accept);
    if (skill.access !== "read" && !alignment.verb) continue;
    const keyed = skill.access === "read" && alignment.captures.some(({ field }) => field.kind === "key");
    if ((alignment.matched.size === 0 && !keyed) || (commands(skill, clause) && !actsLike(parts, clause))) continue;
    if (saysNothing(skill, alignment, clause)) continue;
    const filled = fill(skill, alignment, clause);
    const score = judge(skill, parts, alignment, filled, clause, skills);
    if (best === undefined || score > best.score) {
      const loose = looseWords(skill, alignment, filled, clause);
      best = { ...candidate(skill, score, filled), example: skill.examples[index] ?? "", loose };
    }
  }
  return best;
}

/** Whether the clause begins with what it wants done; "show …" never wants anything changed. */
function commands(skill: Skill, { words: [first] }: Clause): boolean {
  return isAction(first) || (skill.access !== "read" && first !== undefined && LOOKING.has(first.lower));
}

/** Whether an example shares nothing with the clause but the name of the service, while the clause says more: "message Sam on LinkedIn". */
function saysNothing(skill: Skill, { matched, captures }: Alignment, { words }: Clause): boolean {
  if (captures.length > 0) return false;
  const names = [skill.service, skill.title.toLowerCase()];
  const told = words.flatMap(({ kind, stop, lower }, index) =>
    kind === "mark" || stop || names.includes(lower) ? [] : [index],
  );
  return told.length > 0 && !told.some((index) => matched.has(index));
}

/** Whether an example begins with the action that the clause begins with. */
function actsLike([first]: Part[], { words }: Clause): boolean {
  const [action] = words;
  return first !== undefined && "word" in first && action !== undefined && likeness(first.word, action) > 0;
}

function candidate(skill: Skill, score: number, { input, more }: Filled): Omit<Reading, "example" | "loose"> {
  const missing = skill.fields.filter(
    ({ required, name }) => required && (input[name] === undefined || input[name] === ""),
  );
  return { skill, score, input, ...(more ? { more } : {}), missing };
}

function judge(
  skill: Skill,
  parts: Part[],
  alignment: Alignment,
  filled: Filled,
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
    (skill.access === "read" ? 0 : shapeBonus(skill, alignment, clause)) -
    (skill.access === "read" && isBaseless(skill, alignment, filled, clause) ? 0.4 : 0) -
    (skill.access !== "read" && isForeign(skill, alignment, filled, clause) ? 0.25 : 0)
  );
}

/** How much of what was said is accounted for: matched by the example, put into a field, or said by the tool's description. */
function coverage(skill: Skill, { matched }: Alignment, { claimed }: Filled, { words }: Clause): number {
  let total = 0;
  let covered = 0;
  words.forEach((word, index) => {
    if (word.kind === "mark" || (word.stop && !claimed.has(index) && !matched.has(index))) return;
    const weight = word.stop ? 0.3 : 1;
    total += weight;
    if (matched.has(index) || claimed.has(index)) covered += weight;
    else if (describes(skill, index, words)) covered += weight * 0.6;
  });
  return total === 0 ? 0 : covered / total;
}

function looseWords(skill: Skill, { matched }: Alignment, { claimed }: Filled, { words }: Clause): number {
  return words.filter(
    ({ kind, stop }, index) =>
      kind !== "mark" && !stop && !matched.has(index) && !claimed.has(index) && !describes(skill, index, words),
  ).length;
}

/** Whether what is asked for is only where the tool looks: the repositories of "list my repositories", for a tool that lists issues of one. */
function isOnlyPlace(skill: Skill, { words }: Clause): boolean {
  const end = words.findIndex(({ lower, kind }) => kind !== "word" || PLACING.has(lower));
  const head = words.slice(0, end < 0 ? undefined : end).findLast(({ stop }) => !stop);
  if (head === undefined || head === words[0]) return false;
  const place = skill.fields.some(({ word }) => word !== undefined && likeness(word, head) >= 0.75);
  return place && !isThing(skill, head);
}

/**
 * Whether nothing that was said tells this tool from others: "show" and a name that could be the name of anything. Whoever names the service
 * or a thing of it, or a value with a look of its own, has told.
 */
function isBaseless(skill: Skill, { matched, captures }: Alignment, filled: Filled, { words }: Clause): boolean {
  const names = [skill.service, skill.title.toLowerCase()];
  const telling = words.some(
    ({ stop, lower }, index) => names.includes(lower) || (matched.has(index) && !stop && !(index === 0 && LOOKING.has(lower))),
  );
  if (telling || filled.keys.size > 0) return false;
  const captured = new Set(captures.flatMap(({ from, to }) => words.slice(from, to)));
  const particular = captures.some(({ field, from, to }) => {
    const span = words.slice(from, to);
    return field.kind === "number" || field.kind === "date" || known(field, span) || field.shape?.test(span[0]?.text ?? "");
  });
  return !particular && words.every((word, index) => captured.has(word) || !filled.claimed.has(index) || word.stop);
}

/** Whether "my" is said, and the tool finds those of everybody. */
function isOthers({ matched }: Alignment, { claimed }: Filled, { words }: Clause): boolean {
  return words.some(({ lower }, index) => POSSESSIVE.has(lower) && lower !== "i" && !matched.has(index) && !claimed.has(index));
}

/** An address or a channel belongs where the tool expects one: "send … to sam@example.com". */
function shapeBonus(skill: Skill, { captures }: Alignment, { words }: Clause): number {
  const shaped = captures.some(({ field, from, to }) => to - from === 1 && /[#@]/.test(words[from]?.text ?? "") && field.shape?.test(words[from]?.text ?? ""));
  return shaped && skill.fields.length > 0 ? 0.1 : 0;
}

/** Whether a word names what a tool is asked for in its examples. */
export function isThing(skill: Skill, word: Word): boolean {
  return skill.things.some((part) =>
    "word" in part ? likeness(part.word, word) >= 0.75 : known(part.slot, [word]) !== undefined,
  );
}

/** "Delete the old one", "close everything": a change of nothing that has a name, unless the conversation knows it. */
export function isVague({ words, memory }: Clause, best: Reading | undefined): boolean {
  const [verb, ...others] = words;
  if (!isAction(verb) || !others.some(({ lower }) => VAGUE.has(lower))) return false;
  if (best?.missing.length === 0 && memory.items.length > 0) return false;
  return others.every(
    ({ lower, stop, kind }) =>
      stop || kind === "mark" || VAGUE.has(lower) || PRONOUNS.has(lower) || ORDINALS.has(lower) || KINDLESS.has(lower),
  );
}

/** Whether what is to be changed is nothing that the tool speaks of: the "row" of "add a row", for a tool that creates issues. */
function isForeign(skill: Skill, { matched }: Alignment, { claimed }: Filled, { words }: Clause): boolean {
  const object = words.findIndex(
    ({ kind, stop, lower }, index) => index > 0 && kind === "word" && !stop && lower !== "new",
  );
  return object > 0 && !matched.has(object) && !claimed.has(object) && !describes(skill, object, words);
}

/** A key such as KAY-3 says what a request is about: a tool that has no place for it is hardly meant. */
function entityBonus({ claimed, keys }: Filled, { words }: Clause): number {
  const present = words.flatMap((word, index) => (word.kind === "word" && KEY.test(word.text) ? [index] : []));
  if (present.length === 0) return 0;
  const placed = present.every((index) => claimed.has(index) && keys.has(index));
  return placed ? (isQuestion(words) ? 0.3 : 0.1) : -0.2;
}

function describes(skill: Skill, index: number, words: Clause["words"]): boolean {
  const word = words[index];
  if (word === undefined) return false;
  if (word.lower === skill.service || word.lower === skill.title.toLowerCase()) return true;
  return skill.vocabulary.some((known) => likeness(known, word) >= 0.75);
}

/** Whoever names a service means that one. */
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

const VAGUE = new Set(["one", "ones", "thing", "things", "stuff", "everything", "something", "anything", "all"]);

const KINDLESS = new Set(["old", "older", "oldest", "new", "newest", "latest", "other", "wrong", "right", "same", "previous"]);

const LOOKING = new Set(["show", "list", "display", "view", "find", "search", "look", "read", "print"]);

const KEY = /^[A-Za-z][A-Za-z0-9_]*-\d+$/;
