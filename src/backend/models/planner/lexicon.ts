import type { Word } from "./language.ts";

/**
 * A little general English that no tool can teach: words that mean the same request, and words of reference. It names no service, no tool
 * and no field.
 */
const GROUPS: string[][] = [
  [
    "show",
    "list",
    "display",
    "see",
    "view",
    "get",
    "give",
    "print",
    "what",
    "which",
    "read",
    "open",
    "describe",
    "detail",
  ],
  ["find", "search", "look", "query", "seek", "locate"],
  ["create", "make", "add", "file", "raise", "log", "new", "write", "start", "draft"],
  ["change", "update", "edit", "modify", "rename", "set"],
  ["move", "transition", "put", "mark", "set", "drag"],
  ["close", "resolve", "finish", "complete", "done", "fix"],
  ["start", "begin"],
  ["reopen", "unclose"],
  ["delete", "remove", "drop", "trash", "erase", "destroy"],
  ["comment", "reply", "note", "respond"],
  ["send", "post", "message", "tell", "write"],
  ["assign", "hand", "give"],
  ["merge", "land"],
  ["approve", "accept"],
  ["open", "unresolved", "outstanding", "unfinished", "pending", "remaining", "active", "undone"],
  ["issue", "ticket", "card"],
  ["bug", "defect"],
  ["page", "doc", "document", "article"],
  ["repository", "repo", "repositories", "repos"],
  ["pr", "prs", "pull"],
  ["me", "my", "mine", "myself", "i"],
  ["nobody", "unassigned", "none"],
  ["working", "work"],
];

/** How alike two words are in a request: 1 the same, less for words that often mean the same, 0 otherwise. */
export function likeness(a: Word, b: Word): number {
  if (a.kind !== "word" || b.kind !== "word") return a.lower === b.lower ? 1 : 0;
  if (a.lower === b.lower || a.lemma === b.lemma || a.stem === b.stem) return 1;
  for (const group of GROUPS) if (inGroup(a, group) && inGroup(b, group)) return 0.75;
  return misspelt(a.lower, b.lower) ? 0.7 : 0;
}

/** Whether the words may stand for each other as the value of a field. */
export function sameMeaning(a: Word, b: Word): boolean {
  return likeness(a, b) >= 0.75;
}

function inGroup(word: Word, group: string[]): boolean {
  return group.includes(word.lower) || group.includes(word.lemma);
}

/** One letter wrong, missing, added or swapped, in words long enough for that to be a slip. */
function misspelt(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 5 || Math.abs(a.length - b.length) > 1 || /\d/.test(a + b)) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const restA = a.slice(start, a.length - end);
  const restB = b.slice(start, b.length - end);
  return restA.length + restB.length <= 2 || (restA.length === 2 && restA === [...restB].reverse().join(""));
}

/** Words that point at something said before. */
export const PRONOUNS = new Set(["it", "this", "that", "them", "these", "those", "both"]);

/** Which of several: position from the start, or from the end when negative. */
export const ORDINALS = new Map([
  ["first", 0],
  ["1st", 0],
  ["second", 1],
  ["2nd", 1],
  ["third", 2],
  ["3rd", 2],
  ["fourth", 3],
  ["4th", 3],
  ["fifth", 4],
  ["5th", 4],
  ["last", -1],
]);

export const NEGATIONS = new Set(["not", "never", "dont", "don't", "without", "n't", "no"]);

/** Requests that are questions about things, whatever verb they use. "Can you …" is not one. */
export const QUESTION_WORDS = new Set([
  "what",
  "which",
  "who",
  "whose",
  "whom",
  "when",
  "where",
  "why",
  "how",
  "is",
  "are",
  "was",
  "were",
  "did",
  "does",
  "do",
  "has",
  "have",
  "should",
]);

/** What may stand before the request proper. */
export const POLITE = new Set([
  "please",
  "can",
  "could",
  "would",
  "will",
  "you",
  "kindly",
  "hey",
  "hi",
  "hello",
  "ok",
  "okay",
  "kay",
  "now",
  "then",
  "also",
  "and",
  "just",
  "i",
  "want",
  "need",
  "like",
  "to",
  "'d",
  "let",
  "lets",
  "let's",
  "'s",
  "us",
  "me",
  "so",
  "next",
  "finally",
  "go",
  "ahead",
  "help",
]);
