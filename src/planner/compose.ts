import type { Skill } from "./catalogue.ts";
import { type Clause, isQuestion, toSubclause } from "./clauses.ts";
import { isNoun, isServiceName, readKey } from "./field-words.ts";
import { type Field, isFieldWord, isHeadingField, isLongText } from "./fields.ts";
import { asShowing } from "./follow-up.ts";
import { ASKING_WORDS, isPlural, MARK, ORDINALS, OWNERS, PLACE_WORDS, POSSESSIVES, PRONOUNS } from "./grammar.ts";
import type { Word } from "./language.ts";
import { scoreSimilarity } from "./lexicon.ts";
import type { Item } from "./memory.ts";
import { type Part, readPart, splitPart } from "./part.ts";
import { getTitle, type PassageStyle, writeResult } from "./passage.ts";
import type { FeedCall, PlannedCall } from "./plan.ts";
import type { Steps } from "./steps.ts";
import { isForbidden, isSure, type Reading, rankReadings } from "./understand.ts";

/** A call whose text is made from what something else finds: from `feed` first, or from what the conversation has already. */
export type ComposedCall = { reading: Reading; feed?: FeedCall };

/**
 * "Send the open bugs to #general": a request to pass on what a read finds, not these words. It is one only where the
 * words name things that a tool lists, by the tool's own examples, and say nothing else; "send hello to #general" passes
 * on a hello.
 *
 * @param plain the likeliest reading of the whole as it stands
 */
export function* composeCall(
  clause: Clause,
  skills: Skill[],
  plain: Reading | undefined,
): Steps<ComposedCall | undefined> {
  if (isQuestion(clause.words) || isForbidden(clause)) return undefined;
  const reads = skills.filter(({ access }) => access === "read");
  const exact = skills.filter((skill) => passesOn(skill, clause, 1));
  const writes = exact.length > 0 ? exact : skills.filter((skill) => passesOn(skill, clause, 0.75));
  if (writes.length === 0) return undefined;
  let best: (ComposedCall & { score: number }) | undefined;
  for (const span of listSpans(clause)) {
    const source = yield* getSource(span, clause, reads);
    const target = source && (yield* getTarget(span, clause, writes));
    if (!target || isBetter(plain, target.reading, span)) continue;
    const score = source.score + target.reading.score;
    if (best === undefined || score > best.score) best = { ...join(source, target, span, clause), score };
  }
  return best;
}

/** Whether a tool takes a text, and the clause begins with the verb of one of its examples. */
function passesOn({ access, fields, patterns }: Skill, { words: [first] }: Clause, least: number): boolean {
  // "New issues in KAY" are looked for.
  if (access !== "write" || first?.kind !== "word" || first.lower === "new" || !fields.some(isLongText)) return false;
  return patterns.some(([part]) => part !== undefined && "word" in part && scoreSimilarity(part.word, first) >= least);
}

/**
 * Words of a request that may stand for content to pass on, and the words around them. It `refers` to a result of the
 * conversation: "that", "the list", "the first one". `part`: only this of each thing is meant.
 */
type Span = { before: Word[]; words: Word[]; after: Word[]; refers: boolean; part?: Part };

/**
 * The spans that a clause may be about: behind its verb ("send [the open bugs] to …"), behind a person or channel ("send
 * #general [the open bugs]"), or behind a word that leads to content ("create a page … with [the open issues of KAY]").
 */
function listSpans({ words }: Clause): Span[] {
  if (words.some(({ text, kind }) => kind === "mark" && text === ":")) return [];
  const spans: Span[] = [];
  words.forEach((here, from) => {
    const before = words[from - 1];
    if (before === undefined || here.kind !== "word") return;
    const isLed = LEADS.has(before.lower);
    const isDetermined = [DETERMINERS, ASKING_WORDS, PRONOUNS].some((set) => set.has(here.lower));
    if (from > 1 && !isLed && !(isDetermined && !ENDS.has(before.lower) && before.lower !== "of")) return;
    for (let to = words.length; to > from; to--) {
      if (to < words.length && !ENDS.has(words[to]?.lower ?? "")) continue;
      const whole = words.slice(from, to);
      const ofThings = splitPart(whole);
      const isKnown = here.lower === "the" || OWNERS.has(here.lower);
      const part = ofThings?.part ?? (isKnown ? readPart(whole) : undefined);
      const refers = ofThings ? isReference(ofThings.things) : part !== undefined || isReference(whole);
      const span = ofThings?.things ?? withoutList(whole);
      if (span.some(({ kind }) => kind === "literal") || (!refers && isSentence(span))) continue;
      const around = { before: words.slice(0, isLed ? from - 1 : from), after: words.slice(to) };
      spans.push({ ...around, words: span, refers, ...(part ? { part } : {}) });
    }
  });
  return spans.slice(0, MOST_SPANS);
}

