import type { Part, Skill } from "./catalogue.ts";
import type { Clause, Value } from "./clauses.ts";

import { isNoun, isPartOfName } from "./field-words.ts";
import { type Field, isFieldWord } from "./fields.ts";
import { ARTICLES, isPlural, PREPOSITIONS } from "./grammar.ts";
import { getWord, type Word } from "./language.ts";
import { scoreSimilarity } from "./lexicon.ts";
import type { Phrase } from "./phrase.ts";
import type { Unit } from "./units.ts";

/** How a clause reads by one example: what each field gets, and the words that nothing accounts for. */
export type Match = {
  score: number;
  /** Indexes of the words that were not understood. */
  loose: number[];
  values: { field: Field; value: Value | Value[] | undefined; from: number; to: number }[];
  /** Indexes of the words that are the example's own. */
  matched: Set<number>;
  /** Indexes of the words that only name what the tool works on. */
  nouns: Set<number>;
  /** Slots of the example that got nothing. */
  skipped: Field[];
  /** Whether the first word of the example, its verb, is in the clause. */
  verb: boolean;
  /** Whether something besides a common verb tells which tool is meant. */
  told: boolean;
  /** Whether the clause names the service. */
  named: boolean;
};

type Step =
  | { kind: "end" }
  | { kind: "skip-part" }
  | { kind: "loose" }
  | { kind: "unit"; unit: Unit }
  | { kind: "phrase" | "slot"; phrase: Phrase }
  | { kind: "word"; weight: number };
type Cell = { score: number; step: Step };

/**
 * Lays an example along a clause in the way that accounts for most of its words. Both keep their order; between the
 * words of the example the clause may have phrases for further fields.
 */
export function matchExample(
  parts: Part[],
  skill: Skill,
  clause: Clause,
  { phrases, units }: { phrases: Phrase[]; units: Unit[] },
): Match {
  const { words } = clause;
  const width = words.length + 1;
  const cells: Cell[] = [];
  const inNames = words.map((_, at) => skill.access !== "read" && isPartOfName(words, at));
  const refers = phrases.some((phrase) => phrase.refers);
  const [unitsAt, phrasesAt] = [groupByStart(units), groupByStart(phrases)];
  const at = (part: number, word: number, led: boolean) => cells[(part * width + word) * 2 + (led ? 1 : 0)] ?? END;
  for (let part = parts.length; part >= 0; part--) {
    const current = parts[part];
    const [cost, trifle] = current
      ? [costOfSkip(parts, part, skill, refers), isTrifle(parts, part, skill, refers)]
      : [0, false];
    for (let word = words.length; word >= 0; word--) {
      const here = words[word];
      const like =
        current && here && !inNames[word] && "word" in current ? scoreWord(parts, part, current, here) : NOT_ALIKE;
      for (const led of [false, true]) {
        let best: Cell = word === words.length && part === parts.length ? END : NONE;
        const offer = (gain: number, { score }: Cell, step: Step) => {
          if (score + gain > best.score) best = { score: score + gain, step };
        };
        if (current) offer(-cost, at(part + 1, word, led && trifle), SKIP);
        if (here) offer(-LOOSE, at(part, word + 1, led), LEAVE);
        for (const unit of unitsAt.get(word) ?? []) offer(unit.gain, at(part, unit.to, led), { kind: "unit", unit });
        for (const phrase of phrasesAt.get(word) ?? []) {
          if (phrase.weight) offer(phrase.weight, at(part, phrase.to, led), { kind: "phrase", phrase });
          const fits = current && "slot" in current && phrase.field === current.slot && phrase.also === undefined;
          if (fits && (led || phrase.weight))
            offer(SLOT * (phrase.quality ?? 1), at(part + 1, phrase.to, true), { kind: "slot", phrase });
        }
        if (like.weight > 0)
          offer(like.weight + like.bonus, at(part + 1, word + 1, true), { kind: "word", weight: like.weight });
        cells[(part * width + word) * 2 + (led ? 1 : 0)] = best;
      }
    }
  }
  return trace(parts, words, { skill, refers }, at);
}

/** How a word of an example stands for a word of the clause. */
function scoreWord(
  parts: Part[],
  part: number,
  { word, weight }: { word: Word; weight: number },
  here: Word,
): { weight: number; bonus: number } {
  const like = scoreSimilarity(word, here);
  // "Files" are not the one of "who can open the file {file}".
  if (like === 0 || (isPlural(here) && !isPlural(word) && isNounOfNext(parts, part))) return NOT_ALIKE;
  // "What" may stand for "show", but says little.
  return {
    weight: like * (here.stop ? Math.min(weight, 0.25) : weight),
    bonus: part === 0 && like === 1 && !here.stop ? EXACT : 0,
  };
}

/** Groups what lies along a clause by its first word, so that the cost of an example is linear in the words. */
function groupByStart<T extends { from: number }>(list: T[]): Map<number, T[]> {
  return Map.groupBy(list, ({ from }) => from);
}

/** Whether a word of an example may be left out without losing what leads to the next slot: "the", "Jira", the "document" of its name. */
function isTrifle(parts: Part[], at: number, skill: Skill, refers: boolean): boolean {
  const part = parts[at];
  if (part === undefined || "slot" in part) return false;
  const { word } = part;
  const { names, access } = skill;
  if (refers && standsFor(skill, word)) return true;
  return (
    ARTICLES.has(word.lower) ||
    word.lower === "as" ||
    names.includes(word.lower) ||
    isNounOfNext(parts, at, access !== "read")
  );
}

/** "Approve the first one" need not say that it is a pull request. */
function standsFor(skill: Skill, word: Word): boolean {
  return isNoun(skill, word) || skill.names.includes(word.lower);
}

