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
    "summarise",
    "summarize",
    "summary",
    "explain",
    "fetch",
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
  ["assign", "hand", "give", "unassign"],
  ["merge", "land"],
  ["approve", "accept"],
  ["issue", "ticket", "card"],
  ["bug", "defect"],
  ["page", "doc", "document", "article"],
  ["repository", "repo", "repositories", "repos"],
  ["pr", "prs", "pull"],
];

/** Words that name the same value of a field. */
const VALUES: string[][] = [
  ["open", "unresolved", "outstanding", "unfinished", "pending", "remaining", "undone"],
  ["close", "resolve", "finish", "complete", "done", "fix"],
  ["start", "begin"],
  ["bug", "defect"],
  ["page", "doc", "document", "article"],
  ["me", "my", "mine", "myself", "i"],
  ["nobody", "unassigned", "unassign", "none"],
  ["decline", "reject"],
];

/** How alike two words are in a request: 1 the same, less for words that often mean the same, 0 otherwise. */
export function scoreSimilarity(a: Word, b: Word): number {
  if (a.kind !== "word" || b.kind !== "word") return a.lower === b.lower ? 1 : 0;
  if (a.lower === b.lower || a.lemma === b.lemma || a.stem === b.stem) return 1;
  if ((getGroups(a, GROUPS, GROUPED) & getGroups(b, GROUPS, GROUPED)) !== 0) return 0.75;
  return misspelt(a.lower, b.lower) ? 0.7 : 0;
}

/** Whether a request that begins with this word wants something changed. No tool that does not know the word may answer it. */
export function isAction(word: Word | undefined): boolean {
  return word !== undefined && (ACTIONS.has(word.lower) || ACTIONS.has(word.lemma));
}

/** Whether the words may stand for each other as the value of a field. */
export function isSameValue(a: Word, b: Word): boolean {
  if (a.lower === b.lower || a.stem === b.stem) return true;
  return (getGroups(a, VALUES, VALUED) & getGroups(b, VALUES, VALUED)) !== 0;
}

/** The groups that a word is in, as bits; each word is looked up once, since every tool asks for the same ones. */
function getGroups(word: Word, groups: string[][], known: WeakMap<Word, number>): number {
  const before = known.get(word);
  if (before !== undefined) return before;
  const isIn = (group: string[]) => group.includes(word.lower) || group.includes(word.lemma);
  const bits = groups.reduce((sum, group, index) => (isIn(group) ? sum | (1 << index) : sum), 0);
  known.set(word, bits);
  return bits;
}

const GROUPED = new WeakMap<Word, number>();
const VALUED = new WeakMap<Word, number>();

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

const ACTIONS = new Set([
  "create",
  "make",
  "add",
  "file",
  "raise",
  "write",
  "draft",
  "change",
  "update",
  "edit",
  "modify",
  "rename",
  "set",
  "move",
  "transition",
  "put",
  "mark",
  "close",
  "resolve",
  "finish",
  "complete",
  "start",
  "begin",
  "reopen",
  "delete",
  "remove",
  "drop",
  "trash",
  "erase",
  "destroy",
  "comment",
  "reply",
  "send",
  "post",
  "assign",
  "unassign",
  "hand",
  "merge",
  "approve",
  "decline",
  "deploy",
  "archive",
  "publish",
  "share",
  "invite",
  "cancel",
  "schedule",
  "book",
  "order",
  "buy",
  "pay",
  "call",
  "run",
  "install",
  "restart",
]);
