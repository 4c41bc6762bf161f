import type { Skill } from "./catalogue.ts";
import { type Clause, toSubclause } from "./clauses.ts";
import { isNoun, readKey } from "./field-words.ts";
import { type Field, isHeadingField } from "./fields.ts";
import { PREPOSITIONS, QUESTION_WORDS } from "./grammar.ts";
import { sliceLower, type Word } from "./language.ts";
import { isVerb } from "./lexicon.ts";
import type { AskedCall } from "./memory.ts";
import type { Steps } from "./steps.ts";
import { type Reading, rankReadings } from "./understand.ts";

/**
 * "Same but for OPS", "only the bugs", "what about tom?", "and the closed ones": the last looks once more, with other
 * values. None where that does not account for every word.
 *
 * @param bare whether values alone are enough: "tomorrow?", "#eng"
 */
export function* readFollowUps(clause: Clause, skills: Skill[], bare = false): Steps<Reading[]> {
  const readings: Reading[] = [];
  const [last, ...earlier] = clause.memory.asked;
  const together = earlier.filter(({ step }) => step !== undefined && step === last?.step);
  for (const call of last ? [...together.toReversed(), last] : []) {
    const skill = skills.find(({ name, access }) => name === call.tool && access === "read");
    const reading = skill && (yield* readAgain(clause, call, skill, bare));
    if (reading) readings.push(reading);
  }
  return readings;
}

function* readAgain(clause: Clause, last: AskedCall, skill: Skill, bare: boolean): Steps<Reading | undefined> {
  // "How many are there?" is in the answer of the last look.
  if (!bare && COUNT.test(sliceLower(clause.words, 0, clause.words.length)))
    return { skill, score: 1, input: last.input as Reading["input"], missing: [], loose: [], told: true };
  const rest = bare ? getValues(clause.words, skill) : getChange(clause.words);
  if (!rest) return undefined;
  const narrows = clause.words.some(({ lower }) => lower === "only" || ONES.has(lower));
  for (const words of [rest, withPlace(rest), ...withPerson(rest, last, skill), ...withTopic(rest, last, skill)]) {
    const [reading] = yield* rankReadings(asShowing({ ...toSubclause(clause, rest), words }), [skill]);
    if (!reading || reading.loose.length > 0 || Object.keys(reading.input).length === 0) continue;
    // Words to search for are no values, and "only the purple ones" are not in another place.
    const isOther = ({ kind, required }: Field) => (bare && kind === "text") || (narrows && required);
    if (skill.fields.some((field) => isOther(field) && (reading.input[field.name] ?? "") !== "")) continue;
    const isDated = skill.fields.some(({ kind, name }) => kind === "date" && reading.input[name] !== undefined);
    const before = Object.entries(last.input).filter(
      ([name]) => !(isDated && skill.fields.some((field) => field.name === name && field.kind === "date")),
    );
    const own = Object.entries(reading.input).filter(([name, value]) => value !== "" || last.input[name] === undefined);
    const input = { ...Object.fromEntries([...before, ...own]) } as Reading["input"];
    const missing = reading.missing.filter(({ name }) => input[name] === undefined);
    return { ...reading, input, missing };
  }
  return undefined;
}

/** "Same for KAY-5", "no, I meant Priya": the last change once more, for another thing. */
export function repeatChange({ words, memory }: Clause, skills: Skill[]): Reading | undefined {
  const [last] = memory.asked;
  const skill = skills.find(({ name, access }) => name === last?.tool && access === "write");
  const text = sliceLower(words, 0, words.length - 1);
  const [word] = words.slice(-1);
  const isCorrection = CORRECTION.exec(text)?.[0] === text;
  if (!last || !skill || word?.kind !== "word" || !(isCorrection || SAME.test(text))) return undefined;
  // What was created under a wrong name is there already.
  if (isCorrection && skill.fields.some(isHeadingField)) return undefined;
  const fitting = skill.fields.filter(({ required, name }) => required && typeof last.input[name] === "string");
  const [only, ...others] = fitting.flatMap((field) => {
    const value = readThing(field, word);
    return value === undefined ? [] : [{ [field.name]: value }];
  });
  if (only === undefined || others.length > 0) return undefined;
  const input = { ...last.input, ...only } as Reading["input"];
  return { skill, score: 1, input, missing: [], loose: [], told: true };
}

