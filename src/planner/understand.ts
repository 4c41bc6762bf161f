import type { Part, Skill } from "./catalogue.ts";
import type { Clause, Value } from "./clauses.ts";
import { isQuestion } from "./clauses.ts";
import { isNoun, isRival, isServiceName } from "./field-words.ts";
import { type Field, isFieldWord } from "./fields.ts";
import { isPlural, NEGATIONS, OPERATORS, PREPOSITIONS, PRONOUNS } from "./grammar.ts";
import { getWord, type Word } from "./language.ts";
import { isAction, scoreSimilarity } from "./lexicon.ts";
import { type Match, matchExample } from "./match.ts";
import { getFieldValue, getService } from "./memory.ts";
import type { Phrase } from "./phrase.ts";
import { findPhrases } from "./phrases.ts";
import type { Steps } from "./steps.ts";
import { findTimes } from "./times.ts";
import { findUnits } from "./units.ts";

/** A tool that a clause may mean, with the input it gives and what is still missing. */
export type Reading = {
  skill: Skill;
  score: number;
  input: Record<string, Value | Value[]>;
  /** Further values of a field that takes one at a time: "close KAY-1 and KAY-2". */
  more?: { field: string; values: Value[] };
  missing: Field[];
  /** Indexes of the words that nothing accounts for. */
  loose: number[];
  /** Whether something besides a common verb tells which tool is meant. */
  told: boolean;
};

/** Every tool that a clause may mean, the likeliest first. A write is only read into a clause that begins with its verb. */
export function* rankReadings(clause: Clause, skills: Skill[]): Steps<Reading[]> {
  const cautious = isQuestion(clause.words) || isForbidden(clause);
  const readings: Reading[] = [];
  for (const skill of skills) {
    if (skill.access !== "read" && cautious) continue;
    const reading = yield* readAs(skill, clause);
    if (reading) readings.push(reading);
  }
  return readings.sort((a, b) => b.score - a.score);
}

/** Whether a reading accounts for every word, and for enough of them to tell which tool is meant. */
export function isSure({ loose, told, score }: Reading): boolean {
  return loose.length === 0 && told && score >= LEAST;
}

/**
 * Whether a reading shows all that there is about one thing, and leaves out only words about what to look for in it. Of
 * a list, every word counts.
 */
