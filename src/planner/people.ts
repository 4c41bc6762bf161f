import type { Skill } from "./catalogue.ts";
import { chooseReading } from "./choose-service.ts";
import { arrange, type Clause } from "./clauses.ts";
import { isLongText } from "./fields.ts";
import { ARTICLES, OPERATORS, PERSON_PRONOUNS, POSSESSIVES, PREPOSITIONS, PRONOUNS, VAGUE_WORDS } from "./grammar.ts";
import { getWord, type Word } from "./language.ts";
import { isVerb } from "./lexicon.ts";
import type { FeedCall } from "./plan.ts";
import type { Steps } from "./steps.ts";
import { isForbidden, isSure, type Reading, rankReadings } from "./understand.ts";

/**
 * "Is sam free tomorrow?", "email sam: hi": a request with an address in the place of a name is understood. The address is
 * that of the one person with this name; without a tool that finds people, it is asked for.
 */
export function* readWithName(
  clause: Clause,
  skills: Skill[],
): Steps<{ reading: Reading; feed?: FeedCall; leftOut?: string } | undefined> {
  const { words } = clause;
  if (words.length > MOST_WORDS || isForbidden(clause) || words.some(({ text }) => text.includes("@")))
    return undefined;
  for (const [at, { text: name, start }] of words.entries()) {
    if (!mayBePerson(words, at)) continue;
    const address: Word = { ...getWord(words, at), text: ADDRESS, lower: ADDRESS, start, end: start + ADDRESS.length };
    const request = arrange(clause, [words.slice(0, at), address, words.slice(at + 1)]);
    const sure = (yield* rankReadings(request, skills)).filter(isSure);
    const reading = chooseReading(sure, request);
    const field = reading?.skill.fields.find((one) => reading.input[one.name] === ADDRESS);
    // "Book a flight to berlin" and "set KAY-2 to tom" are unlikely mails.
    const isLikely = reading && reading.score >= LIKELY && reading.missing.every(isLongText);
    if (!isLikely || !field?.person || !field.strict) continue;
    const read = findFinder(skills, clause, name);
    if (read) return { reading, feed: { markdown: false, part: { name: "address" }, read, field: field.name } };
    const { [field.name]: _, ...input } = reading.input;
    return { reading: { ...reading, input, missing: [field, ...reading.missing] }, leftOut: name };
  }
  return undefined;
}

/** A call of a tool that finds people by name, of a service that is connected. */
function findFinder(skills: Skill[], { connected }: Clause, name: string): FeedCall["read"] | undefined {
  for (const { examples, name: tool, access, service } of skills) {
    const [, field] = examples.flatMap((example) => /^find the person \{(\w+)\}$/.exec(example) ?? []);
    if (field && access === "read" && (!connected || connected.includes(service)))
      return { tool, input: { [field]: name } };
  }
  return undefined;
}

function mayBePerson(words: Word[], at: number): boolean {
  const word = getWord(words, at);
  const isName = at > 0 && word.kind === "word" && /^\p{L}{2,}$/u.test(word.text) && !word.stop && !isVerb(word);
  return isName && !ARTICLES.has(getWord(words, at - 1).lower) && !NO_NAMES.some((set) => set.has(word.lower));
}

const NO_NAMES = [OPERATORS, PERSON_PRONOUNS, POSSESSIVES, PREPOSITIONS, PRONOUNS, VAGUE_WORDS];
const ADDRESS = "x@name.invalid";
const MOST_WORDS = 20;
const LIKELY = 1;
