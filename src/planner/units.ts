import type { Skill } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { isNoun } from "./field-words.ts";
import { isFieldWord } from "./fields.ts";
import { ARTICLES, EMPTY_IN_READS, EMPTY_WORDS, PREPOSITIONS } from "./grammar.ts";
import type { Word } from "./language.ts";
import { isAction } from "./lexicon.ts";
import { RECENT, sortsNewest } from "./phrase-numbers.ts";
import { readsKeys } from "./phrases.ts";

/** Words that a tool accounts for without a value: its service, what it works on, words that change nothing. `to` is exclusive. */
export type Unit = {
  from: number;
  to: number;
  gain: number /** It tells which tool is meant. */;
  tells: boolean;
  names?: boolean;
};

/** Finds the units of a clause for a tool. */
export function findUnits(skill: Skill, clause: Clause): Unit[] {
  const { words } = clause;
  const reads = skill.access === "read";
  const { fields } = skill;
  const units: Unit[] = [];
  words.forEach((word, at) => {
    if (word.kind === "mark") units.push({ from: at, to: at + 1, gain: 0, tells: false });
    else if (
      word.kind === "word" &&
      word.text !== "KAY" &&
      (EMPTY_WORDS.has(word.lower) ||
        (reads && !(word.lower === "i" && isAction(words[at + 1]))
          ? EMPTY_IN_READS.has(word.lower)
          : word.lower === "new"))
    )
      units.push({ from: at, to: at + 1, gain: -0.01, tells: false });
    if (reads && word.lower === "how" && words[at + 1]?.lower === "many")
      units.push({ from: at, to: at + 2, gain: 0, tells: false });
    const [next] = words.slice(at + 1);
    if (
      reads &&
      ["all", "any"].includes(word.lower) &&
      next &&
      fields.some((field) => !field.required && field.kind === "name" && isFieldWord(field, next))
    )
      units.push({ from: at, to: at + 2, gain: 0.1, tells: false });
    if (reads && PREPOSITIONS.has(word.lower) && readsKeys(skill, words[at + 1], words[at + 1]))
      units.push({ from: at, to: at + 1, gain: -0.1, tells: false });
    if (reads && RECENT.has(word.lower) && sortsNewest(skill))
      units.push({ from: at, to: at + 1, gain: 0, tells: false });
    if (reads && word.lower === "recently" && sortsNewest(skill))
      units.push({ from: at, to: CHANGED.has(words[at + 1]?.lower ?? "") ? at + 2 : at + 1, gain: 0, tells: false });
    // "Draft (don't send!)", to a tool that says it does not.
    const denied = words[at + 1]?.lower === "not" ? words[at + 2] : words[at + 1];
    if (
      (word.lower === "dont" || (word.lower === "do" && words[at + 1]?.lower === "not")) &&
      denied &&
      promisesNot(skill, denied)
    )
      units.push({ from: at, to: words.indexOf(denied) + 1, gain: 0, tells: false });
    const before = words[at - 1]?.text === "," ? words[at - 2] : words[at - 1];
    if (["and", ","].includes(word.lower) && readsKeys(skill, before, words[at + 1]))
      units.push({ from: at, to: at + 1, gain: 0, tells: false });
    const service = endOfService(skill, words, at);
    const noun = service === undefined && isNoun(skill, word) ? at + 1 : undefined;
    const to = service ?? noun;
    if (to === undefined) return;
    const gain = service ? 0.5 : 0.15;
    for (const from of listStarts(skill, words, at, service !== undefined))
      units.push({ from, to, gain, tells: true, names: service !== undefined });
  });
  return units;
}

const CHANGED = new Set(["updated", "changed", "modified", "edited", "created"]);

function promisesNot({ description }: Skill, { lemma }: Word): boolean {
  return new RegExp(`\\b(?:without|not|never) ${lemma.replace(/\W/g, "")}`, "i").test(description);
}

/** "In Jira", "to my calendar", "from the page": a preposition and an article belong to it. */
function listStarts(skill: Skill, words: Word[], at: number, isService: boolean): number[] {
  const starts = [at];
  let from = at;
  const before = words[from - 1];
  if (before && ARTICLES.has(before.lower) && (before.lower !== "my" || skill.personal || skill.access !== "read"))
    starts.push(--from);
  if (isService && PREPOSITIONS.has(words[from - 1]?.lower ?? "")) starts.push(from - 1);
  return starts;
}

function endOfService({ names }: Skill, words: Word[], at: number): number | undefined {
  for (const size of [3, 2, 1]) {
    const text = words
      .slice(at, at + size)
      .map(({ lower }) => lower)
      .join(" ");
    if (at + size <= words.length && names.includes(text)) return at + size;
  }
  return undefined;
}