/** "The list of open bugs" is the open bugs. */
function withoutList(span: Word[]): Word[] {
  const at = span.findIndex(({ lower }) => lower === "of");
  const isList = at > 0 && span.slice(0, at).every(({ lower }) => DETERMINERS.has(lower) || LISTS.has(lower));
  return isList ? span.slice(at + 1) : span;
}

/** "It", "all of them", "the list", "the second one". */
function isReference(span: Word[]): boolean {
  const [head, next, ...rest] = span.filter(({ lower }) => !["the", "of", "all"].includes(lower));
  if (head === undefined || rest.length > 0) return false;
  if (ORDINALS.has(head.lower)) return next === undefined || next.kind === "word";
  if (next === undefined) return PRONOUNS.has(head.lower) || (LISTS.has(head.lower) && span.length > 1);
  return PRONOUNS.has(head.lower) && LISTS.has(next.lower);
}

/** Words that say something rather than name it: "the build is green". "The bugs that are open" name. */
function isSentence(span: Word[]): boolean {
  if (ASKING_WORDS.has(span[0]?.lower ?? "")) return false;
  const subject = span[span[0]?.lower === "that" ? 1 : 0];
  if (SUBJECTS.has(subject?.lower ?? "") && subject !== span.at(-1)) return true;
  return span.some(({ lower }, at) => VERBS.has(lower) && !RELATIVE.has(span[at - 1]?.lower ?? ""));
}

/** They begin a sentence when another word follows: "it works", "that we agree". */
const SUBJECTS = new Set(["i", "he", "it", "she", "they", "we", "you"]);

/** Where content comes from: a read, or a result of the conversation. */
type Source = { score: number; read?: PlannedCall; found?: Item | undefined };

function* getSource({ words, refers }: Span, clause: Clause, reads: Skill[]): Steps<Source | undefined> {
  if (!refers) return yield* findRead(toSubclause(clause, words), reads);
  const { result, items } = clause.memory;
  const ordinal = words.find(({ lower }) => ORDINALS.has(lower));
  const item = ordinal && items.at(ORDINALS.get(ordinal.lower) ?? 0);
  return { score: 1, found: ordinal ? item && { data: item } : result };
}

/**
 * Returns the call that finds what some words name; undefined when a word is left over, since then it is the user's text.
 */
function* findRead(part: Clause, reads: Skill[]): Steps<Source | undefined> {
  const able = reads.filter((skill) => namesThings(skill, part.words));
  if (able.length === 0) return undefined;
  const request = ASKING_WORDS.has(part.words[0]?.lower ?? "") ? part : asShowing(part);
  const readings = yield* rankReadings(request, reads);
  const best = readings.find(
    (reading) => able.includes(reading.skill) && isSure(reading) && reading.missing.length === 0,
  );
  if (best === undefined) return undefined;
  const { skill, score, input } = best;
  const [last] = part.memory.asked;
  // "The bugs" after a question about KAY are those of KAY.
  const isSame = last?.tool === skill.name && DEFINITE.has(part.words[0]?.lower ?? "");
  const { limit: _limit, ...before } = (isSame ? last.input : {}) as PlannedCall["input"];
  return { score, read: { tool: skill.name, input: { ...before, ...input } } };
}

