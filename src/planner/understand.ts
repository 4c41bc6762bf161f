import { createAcceptor } from "./accept.ts";
import { type Alignment, alignExample } from "./align.ts";
import type { Part, Skill } from "./catalogue.ts";
import type { Clause, Value } from "./clauses.ts";
import { isQuestion } from "./clauses.ts";
import type { Field } from "./fields.ts";
import { NEGATIONS, ORDINALS, PRONOUNS } from "./grammar.ts";
import { isAction, scoreSimilarity } from "./lexicon.ts";
import { countUnexplained, scoreReading } from "./scoring.ts";
import { type FilledFields, fillFields } from "./slots.ts";

/** A tool that a clause may mean, with the input it gives and what is still missing. */
export type Reading = {
  skill: Skill;
  /** How sure: 0 to about 1. */
  score: number;
  input: FilledFields["input"];
  more?: { field: string; values: Value[] };
  missing: Field[];
  /** Words of the clause that neither the example nor a field nor the tool's description accounts for. */
  loose: number;
};

/** From this score on a reading is acted upon; below it the planner says what it can do instead. */
export const SURE_SCORE = 0.55;

/** From this score on, what is missing apart, it is worth asking for what a write still needs. */
export const LIKELY_SCORE = 0.46;

/**
 * Every tool that a clause may mean, the likeliest first. A write is only read into a clause whose verb is the tool's own and that is
 * neither a question nor says "don't".
 */
export function rankReadings(clause: Clause, skills: Skill[]): Reading[] {
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
  const accept = createAcceptor(clause, skill);
  let best: Reading | undefined;
  for (const parts of skill.patterns) {
    const alignment = alignExample(parts, clause.words, accept);
    if (skill.access !== "read" && !alignment.verb) continue;
    const keyed = skill.access === "read" && alignment.captures.some(({ field }) => field.kind === "key");
    if ((alignment.matched.size === 0 && !keyed) || (commands(skill, clause) && !actsLike(parts, clause))) continue;
    if (saysNothing(skill, alignment, clause)) continue;
    const filled = fillFields(skill, alignment, clause);
    const score = scoreReading(skill, parts, alignment, filled, clause, skills);
    if (best === undefined || score > best.score) {
      const loose = countUnexplained(skill, alignment, filled, clause);
      best = { ...candidate(skill, score, filled), loose };
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
  return first !== undefined && "word" in first && action !== undefined && scoreSimilarity(first.word, action) > 0;
}

function candidate(skill: Skill, score: number, { input, more }: FilledFields): Omit<Reading, "loose"> {
  const missing = skill.fields.filter(
    ({ required, name }) => required && (input[name] === undefined || input[name] === ""),
  );
  return { skill, score, input, ...(more ? { more } : {}), missing };
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

const VAGUE = new Set(["one", "ones", "thing", "things", "stuff", "everything", "something", "anything", "all"]);

const KINDLESS = new Set([
  "old",
  "older",
  "oldest",
  "new",
  "newest",
  "latest",
  "other",
  "wrong",
  "right",
  "same",
  "previous",
]);

const LOOKING = new Set(["show", "list", "display", "view", "find", "search", "look", "read", "print"]);