function isNounOfNext(parts: Part[], at: number, onlyRequired = false): boolean {
  const [part, next] = [parts[at], parts[at + 1]];
  return (
    part !== undefined &&
    "word" in part &&
    next !== undefined &&
    "slot" in next &&
    isFieldWord(next.slot, part.word) &&
    (next.slot.required || !onlyRequired)
  );
}

function trace(
  parts: Part[],
  words: Word[],
  { skill, refers }: { skill: Skill; refers: boolean },
  at: (part: number, word: number, led: boolean) => Cell,
): Match {
  const { score } = at(0, 0, startsWithSlot(parts));
  const sets = { matched: new Set<number>(), nouns: new Set<number>() };
  const match: Match = { score, loose: [], values: [], skipped: [], verb: false, told: false, named: false, ...sets };
  const verb = parts.findIndex((part) => "word" in part && part.word.kind === "word");
  let [led, isRare, isUnnamed, isElsewhere, isImpersonal] = [startsWithSlot(parts), false, false, false, false];
  let whole = parts.length >= LONG;
  for (let part = 0, word = 0; part < parts.length || word < words.length; ) {
    const { step } = at(part, word, led);
    const current = parts[part];
    if (step.kind === "end") break;
    if (step.kind === "loose") match.loose.push(word++);
    else if (step.kind === "unit") {
      const { tells, names, to } = step.unit;
      match.named ||= names === true;
      match.told ||= tells && !names;
      if (tells) match.nouns.add(to - 1);
      word = to;
    } else if (step.kind === "skip-part") {
      const skipped = current && "word" in current ? current.word : undefined;
      const isName = skipped !== undefined && skill.names.includes(skipped.lower);
      isUnnamed ||= isName && skill.access !== "read";
      isElsewhere ||= isName && skill.access === "read";
      // "Rename Budget to Plan" does not say that it is a contact.
      isUnnamed ||= skill.access !== "read" && isNounOfNext(parts, part);
      // "Who is assigned?" does not ask for what is assigned to me.
      isImpersonal ||= skipped?.lower === "me" && isPreposition(parts[part - 1]);
      whole &&= skipped !== undefined && (skipped.stop || skipped.kind === "mark");
      led &&= isTrifle(parts, part, skill, refers);
      if (current && "slot" in current) match.skipped.push(current.slot);
      part++;
    } else if (step.kind === "word") {
      const { stop, kind, lower } = getWord(words, word);
      const isName = skill.names.includes(lower);
      const tells = !stop && kind === "word" && !isName;
      match.named ||= isName;
      if (part === verb) [match.verb, isRare] = [true, tells && step.weight >= RARE];
      else match.told ||= tells;
      match.matched.add(word++);
      led = true;
      part++;
    } else {
      const { phrase, kind } = step;
      match.told ||=
        phrase.particular || (kind === "slot" && phrase.field.kind === "date" && phrase.weight !== undefined);
      match.values.push(phrase, ...(phrase.also ?? []).map((more) => ({ ...more, from: phrase.from, to: phrase.to })));
      word = phrase.to;
      if (kind === "slot") [led, part] = [true, part + 1];
    }
  }
  // The verb alone says nothing of a service that the example names and the request does not.
  match.told ||= (whole && match.matched.size > 1) || (isRare && !isUnnamed);
  match.told &&= !isImpersonal || match.values.some(({ field, value }) => field.person && value !== undefined);
  // "What changes" is not about a service that only the example names.
  const namesThing = match.nouns.size > 0 || [...match.matched].some((index) => isNoun(skill, getWord(words, index)));
  match.told &&= !isElsewhere || match.named || match.values.length > 0 || namesThing;
  return match;
}

/** "{table} records in airtable": what stands first is the value. */
function startsWithSlot([first]: Part[]): boolean {
  return first !== undefined && "slot" in first;
}

function isPreposition(part: Part | undefined): boolean {
  return part !== undefined && "word" in part && PREPOSITIONS.has(part.word.lower);
}

/** The "priority" of "set the priority of {issue} to {priority}" says what is set. */
function namesLaterSlot(parts: Part[], index: number): boolean {
  const part = parts[index];
  const later = parts.slice(index + 2);
  return part !== undefined && "word" in part && later.some((one) => "slot" in one && isFieldWord(one.slot, part.word));
}

/** A write needs its verb; the name of the service and small words may be left out. */
function costOfSkip(parts: Part[], index: number, skill: Skill, refers: boolean): number {
  const part = parts[index] as Part;
  if ("slot" in part) return isNounOfNext(parts, index - 1) ? 1.5 : part.slot.required ? 0.3 : 0.2;
  const { word, weight } = part;
  if (refers && index > 0 && standsFor(skill, word)) return 0.05;
  if (skill.access !== "read" && (index === 0 || namesLaterSlot(parts, index))) return 5;
  if (word.kind === "mark" || word.stop) return 0.02;
  return weight * (skill.names.includes(word.lower) || isNounOfNext(parts, index) ? 0.3 : 0.6);
}

const NOT_ALIKE = { weight: 0, bonus: 0 };
const SKIP: Step = { kind: "skip-part" };
const LEAVE: Step = { kind: "loose" };
const END: Cell = { score: 0, step: { kind: "end" } };
const NONE: Cell = { score: Number.NEGATIVE_INFINITY, step: { kind: "end" } };

/** What a word costs that nothing accounts for: more than all that one word could gain. */
const LOOSE = 1.5;

/** Gain of a verb in the very word of the example. */
const EXACT = 0.3;

/** Parts from which an example that is said in full identifies the tool. */
const LONG = 4;

/** Gain of a filled slot, in weights of words. */
const SLOT = 0.6;

/** Weight from which a verb alone identifies the tool. */
const RARE = 0.9;
