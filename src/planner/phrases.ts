import type { Skill } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { findKnownValue, readKey } from "./field-words.ts";
import { type Field, isFieldWord, isLongText } from "./fields.ts";
import { NEGATIONS, OPERATORS, POSSESSIVES, PREPOSITIONS } from "./grammar.ts";
import { getWord, type Word } from "./language.ts";
import { isAction } from "./lexicon.ts";
import { findNames, readNames } from "./names.ts";
import { listLeads, type Phrase } from "./phrase.ts";
import { findColumns, findNumbers, findSwitches, namesOneThing } from "./phrase-numbers.ts";
import { readReference, resolveReference } from "./reference.ts";
import type { Steps } from "./steps.ts";
import { findTexts, readText } from "./texts.ts";
import { findTimePhrases } from "./time-phrases.ts";

/** Finds the phrases of a clause for all fields of a tool. */
export function* findPhrases(skill: Skill, clause: Clause): Steps<Phrase[]> {
  const { words } = clause;
  const [phrases, slots]: [Phrase[], Phrase[]] = [[], []];
  for (const field of skill.fields) {
    phrases.push(...findValues(skill, field, clause));
    slots.push(...words.flatMap((_, at) => readSlot(skill, field, clause, at)));
    yield words.length * (10 + field.values.length);
  }
  const all = [...phrases, ...findTimePhrases(skill, clause), ...findOwner(skill, clause), ...slots];
  return all.filter(({ field, value }) => !(isLongText(field) && FILE_MENTION.test(String(value))));
}

/** The values of one field, anywhere in the clause. */
function findValues(skill: Skill, field: Field, clause: Clause): Phrase[] {
  if (field.kind === "key") return findKeys(field, clause);
  if (field.kind === "number") return findNumbers(skill, field, clause);
  if (field.kind === "boolean") return findSwitches(skill, field, clause);
  if (field.kind === "object") return findColumns(skill, field, clause);
  if (field.kind === "date") return [];
  const known = field.values.length > 0 ? findKnownValues(skill, field, clause) : [];
  if (field.closed) return known;
  return [...known, ...(field.kind === "text" ? findTexts(skill, field, clause) : findNames(skill, field, clause))];
}

/** "@notes.md" asks for what is in a file, and is no message itself. */
const FILE_MENTION = /^(?:saying\s+)?@\S+\.[a-z]\w{0,4}$/i;

/** What the slot of an example may take from a word on, where nothing else says that it is a value of the field. */
function readSlot(skill: Skill, field: Field, clause: Clause, at: number): Phrase[] {
  const reference = readReference(skill, field, clause, at);
  if (field.closed || !["text", "name"].includes(field.kind)) return reference;
  if (field.kind === "name") return [...reference, ...readNames(skill, field, clause, at)];
  const base = { field, from: at, particular: false };
  return [...reference, ...readText(skill, field, clause, at).map((text) => ({ ...base, ...text }))];
}

/** "Set its priority": the one thing that was just spoken of. */
function findOwner({ fields, service }: Skill, clause: Clause): Phrase[] {
  const at = clause.words.findIndex(({ lower }) => lower === "its");
  const field = fields.find(({ required, kind }) => required && kind !== "text");
  if (at < 0 || field === undefined) return [];
  const pronoun = { ...(clause.words[at] as Word), lower: "it" };
  const value = resolveReference({ ...clause, words: clause.words.with(at, pronoun) }, service, field, at, at + 1)?.[0];
  return value === undefined ? [] : [{ field, from: at, to: at + 1, value, weight: 0.6, particular: true }];
}

function findKeys(field: Field, { words }: Clause): Phrase[] {
  return words.flatMap((word, at) => {
    const key = readKey(word, field);
    if (key === undefined) return [];
    const from = isFieldWord(field, words[at - 1]) ? at - 1 : at;
    return [{ field, from, to: at + 1, value: key, weight: 0.7, particular: true }];
  });
}

/** Whether two words are keys that one request names side by side: "close KAY-1 and KAY-2". */
export function readsKeys({ fields }: Skill, a: Word | undefined, b: Word | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    fields.some((field) => field.kind === "key" && readKey(a, field) !== undefined && readKey(b, field) !== undefined)
  );
}

