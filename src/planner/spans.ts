import type { Clause } from "./clauses.ts";
import { ASKING_WORDS, ORDINALS, POSSESSIVES, PRONOUNS } from "./grammar.ts";
import type { Word } from "./language.ts";
import type { Item, Memory } from "./memory.ts";
import { MARK } from "./phrase.ts";

/** Words of a request that may stand for content to pass on, and the words around them. */
export type TextSpan = {
  before: Word[];
  /** One or several things, as in "the open bugs and my pull requests". */
  parts: Word[][];
  after: Word[];
  start: number;
  /** It points at a result of the conversation: "that", "the list", "the first one". */
  refers: boolean;
};

/**
 * The passages that a clause may be about: behind its verb ("send [the open bugs] to …"), behind a person or channel ("send #general [the open
 * bugs]"), or behind a word that leads to content ("create a page … with [the open issues of KAY]"). The longest come first.
 */
export function findSpans({ words }: Clause): TextSpan[] {
  const colon = words.findIndex(({ text, kind }) => kind === "mark" && text === ":");
  if (colon >= 0) return [];
  const passages: TextSpan[] = [];
  for (let from = 1; from < words.length; from++) {
    if (!mayBegin(words, from)) continue;
    for (let to = words.length; to > from; to--) {
      if (to < words.length && !ENDS.has(words[to]?.lower ?? "")) continue;
      const passage = getPassage(words, from, to);
      if (passage) passages.push(passage);
    }
  }
  return passages.slice(0, MOST);
}

/** A word for a text that is not there yet, at a place of the request. */
export function createMark(start: number): Word {
  return { text: MARK, lower: MARK, lemma: "", stem: "", stop: false, kind: "literal", start, end: start };
}

/** The result that a passage points at, or the one thing of it. */
export function resolveSpan({ parts }: TextSpan, { result, items }: Memory): Item | undefined {
  const ordinal = parts.flat().find(({ lower }) => ORDINALS.has(lower));
  if (ordinal === undefined) return result;
  const item = items.at(ORDINALS.get(ordinal.lower) ?? 0);
  return item && { data: item };
}

function mayBegin(words: Word[], from: number): boolean {
  const before = words[from - 1];
  const here = words[from];
  if (before === undefined || here === undefined || here.kind !== "word") return false;
  if (from === 1 || LEADS.has(before.lower)) return true;
  const determined = DETERMINERS.has(here.lower) || ASKING_WORDS.has(here.lower) || PRONOUNS.has(here.lower);
  return determined && !ENDS.has(before.lower);
}

function getPassage(words: Word[], from: number, to: number): TextSpan | undefined {
  const lead = LEADS.has(words[from - 1]?.lower ?? "") ? 1 : 0;
  const span = withoutList(words.slice(from, to));
  const [first] = span;
  if (first === undefined || span.some(({ kind }) => kind === "literal")) return undefined;
  const refers = isReference(words.slice(from, to));
  if (!refers && isSentence(span)) return undefined;
  const around = { before: words.slice(0, from - lead), after: words.slice(to), start: first.start };
  return { ...around, parts: refers ? [span] : getParts(span), refers };
}

/** "The list of open bugs" is the open bugs. */
function withoutList(span: Word[]): Word[] {
  const at = span.findIndex(({ lower }) => lower === "of");
  const head = span.slice(0, at);
  const isList = at > 0 && head.every(({ lower }) => DETERMINERS.has(lower) || LISTS.has(lower));
  return isList ? span.slice(at + 1) : span;
}

/** "It", "all of them", "the list", "the second one". */
function isReference(span: Word[]): boolean {
  const telling = span.filter(({ lower }) => !["the", "of", "all"].includes(lower));
  const [head, next, ...rest] = telling;
  if (head === undefined || rest.length > 0) return false;
  if (ORDINALS.has(head.lower)) return next === undefined || next.kind === "word";
  if (next === undefined) return PRONOUNS.has(head.lower) || (LISTS.has(head.lower) && telling.length < span.length);
  return PRONOUNS.has(head.lower) && LISTS.has(next.lower);
}

/** Words that say something rather than name it: "the build is green". "The bugs that are open" name. */
function isSentence(span: Word[]): boolean {
  if (ASKING_WORDS.has(span[0]?.lower ?? "")) return false;
  return span.some(({ lower }, index) => VERBS.has(lower) && !RELATIVE.has(span[index - 1]?.lower ?? ""));
}

/** Things named side by side, each with a beginning. */
function getParts(span: Word[]): Word[][] {
  const parts: Word[][] = [[]];
  span.forEach((word, index) => {
    const next = span[index + 1];
    const divides = word.lower === "and" && next !== undefined && DETERMINERS.has(next.lower);
    if (divides) parts.push([]);
    else parts.at(-1)?.push(word);
  });
  return parts.filter((part) => part.length > 0);
}

const LEADS = new Set("with containing listing including about".split(" "));
const DETERMINERS = new Set(["the", "a", "an", "all", "every", "these", "those", ...POSSESSIVES]);
const LISTS = new Set("list lists result results answer table overview summary output".split(" "));
const ENDS = new Set("to in on into onto at via by as for with called titled named".split(" "));
const VERBS = new Set("is are was were be am will would has have had can could should must do does did".split(" "));
const RELATIVE = new Set(["that", "which", "who"]);

/** Passages that are tried; each is understood for itself. */
const MOST = 8;
