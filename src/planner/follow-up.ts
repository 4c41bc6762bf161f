import type { Skill } from "./catalogue.ts";
import { type Clause, toSubclause } from "./clauses.ts";
import { isNoun } from "./field-words.ts";
import type { Field } from "./fields.ts";
import { PREPOSITIONS, QUESTION_WORDS } from "./grammar.ts";
import type { Word } from "./language.ts";
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
  const rest = bare ? getValues(clause.words, skill) : getChange(clause.words);
  if (!rest) return undefined;
  const narrows = clause.words.some(({ lower }) => lower === "only" || ONES.has(lower));
  for (const words of [rest, withPlace(rest)]) {
    const [reading] = yield* rankReadings(asShowing({ ...toSubclause(clause, rest), words }), [skill]);
    if (!reading || reading.loose.length > 0 || Object.keys(reading.input).length === 0) continue;
    // Words to search for are no values, and "only the purple ones" are not in another place.
    const isOther = ({ kind, required }: Field) => (bare && kind === "text") || (narrows && required);
    if (skill.fields.some((field) => isOther(field) && reading.input[field.name] !== undefined)) continue;
    const isDated = skill.fields.some(({ kind, name }) => kind === "date" && reading.input[name] !== undefined);
    const before = Object.entries(last.input).filter(
      ([name]) => !(isDated && skill.fields.some((field) => field.name === name && field.kind === "date")),
    );
    const input = { ...(Object.fromEntries(before) as Reading["input"]), ...reading.input };
    const missing = reading.missing.filter(({ name }) => input[name] === undefined);
    return { ...reading, input, missing };
  }
  return undefined;
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

/** "For OPS" as "in OPS". */
function withPlace(words: Word[]): Word[] {
  const [first, ...others] = words;
  return first?.lower === "for" ? [{ ...first, text: "in", lower: "in", lemma: "in", stem: "in" }, ...others] : words;
}

const LEAD =
  /^(?:(?:the )?same(?: thing| again)?(?: but)?(?: only)?|(?:but )?only|(?:what|how) about|(?:no|sorry) ,(?: i meant?)?|(?:(?:no|sorry) )?i meant?)(?= |$)/;
const MOST_VALUES = 4;
const ONES = new Set(["ones", "those"]);
