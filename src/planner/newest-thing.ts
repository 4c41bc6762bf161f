import type { Clause } from "./clauses.ts";
import { toSubclause } from "./clauses.ts";
import { asShowing } from "./follow-up.ts";
import { sliceLower, type Word } from "./language.ts";
import { isAction } from "./lexicon.ts";
import type { ClauseOutcome } from "./plan.ts";

/**
 * "Reply to the latest mail from Priya": a thing to look for, and what to do with it. Returns the words that name the
 * thing, and the request with "it" in their place; undefined if the request names nothing so, or only looks for it.
 */
export function splitNewestThing(clause: Clause): { look: Clause; request: Word[] } | undefined {
  const { words } = clause;
  const [verb] = words;
  const from = words.findIndex(({ lower }, at) => NEWEST.has(lower) && OWN.has(words[at - 1]?.lower ?? "")) - 1;
  const isQuestion = sliceLower(words, 0, 2) === "what does";
  if (from < 1 || verb === undefined || !(isAction(verb) || READING.has(verb.lemma) || isQuestion)) return undefined;
  const length = words.slice(from + 3).findIndex(({ kind, lower, text }) => kind === "literal" || isEnd(lower, text));
  const to = length < 0 ? words.length : from + 3 + length;
  const { start } = words[from] as Word;
  const it: Word = { text: "it", lower: "it", lemma: "it", stem: "it", stop: true, kind: "word", start, end: start };
  const look = asShowing(toSubclause(clause, words.slice(from, to)));
  return { look, request: [...words.slice(0, from), it, ...words.slice(to)] };
}

/** Whether a look finds one thing, which the request is about. */
export function findsOneThing(outcome: ClauseOutcome): boolean {
  if (outcome.kind !== "calls" || outcome.changes || outcome.feed) return false;
  return outcome.calls.length === 1 && outcome.calls[0]?.input.limit === 1;
}

/** Words behind the thing: what is done with it. */
function isEnd(lower: string, text: string): boolean {
  return text === ":" || ENDS.has(lower);
}

const OWN = new Set(["the", "my"]);

const NEWEST = new Set(["newest", "latest", "last", "oldest"]);

/** To read a thing is more than to find it. */
const READING = new Set(["read", "open", "summarise", "summarize", "explain"]);

const ENDS = new Set(["to", "as", "with", "saying", "say", "that", "and"]);