/** Known values anywhere in the clause; "not done" is "open" where that is a value. */
function findKnownValues(skill: Skill, field: Field, { words }: Clause): Phrase[] {
  const writes = skill.access !== "read";
  const find = (from: number, size: number): Phrase[] => {
    const to = from + size;
    const span = words.slice(from, to);
    const [before, next] = [getWord(words, from - 1).lower, getWord(words, to)];
    const { lower } = getWord(span, 0);
    if (to > words.length || span.some(({ kind }) => kind === "mark")) return [];
    if (isAddressee(words, from) && !RECIPIENT.test(field.name)) return [];
    if (writes && POSSESSIVES.has(lower)) return [];
    // "In this sprint" is in the current one.
    if (/^(the|this)$/.test(lower) && !(size === 1 && isFieldWord(field, next))) return [];
    // "Which tickets did I create?" is about who made them, and "issues I opened" are not all open.
    const deed = lower === "i" ? findDeed(words, to) : undefined;
    if (deed && !(MAKER.test(field.name) && MAKING.has(deed.lemma))) return [];
    if (MAKING.has(getWord(span, 0).lemma) && /^(i|have)$/.test(before)) return [];
    const takeNobody = (at: number): Phrase => ({
      field,
      from: at - 1,
      to,
      value: "nobody",
      weight: 0.6,
      particular: true,
    });
    const hasNobody = size === 1 && ANYBODY.has(lower) && field.values.some(({ value }) => value === "nobody");
    const denies = (at: number) => NEGATIONS.has(getWord(words, at - 1).lower);
    const nobody = hasNobody ? listLeads(skill, field, words, from).filter(denies).map(takeNobody) : [];
    // The value that a write sets is taken in its own words: "done" is not "close".
    const value = findKnownValue(field, span, writes && from > 0);
    // "Sent by marco" says who did it.
    if (value === undefined || next.lower === "by") return nobody;
    // The word that names the action is a value only where the action cannot be said without it ("close KAY-3").
    if (from === 0 && !field.required && isAction(words[0])) return nobody;
    const isOrder = ORDER.test(field.name);
    if (isOrder && before !== "by" && !OPERATORS.has(lower)) return nobody;
    const weight = value.toLowerCase() === "all" ? 0.1 : 0.5 + 0.05 * size;
    const also = isOrder && OPERATORS.has(lower) ? findOnlyOne(skill, words, to) : [];
    const base = { field, weight, also, particular: !COMMON.has(value.toLowerCase()) || RECIPIENT.test(field.name) };
    const negation = findNegation(words, from);
    const opposite = negation === undefined ? undefined : getOpposite(field, span);
    if (negation !== undefined)
      return opposite
        ? [...nobody, { ...base, from: negation, to: next.lower === "yet" ? to + 1 : to, value: opposite }]
        : nobody;
    // "I reported last week": the verb may also say what the week is about.
    const ends = size === 1 && isFieldWord(field, next) ? [to + 1, ...(lower === "i" ? [to] : [])] : [to];
    if (isOrder && ["first", "date"].includes(next.lower)) ends.push(to + 1);
    // "With high priority".
    const isWith = before === "with" && isFieldWord(field, next);
    const leads = isOrder ? listOrderLeads(words, from) : listLeads(skill, field, words, from);
    const starts = [...leads, ...(isWith ? [from - 1] : []), from];
    return [...nobody, ...ends.flatMap((end) => starts.map((start) => ({ ...base, from: start, to: end, value })))];
  };
  return words.flatMap((_, from) => [4, 3, 2, 1].flatMap((size) => find(from, size)));
}

/** "Sorted by priority", "by size". */
function listOrderLeads(words: Word[], at: number): number[] {
  if (words[at - 1]?.lower !== "by") return [];
  return SORTED.has(words[at - 2]?.lower ?? "") ? [at - 2, at - 1] : [at - 1];
}

/** "The oldest bug" is one. */
function findOnlyOne(skill: Skill, words: Word[], at: number): NonNullable<Phrase["also"]> {
  const limit = skill.fields.find(({ name }) => name === "limit");
  return limit && namesOneThing(skill, words, at) ? [{ field: limit, value: 1 }] : [];
}

/** What "I" did, behind it: "I reported", "did I create". */
export function findDeed(words: Word[], at: number): Word | undefined {
  const verb = getWord(words, getWord(words, at).lower === "have" ? at + 1 : at);
  return MAKING.has(verb.lemma) || /ed$/.test(verb.lower) || isAction(verb) ? verb : undefined;
}

/** The negation that governs a word: "not done", "hasn't been finished". */
function findNegation(words: Word[], at: number): number | undefined {
  let before = at - 1;
  while (before > 0 && BETWEEN.has(words[before]?.lower ?? "")) before--;
  return NEGATIONS.has(words[before]?.lower ?? "") ? before : undefined;
}

/** "Not done" is open, "not read" is unread. */
function getOpposite(field: Field, span: Word[]): string | undefined {
  const done = span.some(({ lemma, lower }) => DONE.has(lemma) || DONE.has(lower));
  const opposite = done ? "open" : `un${span[0]?.lower}`;
  return field.values.find(({ value }) => value.toLowerCase() === opposite)?.value;
}

/** "Show me", "tell me": who is spoken to, not whose things they are. */
function isAddressee(words: Word[], index: number): boolean {
  return words[index]?.lower === "me" && index === 1 && !PREPOSITIONS.has(words[0]?.lower ?? "");
}

/** "Email me the link". */
const RECIPIENT = /^(?:to|recipients?)$/i;

/** Values that many tools have. */
const COMMON = new Set(
  "me all open closed done nobody anyone read edit comment high low medium highest lowest page document".split(" "),
);

/** A field that says in which order: its values follow "by", or are words such as "oldest". */
const ORDER = /^(order|sort)/i;

const SORTED = new Set(["sorted", "ordered", "sort", "order"]);

const MAKER = /^(author|creator|reporter|sender|owner)/i;
const MAKING = new Set("create report file raise open write send".split(" "));
const ANYBODY = new Set(["anyone", "anybody", "someone", "somebody"]);
const BETWEEN = new Set("been yet be already yet quite".split(" "));
const DONE = new Set("do done close closed resolve resolved finish finished complete completed".split(" "));
