import type { Skill } from "./catalogue.ts";
import { isParticiple, KEY, POLITE_WORDS, QUESTION_WORDS, TEXT_CUES } from "./grammar.ts";
import { sliceLower, type Word } from "./language.ts";
import { isVerb, scoreSimilarity } from "./lexicon.ts";
import type { Memory } from "./memory.ts";

/**
 * The requests in a sentence: cut at "and", "then", commas and full stops, but only where another request begins, that is, where a word
 * follows with which some tool's example begins. "Pages about security and onboarding" stays one.
 */
export function splitClauses(words: Word[], skills: Skill[]): Word[][] {
  const clauses: Word[][] = [];
  let current: Word[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) break;
    const next = joint(words, index) ?? findRemark(words, index);
    // "KAY-6 is fixed: …" says something first; "KAY backlog: …" names a topic.
    const isThing = current.length === 1 && KEY.test(word.text === ":" ? (current[0]?.text ?? "") : "");
    if (word.text === ":" && !isThing && !current.some(({ lower }) => STATING.has(lower))) {
      current.push(word);
      continue;
    }
    if (next !== undefined && current.length > 0 && !isCondition(current) && begins(words, next, skills)) {
      clauses.push(current);
      current = [];
      index = next - 1;
    } else current.push(word);
  }
  clauses.push(current);
  return clauses
    .map(stripPoliteness)
    .map(address)
    .filter((clause) => clause.some(({ kind, lower }) => kind !== "mark" && !POLITE_WORDS.has(lower)));
}

/** "If KAY-4 is closed, …": what follows depends on it. "When is …" asks. */
function isCondition([first, second]: Word[]): boolean {
  return CONDITIONS.has(first?.lower ?? "") || (first?.lower === "when" && !QUESTION_WORDS.has(second?.lower ?? ""));
}

/** Whether a clause asks about things rather than for something to be done: then nothing may be written. */
export function isQuestion(words: Word[]): boolean {
  const first = words.find(({ kind }) => kind === "word");
  return first !== undefined && QUESTION_WORDS.has(first.lower);
}

/** After a joining word or mark at `index`: where the next clause would begin. */
function joint(words: Word[], index: number): number | undefined {
  let at = index;
  while (at < words.length && isJoint(words[at])) at++;
  if (at === index || at >= words.length) return undefined;
  while (at < words.length - 1 && POLITE_WORDS.has(words[at]?.lower ?? "")) at++;
  return at < words.length ? at : undefined;
}

/** "Close KAY-6 with the comment “fixed”": where the comment begins. */
function findRemark(words: Word[], index: number): number | undefined {
  if (words[index]?.lower !== "with" || index < 2) return undefined;
  const at = ["a", "the"].includes(words[index + 1]?.lower ?? "") ? index + 2 : index + 1;
  const text = words[at + 1]?.text === ":" ? words[at + 2] : words[at + 1];
  return words[at]?.lower === "comment" && text?.kind === "literal" ? at : undefined;
}

function isJoint(word: Word | undefined): boolean {
  return word !== undefined && (JOINTS.has(word.lower) || (word.kind === "mark" && /^[,;:.!?]+$/.test(word.text)));
}

function begins(words: Word[], index: number, skills: Skill[]): boolean {
  const word = words[index];
  if (word === undefined || word.kind !== "word") return false;
  if (index + 1 >= words.length) return false;
  if (QUESTION_WORDS.has(word.lower)) return true;
  // "Issues assigned to me, reported by Tom" are described twice.
  if (isParticiple(word) || word.lower === "got") return false;
  return skills.some(({ patterns }) =>
    patterns.some(([first, second]) => {
      if (first === undefined || !("word" in first) || first.word.stop) return false;
      // A noun that begins an example ("issues in …") begins a request only together with what follows it there.
      const alike = scoreSimilarity(first.word, word) >= (NOUN.test(word.lower) ? 2 : 0.75);
      return alike && second !== undefined;
    }),
  );
}

/** "Tell me about KAY-3", "give me the bugs": a wish to see something, not to send it. */
function address(words: Word[]): Word[] {
  const [first, second, ...rest] = words;
  if (first === undefined || second?.lower !== "me" || rest.length === 0 || !SHOWS.has(first.lower)) return words;
  if (first.lower === "send" && rest.some(({ lower }) => /^e?-?mail$/.test(lower))) return words;
  return [{ ...first, lower: "show", lemma: "show", stem: "show", stop: true }, ...rest];
}