export function isNearlySure({ skill, loose, told, score, missing, input }: Reading, clause: Clause): boolean {
  const { words } = clause;
  const asks = isQuestion(words);
  if (skill.access !== "read" || !told || missing.length > 0 || score + 1.5 * loose.length < LEAST) return false;
  if (loose.length > 4 || !(asks || (LOOKING.has(getWord(words, 0).lemma) && !loose.includes(0)))) return false;
  const things = skill.fields.filter(({ required }) => required).map(({ name }) => String(input[name]));
  if (things.length === 0 || !things.every((thing) => /^[\p{Lu}\d#]|@|\/\//u.test(thing))) return false;
  const isTimed = findTimes(clause, true).some(({ from, to }) => loose.some((at) => from <= at && at < to));
  return !isTimed && loose.every((at) => mayBeLeftOut(skill, words, loose, at));
}

function mayBeLeftOut(skill: Skill, words: Word[], loose: number[], at: number): boolean {
  const { kind, lower, text } = getWord(words, at);
  if (kind !== "word" || OPERATORS.has(lower) || skill.foreign.has(lower) || /[\d#@]/.test(text)) return false;
  return !PREPOSITIONS.has(lower) || loose.includes(at + 1);
}

/** "Don't close KAY-3": nothing is done, and said so. */
export function isForbidden({ words }: Clause): boolean {
  const [first, second] = words.map(({ lower }) => lower);
  return first === "never" || first === "dont" || (first === "do" && NEGATIONS.has(second ?? ""));
}

function* readAs(skill: Skill, clause: Clause): Steps<Reading | undefined> {
  const patterns = listUsable(skill, clause);
  if (patterns.length === 0) return undefined;
  const phrases = yield* findPhrases(skill, clause);
  const units = findUnits(skill, clause);
  const acts = isAction(clause.words[0]);
  let best: Reading | undefined;
  for (const parts of patterns) {
    const match = matchExample(parts, skill, clause, { phrases, units });
    yield parts.length * (clause.words.length + phrases.length);
    // Nothing is only looked at when something is to be done.
    if ((skill.access !== "read" && !match.verb) || (acts && !(match.verb && match.matched.has(0)))) continue;
    addKnownValues(match, phrases);
    if (best !== undefined && match.score <= best.score) continue;
    const reading = toReading(skill, match, clause);
    if (best === undefined || reading.score > best.score) best = reading;
  }
  return best;
}

/** The examples that can fit at all: a request for something to be done begins with its verb, and another service's name rules a tool out. */
function listUsable(skill: Skill, { words }: Clause): Part[][] {
  const [first] = words;
  if (first === undefined) return [];
  if (skill.access !== "read" && skill.siblingVerbs.has(first.lower) && !skill.verbs.has(first.lower)) return [];
  // "Mentions of me", "files changed" and "merged PRs" ask for nothing to be done.
  const isThing = /^\p{L}+(?:s|ed)$/u.test(first.text) && first.lemma !== first.lower;
  // "New issues in KAY" are there already.
  const areNew = words.some(({ lower }, at) => lower === "new" && isPlural(getWord(words, at + 1)));
  if (skill.access !== "read" && (isThing || areNew || OPERATORS.has(first.lower))) return [];
  const isOwn = (_: Word, at: number) => [1, 2].some((size) => isServiceName(skill, words.slice(at, at + size)));
  const isElsewhere = words.some((_, at) => isRival(skill, words, at)) && !words.some(isOwn);
  if (skill.access === "read" && (isElsewhere || !isAction(first))) return isElsewhere ? [] : skill.patterns;
  return skill.patterns.filter(([verb]) => verb && "word" in verb && scoreSimilarity(verb.word, first) > 0);
}

/**
 * Words of the example can be values too: the "open" of "my open issues", the "close" of "close KAY-3"; and so can
 * nouns: "bugs and tasks" are two types.
 */
function addKnownValues({ values, matched, nouns }: Match, phrases: Phrase[]): void {
  const own = new Set([...matched, ...nouns]);
  const known = phrases
    .filter(
      ({ field, from, to, weight }) =>
        weight && (field.values.length > 0 || field.kind === "boolean") && isWithin(own, from, to),
    )
    .sort((a, b) => b.to - b.from - (a.to - a.from));
  for (const phrase of known) {
    const taken = values.some(
      ({ field, value, from, to }) =>
        (field === phrase.field && (value === phrase.value || phrase.from === 0)) ||
        (from < phrase.to && phrase.from < to),
    );
    if (!taken) values.push(phrase);
  }
}

function isWithin(matched: Set<number>, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!matched.has(at)) return false;
  return true;
}

/** Two values for one field are no reading, except keys side by side. */
function toReading(skill: Skill, match: Match, clause: Clause): Reading {
  const { access, fields } = skill;
  const input: Reading["input"] = {};
  // A "not" of the example counts only together with what it denies.
  const isDenied = (at: number) => match.values.some(({ from, to }) => from <= at && at < to);
  const denials = [...match.matched].filter((at) => NEGATIONS.has(getWord(clause.words, at).lower) && !isDenied(at));
  const loose = [...match.loose, ...denials];
  let more: Reading["more"];
  for (const { field, value, from, to } of match.values) {
    if (value === undefined) continue;
    const before = input[field.name];
    const values = [value].flat();
    const [first = "", ...others] = values;
    if (before !== undefined && field.kind === "key" && !field.list && isJoined(clause, from))
      more = { field: field.name, values: [...(more?.values ?? []), ...values] };
    else if (before !== undefined && value !== "all") {
      // "All open issues" are the open ones.
      if (before === "all") input[field.name] = first;
      else if (before !== value) for (let at = from; at < to; at++) loose.push(at);
    } else if (before === undefined) {
      input[field.name] = field.list ? values : first;
      if (!field.list && others.length > 0) more = { field: field.name, values: others };
    }
  }
  const continues = inherit(skill, clause, input);
  // "What did Tom say in #general?" needs no words to search for.
  const isByPerson = access === "read" && fields.some(({ person, name }) => person && input[name] !== undefined);
  const wordless = isByPerson ? fields.filter(({ description }) => MAY_BE_EMPTY.test(description)) : [];
  for (const { name } of wordless) input[name] ??= "";
  // "Update the page Plan" says what is to be changed, but not how.
  const bare = access !== "read" && fields.every(({ required, name }) => required || input[name] === undefined);
  const isMissing = (field: Field) => field.required || (bare && match.skipped.includes(field) && !hasUsual(field));
  const isUnset = ({ name }: Field) => (input[name] ?? "") === "";
  const missing = fields.filter((field) => isMissing(field) && isUnset(field) && !wordless.includes(field));
  const score = match.score - 0.2 * missing.length - (loose.length - match.loose.length) * 1.5;
  const isNamed = match.named && (access !== "read" || Object.keys(input).length > 0);
  // "Confluence: Release notes" says where, and not what to do.
  const isPlaced = clause.placed === true && match.matched.size + match.nouns.size > 0;
  const isTold = match.told || isNamed || continues || isPlaced;
  // "Cancel" alone names nothing, and "delete issue 3" is no wish to remove its label.
  const isOther = bare && !skill.verbs.has(clause.words[0]?.lower ?? "");
  const isBare = missing.length > 0 && (clause.words.length === 1 || isOther);
  const told =
    isTold &&
    !isBare &&
    missing.every((field) => !["key", "number"].includes(field.kind) || isMentioned(skill, field, clause));
  return { skill, score, input, ...(more ? { more } : {}), missing, loose, told };
}

/** The end of an event follows from its start. */
function hasUsual({ kind, description }: Field): boolean {
  return kind === "date" && /\bdefault:/i.test(description);
}

/** "Close the ticket" and "close it" lack a key; "rename the doc" is about something else, and "the latest issues" about no number. */
function isMentioned(skill: Skill, field: Field, { words }: Clause): boolean {
  if (field.kind === "number")
    return skill.access !== "read" || !words.some((word) => isPlural(word) && isNoun(skill, word));
  return words.some(
    (word) => isFieldWord(field, word) || isNoun(skill, word) || PRONOUNS.has(word.lower) || word.lower === "one",
  );
}

/** "KAY-1 and KAY-2", not "KAY-1 a part of KAY-2". */
function isJoined({ words }: Clause, at: number): boolean {
  return ["and", ",", "&", "+", "both"].includes(getWord(words, at - 1).lower);
}

/**
 * Takes what an earlier request said and this one leaves out: the repository of "show pull request 12".
 *
 * @returns whether the request continues the work on a thing of the one before
 */
function inherit({ fields, service }: Skill, { memory, follows }: Clause, input: Reading["input"]): boolean {
  let continues = false;
  for (const field of fields) {
    const { required, kind, name } = field;
    if (!required || kind === "text" || input[name] !== undefined) continue;
    const [last] = memory.asked;
    // "KAY-3: assign to me".
    const [thing] = last === undefined ? memory.items : [];
    // "Move KAY-3 to Done and assign to me".
    const isSame = last !== undefined && getService(last.tool) === service;
    if (kind === "key" && !(follows && (isSame || thing))) continue;
    const asked = memory.asked.map((call) => call.input[name]).find((known) => known !== undefined && known !== null);
    const value = thing ? getFieldValue(thing, field) : asked;
    if (typeof value !== "string" && typeof value !== "number") continue;
    input[name] = value;
    continues ||= kind === "key";
  }
  return continues;
}

const MAY_BE_EMPTY = /\bmay be empty\b/i;

/** Verbs that ask to see something, whatever else they are used for. */
const LOOKING = new Set("show display see view read open describe summarise summarize explain find".split(" "));

/** Score from which a reading is more than a coincidence. */
const LEAST = 0.3;