/** Several things of a kind that the tool lists, one's own things, one thing by its key or name, or whatever is in a service that is named. */
function namesThings(skill: Skill, words: Word[]): boolean {
  const [first] = words;
  if (first === undefined || ASKING_WORDS.has(first.lower)) return true;
  const isPlaced = words.some(
    (word, at) => PLACE_WORDS.has(words[at - 1]?.lower ?? "") && isServiceName(skill, [word]),
  );
  if (isPlaced && !["a", "an", "new"].includes(first.lower)) return true;
  // "The page Plan", "the Release notes page".
  const isThing = (word: Word) =>
    isNoun(skill, word) || skill.fields.some((field) => field.required && isFieldWord(field, word));
  if (DEFINITE.has(first.lower) && words.some(({ text }) => /^\p{Lu}/u.test(text)) && words.some(isThing)) return true;
  const isAll = words.some(({ lower }) => POSSESSIVES.has(lower) || lower === "every" || lower === "each");
  if (words.some((word) => (isAll || isPlural(word)) && !word.stop && isNoun(skill, word))) return true;
  // "B2:D5 of the Budget sheet".
  const keys = skill.fields.filter(({ kind, required }) => kind === "key" && required);
  if (
    skill.fields.some(({ strict, shape }) => strict && shape?.test("B2") && words.some(({ text }) => shape.test(text)))
  )
    return true;
  return keys.some((field) => words.some((word) => readKey(word, field) !== undefined));
}

type Target = { reading: Reading; field: Field };

/** The write that takes the content as its text, understood with a mark in its place, and with no word left over. */
function* getTarget(
  { before, words: [first], after }: Span,
  clause: Clause,
  writes: Skill[],
): Steps<Target | undefined> {
  const start = first?.start ?? 0;
  const mark: Word = { text: MARK, lower: MARK, lemma: "", stem: "", stop: false, kind: "literal", start, end: start };
  for (const reading of yield* rankReadings({ ...clause, words: [...before, mark, ...after] }, writes)) {
    if (!isSure(reading)) return undefined;
    const field = reading.skill.fields.find(({ name }) => [reading.input[name]].flat().includes(MARK));
    if (field) return { reading, field };
  }
  return undefined;
}

/** Target and source as one request: text that is known already is put in, a heading that is left out says what it is about. */
function join({ read, found }: Source, { reading, field }: Target, span: Span, clause: Clause): ComposedCall {
  const { skill } = reading;
  const style: PassageStyle = {
    markdown: /markdown/i.test(field.description),
    ...(/\bcells\b/i.test(field.description) ? { cells: true } : {}),
    ...(span.part ? { part: span.part } : {}),
  };
  const input = { ...reading.input, [field.name]: found ? writeResult(found, style) : "" };
  const heading = skill.fields.find((one) => isHeadingField(one) && one !== field && input[one.name] === undefined);
  const title = span.refers ? found && getTitle(found) : getHeading(span, clause);
  if (heading && title) input[heading.name] = title;
  // A reference without content must be asked for.
  const isOpen = ({ name }: Field) =>
    input[name] === undefined || (input[name] === "" && !(read && name === field.name));
  const missing = skill.fields.filter((one) => (one.required || (one === field && !read)) && isOpen(one));
  const whole = { ...reading, input, missing };
  return read ? { reading: whole, feed: { ...style, read, field: field.name } } : { reading: whole };
}

function getHeading({ words }: Span, clause: Clause): string {
  const { text } = toSubclause(
    clause,
    DEFINITE.has(words[0]?.lower ?? "") && words.length > 1 ? words.slice(1) : words,
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether the request as it stands is understood to the end, and better; not if it takes the content for a text or a name. */
function isBetter(plain: Reading | undefined, composed: Reading, { words }: Span): boolean {
  if (plain === undefined || !isSure(plain)) return false;
  // "Comment on KAY-4 in jira" says which issue, and not what.
  if (composed.missing.some(({ name }) => plain.input[name] !== undefined)) return true;
  if (plain.missing.length > 0 || plain.skill === composed.skill) return false;
  const last = words.at(-1)?.text ?? "";
  const isTaken = Object.values(plain.input).some((value) => typeof value === "string" && value.includes(` ${last}`));
  return !isTaken && plain.score >= composed.score;
}

const LEADS = new Set("with containing listing including about".split(" "));
const DETERMINERS = new Set(["the", "a", "an", "all", "every", "these", "those", ...POSSESSIVES]);
const DEFINITE = new Set(["the", "these", "those"]);
/** Words for a result as a whole. */
export const LISTS = new Set("list lists result results answer table overview summary output".split(" "));
const ENDS = new Set(", to in on into onto at via by as for with called titled named".split(" "));
const VERBS = new Set("is are was were be am will would has have had can could must should do does did".split(" "));
const RELATIVE = new Set(["that", "which", "who"]);

/** Spans that are tried; each is understood for itself. */
const MOST_SPANS = 8;
