import { isDeepStrictEqual } from "node:util";
import { arrange, type Clause } from "./clauses.ts";
import { ARTICLES, PREPOSITIONS } from "./grammar.ts";
import { getWord, type Word } from "./language.ts";
import { isAction } from "./lexicon.ts";
import type { ClauseOutcome } from "./plan.ts";
import type { Steps } from "./steps.ts";

/**
 * "Add “X” to the Roadmap and to Feedback", "search notion and confluence for SSO": two requests that share words. None
 * unless both are understood to their last word, and ask for the same of two things.
 */
export function* splitShared(
  clause: Clause,
  understand: (clause: Clause) => Steps<ClauseOutcome>,
): Steps<[Clause, Clause] | undefined> {
  if (clause.words.length > MOST_WORDS) return undefined;
  for (const halves of listHalves(clause).slice(0, MOST_TRIED)) {
    const [first, second] = [yield* understand(halves[0]), yield* understand(halves[1])];
    if (isAlike(first, second)) return halves;
  }
  return undefined;
}

/** The ways in which what stands around an "and" may belong to both sides, the likeliest first. */
function listHalves(clause: Clause): [Clause, Clause][] {
  const { words } = clause;
  return words.flatMap((word, joint) => {
    if (word.lower !== "and" || joint === 0) return [];
    const rest = joint + (SECOND.has(getWord(words, joint + 1).lower) ? 2 : 1);
    const next = getWord(words, rest);
    const join = (from: number, to: number): [Clause, Clause] => [
      arrange(clause, [words.slice(0, joint), words.slice(to)]),
      arrange(clause, [words.slice(0, from), repeatText(words.slice(rest), words.slice(0, joint))]),
    ];
    if (next.text === "") return [];
    if (PREPOSITIONS.has(next.lower)) {
      const places = words
        .slice(0, joint)
        .flatMap(({ lower }, from) => (from > 0 && PREPOSITIONS.has(lower) ? [from] : []));
      return places.toReversed().map((from) => join(from, words.length));
    }
    // One word each, as in "in KAY and OPS"; then all after the verb.
    const ends = [rest + 1, rest + 2, words.length].filter(
      (to, at, all) => to <= words.length && all.indexOf(to) === at,
    );
    const isLed = ARTICLES.has(next.lower);
    const starts = [joint - 1, joint - 2].filter((from) => from > 0 && !(isLed && from > 1));
    const verb = isAction(words[0]) ? [join(1, words.length)] : [];
    return [...starts.flatMap((from) => ends.map((to) => join(from, to))), ...verb];
  });
}

/** "With the same name": the text of the first request. */
function repeatText(words: Word[], before: Word[]): Word[] {
  const same = words.findIndex(({ lower }) => lower === "same");
  const [text, ...others] = before.filter(({ kind }) => kind === "literal");
  if (same < 0 || text === undefined || others.length > 0) return words;
  const from = words.slice(0, same).findLastIndex(({ lower }) => lower !== "the" && lower !== "with") + 1;
  const { start } = getWord(words, from);
  const { end } = getWord(words, same + 1);
  return [...words.slice(0, from), { ...text, start, end }, ...words.slice(same + 2)];
}

/** Whether two requests ask for the same of two things: the tools differ, or the values of the same fields do; of what is looked for, one. */
function isAlike(first: ClauseOutcome, second: ClauseOutcome): boolean {
  if (first.kind !== "calls" || second.kind !== "calls" || first.leftOut || second.leftOut) return false;
  if (first.feed || second.feed || first.changes !== second.changes) return false;
  const [[one, ...more], [other, ...others]] = [first.calls, second.calls];
  if (!one || !other || more.length + others.length > 0) return false;
  if (one.tool !== other.tool) return true;
  const names = [...new Set([...Object.keys(one.input), ...Object.keys(other.input)])];
  const differing = names.filter((name) => !isDeepStrictEqual(one.input[name], other.input[name]));
  const isOfSameFields = differing.every((name) => name in one.input && name in other.input);
  return isOfSameFields && differing.length >= 1 && (first.changes || differing.length === 1);
}

const SECOND = new Set(["also", "then", "another"]);

/** Ways that are tried; each half is understood for itself. */
const MOST_TRIED = 8;

/** Longer requests are not tried, since each try costs as much as the request. */
const MOST_WORDS = 30;