/** The key, channel, address or person that a word alone names. */
function readThing(field: Field, word: Word): string | undefined {
  if (field.kind === "key") return readKey(word, field);
  if (field.particular && field.shape?.test(word.text)) return word.text;
  if (!field.person || !/^\p{L}+$/u.test(word.text)) return undefined;
  return field.shape?.test("#general") ? `@${word.text}` : word.text;
}

/** Some words as a request to see what they name. */
export function asShowing(part: Clause): Clause {
  const [first] = part.words;
  if (first === undefined) return part;
  const show = { text: "show", lower: "show", lemma: "show", stem: "show", stop: true, kind: "word" } as const;
  return { ...part, words: [{ ...show, start: first.start, end: first.start }, ...part.words] };
}

/** What is to be other than before, if the words say that they change the last request. */
function getChange(words: Word[]): Word[] | undefined {
  const text = words.map(({ lower }) => lower).join(" ");
  const lead = LEAD.exec(text)?.[0].trim().split(" ").length ?? 0;
  const rest = words.slice(lead).filter(({ lower }) => !ONES.has(lower));
  const isChange = lead > 0 || PREPOSITIONS.has(words[0]?.lower ?? "") || rest.length < words.length - lead;
  return isChange && rest.length > 0 ? rest : undefined;
}

/** A few words that name neither a thing nor what to do. */
function getValues(words: Word[], skill: Skill): Word[] | undefined {
  const says = words.some((word) => isVerb(word) || isNoun(skill, word) || QUESTION_WORDS.has(word.lower));
  return says || words.length > MOST_VALUES ? undefined : words;
}

/** "And priya?" after "what did sam write": another person in the place of the one who was named. */
function withPerson(words: Word[], { input }: AskedCall, { fields }: Skill): Word[][] {
  const named = fields.filter(({ person, name }) => person && typeof input[name] === "string");
  const [only, ...others] = words;
  if (named.length !== 1 || only?.kind !== "word" || others.length > 0 || !/^\p{L}+$/u.test(only.text)) return [];
  return ["from", "by"].map((lead) => [
    { ...only, text: lead, lower: lead, lemma: lead, stem: lead, stop: true },
    only,
  ]);
}

/** "Next month?" after "deals closing this month" is about the same dates. */
function withTopic(words: Word[], { input }: AskedCall, { fields }: Skill): Word[][] {
  const dated = fields.find(({ kind, name }) => kind === "date" && input[name] !== undefined);
  const [first] = words;
  return dated?.words[0] && first ? [[{ ...dated.words[0], start: first.start, end: first.start }, ...words]] : [];
}

/** "For OPS" as "in OPS". */
function withPlace(words: Word[]): Word[] {
  const [first, ...others] = words;
  return first?.lower === "for" ? [{ ...first, text: "in", lower: "in", lemma: "in", stem: "in" }, ...others] : words;
}

const LEAD =
  /^(?:(?:the )?same(?: thing| again)?(?: but)?(?: only)?|(?:but )?only|(?:what|how) about|(?:no|sorry) ,(?: i meant?)?|(?:(?:no|sorry) )?i meant?)(?= |$)/;
const SAME = /^(?:and |do )?(?:the )?same(?: thing)? (?:for|to|in|with|on)$/;
export const CORRECTION = /^(?:(?:no|sorry) ,(?: i meant?)?|(?:(?:no|sorry) )?i meant?)(?= |$)/;
const COUNT = /^how many(?: (?:are (?:there|they|those)|is that|of them))?$/;
const MOST_VALUES = 4;
const ONES = new Set(["ones", "those"]);
