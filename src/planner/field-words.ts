import type { Skill } from "./catalogue.ts";
import { type Field, isFieldWord } from "./fields.ts";
import {
  ARTICLES,
  EMPTY_IN_READS,
  isParticiple,
  isPlural,
  KEY,
  MARK,
  OPERATORS,
  ORDINALS,
  OWNERS,
  PERSON_PRONOUNS,
  PREPOSITIONS,
  PRONOUNS,
  QUESTION_WORDS,
  TEXT_CUES,
  VAGUE_WORDS,
} from "./grammar.ts";
import { getWord, sliceLower, type Word } from "./language.ts";
import { isAction, isSameNoun, isSameValue, listSameNouns } from "./lexicon.ts";

/** Returns the known value that some words name: in its own words or, unless `exactly`, in words that mean the same. */
export function findKnownValue(field: Field, span: Word[], exactly = false): string | undefined {
  const same = (test: (a: Word, b: Word) => boolean) =>
    field.values.find(
      ({ words }) => words.length === span.length && words.every((word, index) => test(word, span[index] ?? word)),
    )?.value;
  const exact = same((a, b) => a.lower === b.lower || (a.stem === b.stem && a.stem !== ""));
  return exact ?? (exactly ? undefined : same(isSameValue));
}

/** Reads a key such as KAY-3, also from the end of an address. */
export function readKey(word: Word, field: Field): string | undefined {
  if (word.kind !== "word" || field.shape === undefined) return undefined;
  const last = /^https?:/.test(word.text) ? getLastSegment(word.text) : word.text;
  return field.shape.test(last) ? last.toUpperCase() : undefined;
}

