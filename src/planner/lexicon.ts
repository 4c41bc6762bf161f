import type { Word } from "./language.ts";

/**
 * A little general English that no tool can teach: words that mean the same request, and words of reference. It names no service, no tool
 * and no field.
 */
const VERBS: string[][] = [
  "show list display see view get give print what which read open describe detail summarise summarize summary explain fetch check take grab pull count".split(
    " ",
  ),
  ["find", "search", "look", "query", "seek", "locate"],
  ["create", "make", "add", "file", "raise", "log", "new"],
  ["create", "file", "raise", "log", "report"],
  ["change", "update", "edit", "modify", "set"],
  ["move", "transition", "put", "mark", "set", "drag", "push"],
  ["close", "resolve", "finish", "complete", "done", "fix"],
  ["start", "begin"],
  ["reopen", "unclose"],
  ["delete", "remove", "trash", "erase", "destroy", "bin"],
  ["cancel", "delete", "remove"],
  ["comment", "reply", "note", "respond", "answer"],
  ["send", "post", "message", "tell", "write", "drop"],
  ["assign", "reassign", "hand", "give", "unassign"],
  ["schedule", "book", "put", "add", "plan"],
  ["reschedule", "move", "push", "shift", "postpone"],
  ["append", "add", "put"],
  ["merge", "land"],
  ["approve", "accept"],
  ["mention", "discuss", "say"],
];

/** Words for the same kind of thing. */
const NOUNS: string[][] = [
  ["issue", "ticket", "card", "backlog"],
  ["bug", "defect"],
  ["page", "article"],
  ["document", "doc", "docs", "gdoc"],
  ["spreadsheet", "sheet", "workbook"],
  ["sheet", "tab"],
  ["database", "db"],
  ["event", "meeting", "appointment", "call"],
  ["email", "mail", "e-mail"],
  ["row", "record", "entry"],
  ["repository", "repo", "repositories", "repos"],
  ["pr", "prs", "pull"],
  ["text", "content", "body"],
  ["subject", "title"],
];

/** Words that name the same value of a field. */
const VALUES: string[][] = [
  ["open", "unresolved", "outstanding", "unfinished", "pending", "remaining", "undone", "left"],
  ["close", "resolve", "finish", "complete", "done", "fix"],
  ["start", "begin"],
  ["bug", "defect"],
  ["page", "article"],
  ["document", "doc", "docs"],
  ["me", "my", "mine", "myself", "i"],
  ["nobody", "unassigned", "unassign", "none"],
  ["decline", "reject"],
  ["unread", "new"],
  ["newest", "latest"],
  ["current", "active", "this", "the"],
  ["presentation", "slides", "slide", "deck"],
  ["spreadsheet", "sheet"],
];

/** How alike two words are in a request: 1 the same, less for words that often mean the same, 0 otherwise. */
export function scoreSimilarity(a: Word, b: Word): number {
  if (a.kind !== "word" || b.kind !== "word") return a.lower === b.lower ? 1 : 0;
  if (a.lower === b.lower || a.lemma === b.lemma || a.stem === b.stem) return 1;
  if (isSameNoun(a, b)) return 0.75;
  // "Drafts" and "files" are no words for creating.
  const isVerbal = ![a, b].some(({ lower, lemma }) => lower !== lemma && /[^s]s$/.test(lower));
  // "Who viewed it" is not a request to see it.
  const isPast = [a, b].some(({ lower }) => /ed$/.test(lower)) && (getGroups(a, VERBS, VERBAL) & 1n) !== 0n;
  if (isVerbal && !isPast && (getGroups(a, VERBS, VERBAL) & getGroups(b, VERBS, VERBAL)) !== 0n) return 0.75;
  return misspelt(a.lower, b.lower) ? 0.7 : 0;
}

/** Whether two words name the same kind of thing. */
export function isSameNoun(a: Word, b: Word): boolean {
  if (a.lower === b.lower || a.lemma === b.lemma || a.stem === b.stem) return true;
  return (getGroups(a, NOUNS, NOMINAL) & getGroups(b, NOUNS, NOMINAL)) !== 0n || misspelt(a.lower, b.lower);
}

/** Lists the words for the same kind of thing as a word. */
export function listSameNouns({ lower, lemma }: Word): string[] {
  return [lower, lemma, ...NOUNS.filter((group) => group.includes(lower) || group.includes(lemma)).flat()];
}

/** Whether a request that begins with this word wants something changed. No tool that does not know the word may answer it. */
export function isAction(word: Word | undefined): boolean {
  if (word === undefined) return false;
  // "Files shared with me" and "merged PRs" are things.
  return ACTIONS.has(word.lower) || (ACTIONS.has(word.lemma) && !/[^s]s$|ed$/.test(word.lower));
}

/** Whether a text asks for something to be done: "and close it". */
export function startsWithAction(text: string): boolean {
  const [, verb = ""] = /^\W*(?:(?:and|then) )?(\w+)/.exec(text.toLowerCase()) ?? [];
  return ACTIONS.has(verb) || /^(?:e?mail|message|dm)$/.test(verb);
}

/** Whether a word is what is wanted done, rather than what it is done to. */
export function isVerb(word: Word): boolean {
  return isAction(word) || (VERBS[0]?.includes(word.lower) ?? false) || (VERBS[1]?.includes(word.lower) ?? false);
}

/** Whether the words may stand for each other as the value of a field. */
export function isSameValue(a: Word, b: Word): boolean {
  if (a.lower === b.lower || a.stem === b.stem || b.lower === `${a.lower}s` || misspelt(a.lower, b.lower)) return true;
  return (getGroups(a, VALUES, VALUED) & getGroups(b, VALUES, VALUED)) !== 0n;
}

/** The groups that a word is in, as bits; each word is looked up once, since every tool asks for the same ones. */
function getGroups(word: Word, groups: string[][], known: WeakMap<Word, bigint>): bigint {
  const before = known.get(word);
  if (before !== undefined) return before;
  const isIn = (group: string[]) => group.includes(word.lower) || group.includes(word.lemma);
  const bits = groups.reduce((sum, group, index) => (isIn(group) ? sum | (1n << BigInt(index)) : sum), 0n);
  known.set(word, bits);
  return bits;
}

const VERBAL = new WeakMap<Word, bigint>();
const NOMINAL = new WeakMap<Word, bigint>();
const VALUED = new WeakMap<Word, bigint>();

/** One letter wrong, missing, added or swapped, in words long enough for that to be a slip. "Clone" is no "close". */
function misspelt(a: string, b: string): boolean {
  if (KNOWN.has(a) && KNOWN.has(b)) return false;
  const shortest = Math.min(a.length, b.length);
  if (shortest < 4 || Math.abs(a.length - b.length) > 1 || /\d/.test(a + b)) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const restA = a.slice(start, a.length - end);
  const restB = b.slice(start, b.length - end);
  return (
    (shortest > 4 && restA.length + restB.length <= 2) ||
    (restA.length === 2 && restA === [...restB].reverse().join(""))
  );
}

const ACTIONS = new Set(
  "say give tell mention contain star unstar flag pin mute copy label forward create make add file raise report write draft change update edit modify rename set move transition put mark close resolve finish complete start begin reopen delete remove drop trash erase destroy comment reply send post assign reassign unassign hand merge approve decline deploy archive publish share invite cancel schedule book order buy pay call run install restart log watch link clear clone upload export sort unsend recall undo revert".split(
    " ",
  ),
);

const KNOWN = new Set([...ACTIONS, ...VERBS.flat(), ...NOUNS.flat()]);