/** A clause without the words of politeness around it. */
export function stripPoliteness(words: Word[]): Word[] {
  const isAsk = words
    .slice(0, 4)
    .some(({ lower }) => lower === "you" || lower === "please" || lower === "i" || lower === "let" || lower === "kay");
  let start = 0;
  while (start < words.length - 1) {
    const word = words[start];
    if (
      word === undefined ||
      !(word.kind === "mark" || (POLITE_WORDS.has(word.lower) && word.text !== "KAY" && (isAsk || word.lower !== "me")))
    )
      break;
    // "I'd like …" is polite, "like the post" is a request.
    if (word.lower === "like" && !WISHES.has(words[start - 1]?.lower ?? "")) break;
    // "Next, close KAY-3", but "next week".
    if (word.lower === "next" && words[start + 1]?.kind !== "mark" && !isVerb(words[start + 1] as Word)) break;
    start++;
  }
  let end = words.length;
  // "Saying thanks" is not polite.
  const isSaid = (at: number) => TEXT_CUES.has(words[at - 1]?.lower ?? "") || words[at - 1]?.text === ":";
  const endsNothing = ({ kind, text, lower }: Word, at: number) =>
    kind === "mark" ? /^[.,;:!?)]+$/.test(text) : kind === "word" && TRAILING.has(lower) && !isSaid(at);
  while (end > start && endsNothing(words[end - 1] as Word, end - 1)) end--;
  // "Can you close KAY-3 for me?"
  const asksYou = words.slice(0, 3).some(({ lower }) => lower === "you");
  if (asksYou && sliceLower(words, end - 2, end) === "for me") end -= 2;
  return words.slice(start, end);
}

/**
 * "KAY-9 is finished, mark it done", "KAY-9: close it": what is said of a thing before something is asked for. What
 * follows may refer to it. Returns undefined for anything else.
 */
export function findStatement({ words, text, memory }: Clause): Memory | undefined {
  const [thing, verb] = words;
  const isSaid = verb === undefined || SAYING.has(verb.lower);
  if (thing?.kind !== "word" || !KEY.test(thing.text) || !isSaid || text.endsWith("?")) return undefined;
  if (words.length > MOST_STATED || words.some(({ kind }) => kind !== "word")) return undefined;
  return { ...memory, items: [{ key: thing.text.toUpperCase() }] };
}

/** Most words of such a statement. */
const MOST_STATED = 6;
const SAYING = new Set("is was has 's looks seems got".split(" "));
const CONDITIONS = new Set(["if", "once", "unless", "whenever", "as", "after", "before"]);
const STATING = new Set(["is", "was", "are", "has"]);
const WISHES = new Set(["would", "'d", "d", "i"]);
const JOINTS = new Set("and then also plus afterwards &".split(" "));
const SHOWS = new Set("show send tell give get find list read bring fetch".split(" "));
const TRAILING = new Set(["please", "thanks", "thx", "asap"]);
const NOUN = /(?:s|ing)$/;

/** One clause of a request, with what it may refer to. `now` in milliseconds. */
export type Clause = {
  text: string;
  words: Word[];
  memory: Memory;
  now: number;
  /** Another request of the same sentence comes before. */
  follows?: boolean;
  /** The user said it in other words. */
  reworded?: boolean;
  /** The user named the service before the request: "in slack, …". */
  placed?: boolean;
  /** Names of the connected services, where they are known. */
  connected?: string[] | undefined;
};

export type Value = string | number | boolean;

export function sliceText({ text, words }: Clause, from: number, to: number): string {
  const first = words[from];
  const last = words[to - 1];
  if (first === undefined || last === undefined) return "";
  if (to - from === 1) return first.text;
  const offset = words[0]?.start ?? 0;
  return text.slice(first.start - offset, last.end - offset).trim();
}

/** Parts of a request in another order, as one request. A text is a part that the request does not have. */
export function arrange(request: Clause, parts: (Word[] | Word)[]): Clause {
  let text = "";
  const words = parts.flatMap((part) => {
    const isNew = !Array.isArray(part);
    const own = isNew ? [part] : part;
    if (own.length === 0) return [];
    const at = text === "" ? 0 : text.length + 1;
    const said = isNew ? part.text : toSubclause(request, own).text;
    const shift = at - (own[0]?.start ?? 0);
    text = text === "" ? said : `${text} ${said}`;
    return own.map((word) => ({ ...word, start: word.start + shift, end: word.end + shift }));
  });
  return { ...request, text, words };
}

/** Some words of a request as a clause of their own. */
export function toSubclause(request: Clause, words: Word[]): Clause {
  const offset = request.words[0]?.start ?? 0;
  const start = words[0]?.start ?? 0;
  return { ...request, words, text: request.text.slice(start - offset, (words.at(-1)?.end ?? offset) - offset) };
}