function getLastSegment(url: string): string {
  const path = url.replace(/[?#].*$/s, "");
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether a word leads to a field: it does so in the examples, it is the field's own name, or it does by what the field is. */
export function leadsTo(skill: Skill, field: Field, word: Word | undefined): boolean {
  if (word === undefined || word.kind !== "word") return false;
  if (isFieldWord(field, word)) return true;
  if (field.kind === "text" && ["called", "named", "titled", "entitled", "saying"].includes(word.lower)) return true;
  const isSame = (cue: Word) => cue.lower === word.lower || (!cue.stop && cue.stem === word.stem);
  if (!QUESTION_WORDS.has(word.lower) && skill.cues.get(field.name)?.some(isSame)) return true;
  // The "to" of "set B2 to 5" leads to the value.
  const isTaken = [...skill.cues].some(
    ([name, list]) => name !== field.name && list.some(({ lower }) => lower === word.lower),
  );
  const leadsBy = ({ leads, writes }: (typeof ROLES)[number]) =>
    leads.has(word.lower) || (skill.access !== "read" && !isTaken && writes?.has(word.lower) === true);
  return ROLES.some((role) => role.name.test(field.name) && leadsBy(role));
}

/** Where a name that begins at a word may end, and how much it looks like one. */
export function listNameEnds(skill: Skill, field: Field, words: Word[], at: number): { to: number; quality: number }[] {
  const [first, before, next] = [getWord(words, at), getWord(words, at - 1), getWord(words, at + 1)];
  const { text } = first;
  const writes = skill.access !== "read";
  // What follows a colon is never what to look for.
  if (first.kind === "literal")
    return text === MARK || (!writes && before.text === ":") ? [] : [{ to: at + 1, quality: 1 }];
  const isPlace = [1, 2].some((size) => isServiceName(skill, words.slice(at, at + size))) || isRival(skill, words, at);
  // "@notes.md" is a file of this machine.
  if (!mayBeInName(words, at) || isPlace || FILE.test(text)) return [];
  if (text.includes("@") && field.person)
    return [
      { to: field.list || /addresses/i.test(field.description) ? endOfAddresses(words, at) : at + 1, quality: 1 },
    ];
  const shaped = field.shape?.test(text) === true;
  const led = isFieldWord(field, before);
  const plain = /^\p{Ll}/u.test(text);
  if ((!shaped && (field.strict || text.startsWith("#"))) || DAY.test(text) || MONTH.test(text)) return [];
  if (KEY.test(text) && !shaped && (!led || field.person)) return [];
  // Names of channels are small: KAY is a project.
  if (!shaped && !led && /^\p{Lu}{2,}$/u.test(text) && field.shape?.test("#general")) return [];
  // "Row 5" is not a name. An ID may be a number, unless the service's IDs look different.
  const isId = /^id$|Id$/.test(field.name) && !field.shape;
  if (/^[€$£]?\d[\d.,]*k?$/.test(text) && !shaped && !isId) return [];
  if (field.shape && !field.particular && !shaped && !led && /[-_./]/.test(text)) return [];
  const isNamed = led || isFieldWord(field, next) || /^\p{Lu}/u.test(next.text);
  const takesCells = skill.fields.some((one) => one.strict && one.shape?.test("B2"));
  if (takesCells && CELLS.test(text) && !(shaped && field.particular) && !isNamed) return [];
  // A field with usual values takes others only where they look like one.
  const isLed =
    led ||
    (field.person &&
      plain &&
      !first.stop &&
      (["has", "did", "does", "is"].includes(before.lower) || leadsTo(skill, field, before)));
  const isUsual = isLed || shaped || /^\p{Lu}\p{Ll}+$/u.test(text) || findKnownValue(field, [first]) !== undefined;
  if (field.values.length > 0 && !isUsual) return [];
  // "And due date to friday" is about another field.
  if (plain && skill.fields.some((one) => one !== field && one.kind === "date" && isFieldWord(one, first))) return [];
  // "Make KAY-3 a task".
  if (plain && !shaped && writes && /^an?$/.test(before.lower)) return [];
  // "PR 4" is a thing of another tool.
  if ((isParticiple(first) || (plain && before.lower === "my")) && !led) return [];
  const isThing = plain ? !/[-_.]/.test(text) : /^\d+$/.test(next.text);
  if (isThing && !led && skill.foreign.has(first.lemma) && !COLUMN.test(field.description)) return [];
  const ends = [{ to: at + 1, quality: shaped || isProper(first) ? 1 : 0.7 }];
  if (shaped && field.particular) return ends;
  for (let to = at + 2; to <= Math.min(words.length, at + LONGEST_NAME); to++) {
    const last = getWord(words, to - 1);
    if (!mayBeInName(words, to - 1) || isRival(skill, words, to - 1) || KEY.test(last.text) || DAY.test(last.text))
      break;
    const isPlain = /^\p{Ll}/u.test(last.text);
    if (
      /[#@]/.test(last.text) ||
      CELL_RANGE.test(last.text) ||
      (isPlain && (isAction(last) || /^\p{Ll}.*[-_./]/u.test(text)))
    )
      break;
    if (isPlain && (isFieldWord(field, last) || listSameNouns(last).length > 2)) break;
    // "What's in Budget 2026": a project has a key, or one word, or is called a project.
    if (!writes && !shaped && !led && field.shape?.test("KAY") && !isFieldWord(field, words[to])) break;
    if (writes && !isProper(first) && !isFieldWord(field, words[to]) && !led && !isSetOff(words, at, to)) continue;
    ends.push({ to, quality: !isProper(first) ? 0.5 : words.slice(at, to).every(isProper) ? 1.1 : 1 });
  }
  return ends;
}

/** "The design review", "tomorrow's design review", "to sara lindqvist in …": where a name in small letters begins and ends is plain. */
function isSetOff(words: Word[], at: number, to: number): boolean {
  const [before, next] = [getWord(words, at - 1).lower, getWord(words, to)];
  return (
    ["the", "my", "'s"].includes(before) ||
    (PREPOSITIONS.has(before) && (next.kind === "mark" || PREPOSITIONS.has(next.lower)))
  );
}

function isProper({ text }: Word): boolean {
  return /^[\p{Lu}\d#@]|[-_/.]/u.test(text);
}

function endOfAddresses(words: Word[], at: number): number {
  const isJoint = [",", "and"].includes(getWord(words, at + 1).lower);
  return isJoint && getWord(words, at + 2).text.includes("@") ? endOfAddresses(words, at + 2) : at + 1;
}

/** Whether a name may end before a word: nothing there could belong to it. */
export function endsName(skill: Skill, field: Field, words: Word[], to: number): boolean {
  const next = getWord(words, to);
  if (!mayBeInName(words, to) || isFieldWord(field, next) || isNoun(skill, next) || skill.foreign.has(next.lemma))
    return true;
  // "High assigned to Tom".
  if (isParticiple(next)) return true;
  if (TIME.test(next.lower) || isRival(skill, words, to) || isServiceName(skill, [next])) return true;
  return skill.fields.some((other) => findKnownValue(other, [next]) !== undefined);
}

/** Whether another service is named here, in one word or two. */
export function isRival({ rivals }: Skill, words: Word[], at: number): boolean {
  // "DOCS" is a space, not Google Docs.
  if (/^\p{Lu}{2,}$/u.test(getWord(words, at).text)) return false;
  return [1, 2].some((size) => rivals.has(sliceLower(words, at, at + size)));
}

function mayBeInName(words: Word[], at: number): boolean {
  const { lower, kind, text } = getWord(words, at);
  if (kind !== "word") return false;
  if (/^\p{Lu}{2,}$/u.test(text)) return true;
  // "In Review", "On Hold"; "Status is New", "the First project".
  if (at > 0 && /^\p{Lu}\p{Ll}/u.test(text) && !QUESTION_WORDS.has(lower))
    if (!PREPOSITIONS.has(lower) || /^\p{Lu}/u.test(getWord(words, at + 1).text)) return true;
  return !NOT_IN_NAMES.some((set) => set.has(lower));
}

/** The "notes" of "append to Meeting notes". */
export function isPartOfName(words: Word[], at: number): boolean {
  return isPlural(getWord(words, at)) && /^\p{Lu}\p{Ll}/u.test(getWord(words, at - 1).text);
}

/** Whether a word names what the tool works on. */
export function isNoun({ nouns }: Skill, word: Word): boolean {
  return word.kind === "word" && nouns.some((noun) => isSameNoun(noun, word));
}

/** The name of the tool's own service says where to look; nothing there is called that unless it is in quotes. */
export function isServiceName({ names }: Skill, span: Word[]): boolean {
  return names.includes(sliceLower(span, 0, span.length));
}

const JOINTS = new Set("and or then 's is where while so if please to now too also sorted ordered".split(" "));
const NOT_IN_NAMES = [
  VAGUE_WORDS,
  OWNERS,
  PREPOSITIONS,
  TEXT_CUES,
  PRONOUNS,
  PERSON_PRONOUNS,
  QUESTION_WORDS,
  ARTICLES,
  OPERATORS,
  JOINTS,
  ORDINALS,
  EMPTY_IN_READS,
];

/** Words that lead to what a field is for, by its name. */
const ROLES: { name: RegExp; leads: Set<string>; writes?: Set<string> }[] = [
  { name: /^(sender|from|author|reporter|creator)/i, leads: new Set(["from", "by"]) },
  { name: /^(assign)/i, leads: new Set(["to", "for"]) },
  { name: /^owner/i, leads: new Set(["by", "of"]) },
  { name: /^(guests?|attendees?|invite|participants?)/i, leads: new Set(["with", "invite", "inviting"]) },
  { name: /^(to|recipients?)$/i, leads: new Set(["to"]) },
  { name: /^(person|people|user|member)/i, leads: new Set(["with", "for", "to"]) },
  { name: /^(company|organi[sz]ation)/i, leads: new Set(["at", "from", "of"]) },
  {
    name: /^(repo(?!rt)|project|space|channel|folder|parent|table|base|database|board)/i,
    leads: new Set(["in", "on", "of", "from"]),
    writes: new Set(["to", "into"]),
  },
  {
    name: /^(document|spreadsheet|page|sheet)/i,
    leads: new Set(["in", "of", "from"]),
    writes: new Set(["to", "into"]),
  },
  { name: /^(label|tag)/i, leads: new Set(["labelled", "labeled", "tagged", "with"]) },
  { name: /^(location|place|room)/i, leads: new Set(["at", "in"]) },
];

const TIME =
  /^(today|tomorrow|yesterday|tonight|\d.*|(mon|tues|wednes|thurs|fri|satur|sun)day|(mon|tue|wed|thu|fri|sat|sun)|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec).*)$/;
const DAY =
  /^(today|tomorrow|yesterday|tonight|morning|afternoon|evening|noon|(mon|tues|wednes|thurs|fri|satur|sun)day|(this|next|last)|(day|week|weekend|month|quarter|year)s?|\d{1,2}(:\d\d)?(am|pm))$/;
/** A month that is not also someone's name. */
const MONTH =
  /^(?:[Jj]anuary|[Ff]ebruary|[Mm]arch|april|june|[Jj]uly|august|[Ss]eptember|[Oo]ctober|[Nn]ovember|[Dd]ecember)$/;
const FILE =
  /^@.*(?:\/|\.(?:md|txt|csv|json|ya?ml|log|pdf|docx?|xlsx?|pptx?|html?|png|jpe?g|gif|svg|zip|[jt]sx?|py|go|rs|sh|sql)$)/i;
const CELLS = /^[A-Z]{1,3}\d{1,6}(?::[A-Z]{1,3}\d{1,6})?$/i;
const CELL_RANGE = /^[A-Z]{1,3}\d{1,6}:[A-Z]{1,3}\d{1,6}$/i;
/** A column can be called as a thing is: "status", "task". */
const COLUMN = /\b(?:column|field)\b/i;
const LONGEST_NAME = 6;
