import type { Skill } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { isNoun, isPartOfName, isServiceName } from "./field-words.ts";
import { isFieldWord } from "./fields.ts";
import { ARTICLES, EMPTY_IN_READS, EMPTY_WORDS, PREPOSITIONS } from "./grammar.ts";
import { getWord, type Word } from "./language.ts";
import { RECENT, sortsNewest } from "./phrase-numbers.ts";
import { findDeed, readsKeys } from "./phrases.ts";

/** Words that a tool accounts for without a value: its service, what it works on, words that change nothing. `to` is exclusive. */
export type Unit = {
  from: number;
  to: number;
  gain: number /** It tells which tool is meant. */;
  tells: boolean;
  names?: boolean;
};

/** Finds the units of a clause for a tool. */
export function findUnits(skill: Skill, { words }: Clause): Unit[] {
  const reads = skill.access === "read";
  const newest = reads && sortsNewest(skill);
  return words.flatMap((word, at): Unit[] => {
    const [next, before] = [getWord(words, at + 1), getWord(words, at - 1)];
    const { lower } = word;
    const take = (size: number, gain = 0): Unit => ({ from: at, to: at + size, gain, tells: false });
    const isOff = lower === "dont" || (lower === "do" && next.lower === "not");
    const denied = next.lower === "not" ? 2 : 1;
    const rules: [boolean, Unit][] = [
      [word.kind === "mark" || isEmptyWord(word, words, at, reads), take(1, word.kind === "mark" ? 0 : -0.01)],
      [reads && lower === "how" && next.lower === "many", take(2)],
      [reads && (lower === "all" || lower === "any") && isFieldName(skill, next), take(2, 0.1)],
      [reads && PREPOSITIONS.has(lower) && readsKeys(skill, next, next), take(1, -0.1)],
      [newest && (RECENT.has(lower) || lower === "new"), take(1)],
      [newest && lower === "recently", take(CHANGED.has(next.lower) ? 2 : 1)],
      // "Draft (don't send!)", to a tool that says it does not.
      [isOff && promisesNot(skill, getWord(words, at + denied)), take(denied + 1)],
      [JOINTS.has(lower) && readsKeys(skill, before.text === "," ? words[at - 2] : before, next), take(1)],
    ];
    const units = rules.flatMap(([applies, unit]) => (applies ? [unit] : []));
    const service = [3, 2, 1].find(
      (size) => size <= words.length - at && isServiceName(skill, words.slice(at, at + size)),
    );
    if (service === undefined && ((!reads && isPartOfName(words, at)) || !isNoun(skill, word))) return units;
    const unit = { to: at + (service ?? 1), gain: service ? 0.5 : 0.15, tells: true, names: service !== undefined };
    return [...units, ...listStarts(skill, words, at, unit.names).map((from) => ({ from, ...unit }))];
  });
}

/** Words that change nothing. */
function isEmptyWord({ kind, text, lower }: Word, words: Word[], at: number, reads: boolean): boolean {
  if (kind !== "word" || text === "KAY") return false;
  // "Mentions of me".
  if (lower === "me" && ABOUT.has(getWord(words, at - 1).lower)) return false;
  const isRead = reads && !(lower === "i" && findDeed(words, at + 1));
  return EMPTY_WORDS.has(lower) || (isRead ? EMPTY_IN_READS.has(lower) : lower === "new");
}

function isFieldName({ fields }: Skill, word: Word): boolean {
  return fields.some((field) => !field.required && field.kind === "name" && isFieldWord(field, word));
}

const ABOUT = new Set(["of", "about", "for"]);
const JOINTS = new Set(["and", ","]);
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
