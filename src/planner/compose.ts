import type { Skill } from "./catalogue.ts";
import { type Clause, isQuestion, toSubclause } from "./clauses.ts";
import { isNoun, isServiceName, readKey } from "./field-words.ts";
import { type Field, isFieldWord, isHeadingField, isLongText } from "./fields.ts";
import { asShowing } from "./follow-up.ts";
import { ASKING_WORDS, isPlural, PLACE_WORDS, POSSESSIVES } from "./grammar.ts";
import type { Word } from "./language.ts";
import { scoreSimilarity } from "./lexicon.ts";
import { getTitle, writeResult } from "./passage.ts";
import { MARK } from "./phrase.ts";
import type { FeedCalls, PlannedCall } from "./plan.ts";
import { createMark, findSpans, resolveSpan, type TextSpan } from "./spans.ts";
import { isForbidden, isSure, type Reading, rankReadings } from "./understand.ts";

/** A call whose text is made from what something else finds: from `feed` first, or from what the conversation has already. */
export type ComposedCall = { reading: Reading; feed?: FeedCalls };

/**
 * "Send the open bugs to #general": a request to pass on what a read finds, not these words. It is one only where the words name things that
 * a tool lists, by the tool's own examples, and say nothing else; "send hello to #general" passes on a hello.
 *
 * @param plain the likeliest reading of the whole as it stands
 */
export function composeCall(clause: Clause, skills: Skill[], plain: Reading | undefined): ComposedCall | undefined {
  if (isQuestion(clause.words) || isForbidden(clause)) return undefined;
  const reads = skills.filter(({ access }) => access === "read");
  const able = skills.filter((skill) => passesOn(skill, clause, 0.75));
  const exact = able.filter((skill) => passesOn(skill, clause, 1));
  const writes = exact.length > 0 ? exact : able;
  if (writes.length === 0) return undefined;
  let best: (ComposedCall & { score: number }) | undefined;
  for (const passage of findSpans(clause)) {
    const source = getSource(passage, clause, reads);
    const target = source && getTarget(passage, clause, writes);
    if (!target) continue;
    const score = source.score + target.reading.score;
    if (isBetter(plain, target.reading, passage)) continue;
    if (best === undefined || score > best.score) best = { ...join(source, target, passage, clause), score };
  }
  if (best === undefined) return undefined;
  return { reading: best.reading, ...(best.feed ? { feed: best.feed } : {}) };
}

/** Whether a tool takes a text, and the clause begins with the verb of one of its examples, in the same word. */
function passesOn({ access, fields, patterns }: Skill, { words: [first] }: Clause, least: number): boolean {
  if (access !== "write" || first?.kind !== "word" || !fields.some(isLongText)) return false;
  return patterns.some(([part]) => part !== undefined && "word" in part && scoreSimilarity(part.word, first) >= least);
}

type Source = { score: number } & ({ reads: PlannedCall[] } | { found?: Clause["memory"]["result"] });

/** Meaning of a passage: results of the conversation, or calls that find it. */
function getSource(passage: TextSpan, clause: Clause, reads: Skill[]): Source | undefined {
  if (passage.refers) {
    const found = resolveSpan(passage, clause.memory);
    return { score: 1, ...(found ? { found } : {}) };
  }
  const named = passage.parts.map((part) => sourceCall(toSubclause(clause, part), reads));
  if (named.some((one) => one === undefined)) return undefined;
  const calls = named.flatMap((one) => one ?? []);
  const score = calls.reduce((sum, call) => sum + call.score, 0) / Math.max(1, calls.length);
  return { score, reads: calls.map(({ tool, input }) => ({ tool, input })) };
}

/**
 * Returns the call that finds what some words name; undefined when a word is left over, since then it is the user's
 * text.
 */
function sourceCall(part: Clause, reads: Skill[]): (PlannedCall & { score: number }) | undefined {
  const able = new Set(reads.filter((skill) => namesThings(skill, part.words)));
  if (able.size === 0) return undefined;
  const [best] = rankReadings(ASKING_WORDS.has(part.words[0]?.lower ?? "") ? part : asShowing(part), reads).filter(
    (reading) => able.has(reading.skill) && isSure(reading) && reading.missing.length === 0,
  );
  if (best === undefined) return undefined;
  const { skill, score, input } = best;
  return { tool: skill.name, input: narrow(skill, input, part), score };
}

/** Several things of a kind that the tool lists, one's own things, one thing by its key or name, or whatever is in a service that is named. */
function namesThings(skill: Skill, words: Word[]): boolean {
  if (ASKING_WORDS.has(words[0]?.lower ?? "")) return true;
  const placed = words.some((word, at) => PLACE_WORDS.has(words[at - 1]?.lower ?? "") && isServiceName(skill, [word]));
  if (placed && !NEW.has(words[0]?.lower ?? "")) return true;
  const [, thing, name] = words;
  const isNamed = DEFINITE.has(words[0]?.lower ?? "") && thing !== undefined && /^\p{Lu}/u.test(name?.text ?? "");
  const isOfTool =
    thing !== undefined &&
    (isNoun(skill, thing) || skill.fields.some((field) => field.required && isFieldWord(field, thing)));
  if (isNamed && isOfTool) return true;
  const own = words.some(({ lower }) => POSSESSIVES.has(lower) || lower === "every" || lower === "each");
  const listed = words.some((word) => (own || isPlural(word)) && !word.stop && isNoun(skill, word));
  const keyed = skill.fields.some(
    (field) => field.kind === "key" && field.required && words.some((word) => readKey(word, field) !== undefined),
  );
  return listed || keyed;
}

/** "The bugs" after a question about KAY are those of KAY. */
function narrow(skill: Skill, input: PlannedCall["input"], { words, memory }: Clause): PlannedCall["input"] {
  const [last] = memory.asked;
  if (last?.tool !== skill.name || !DEFINITE.has(words[0]?.lower ?? "")) return input;
  const known = Object.entries(last.input).filter(([name]) => name !== "limit" && input[name] === undefined);
  return { ...(Object.fromEntries(known) as PlannedCall["input"]), ...input };
}

type Target = { reading: Reading; field: Field };

/** The write that takes the passage as its text, understood with a mark in its place, and with no word left over. */
function getTarget(passage: TextSpan, clause: Clause, writes: Skill[]): Target | undefined {
  const words = [...passage.before, createMark(passage.start), ...passage.after];
  for (const reading of rankReadings({ ...clause, words }, writes)) {
    if (!isSure(reading)) return undefined;
    const field = reading.skill.fields.find(({ name }) => [reading.input[name]].flat().includes(MARK));
    if (field) return { reading: withoutMark(reading, field), field };
  }
  return undefined;
}

function withoutMark(reading: Reading, { name }: Field): Reading {
  const { [name]: _mark, ...input } = reading.input;
  return { ...reading, input };
}

/** Target and source as one request: text that is known already is put in, a heading that is left out says what it is about. */
function join(source: Source, { reading, field }: Target, passage: TextSpan, clause: Clause): ComposedCall {
  const { skill } = reading;
  const markdown = /markdown/i.test(field.description);
  const input = { ...reading.input };
  const heading = skill.fields.find((one) => isHeadingField(one) && one !== field && input[one.name] === undefined);
  const title = passage.refers ? "found" in source && getTitle(source.found) : getHeading(passage, clause);
  if (heading && title) input[heading.name] = title;
  if ("reads" in source) input[field.name] = "";
  else if (source.found) input[field.name] = writeResult(source.found, { markdown });
  const isOpen = ({ name }: Field) =>
    input[name] === undefined || (input[name] === "" && !("reads" in source && name === field.name));
  const missing = skill.fields.filter((one) => one.required && isOpen(one));
  // A reference without content must be asked for.
  if (!("reads" in source) && !source.found && !missing.includes(field)) missing.push(field);
  const whole = { ...reading, input, missing };
  return "reads" in source
    ? { reading: whole, feed: { reads: source.reads, field: field.name, markdown } }
    : { reading: whole };
}

function getHeading({ parts }: TextSpan, clause: Clause): string {
  const [first, ...rest] = parts.flat();
  const last = rest.at(-1) ?? first;
  const offset = clause.words[0]?.start ?? 0;
  const from = first && DEFINITE.has(first.lower) ? (rest[0] ?? first) : first;
  const text = clause.text.slice((from?.start ?? 0) - offset, (last?.end ?? 0) - offset);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether the request as it stands is understood to the end, and better; not if it takes the passage for a text or a name. */
function isBetter(plain: Reading | undefined, composed: Reading, { parts }: TextSpan): boolean {
  if (plain === undefined || !isSure(plain)) return false;
  // "Comment on KAY-4 in jira" says which issue, and not what.
  if (composed.missing.some(({ name }) => plain.input[name] !== undefined)) return true;
  if (plain.missing.length > 0 || plain.skill === composed.skill) return false;
  const last = parts.flat().at(-1)?.text ?? "";
  const taken = Object.values(plain.input).some((value) => typeof value === "string" && value.includes(` ${last}`));
  return !taken && plain.score >= composed.score;
}

const NEW = new Set(["a", "an", "new"]);

const DEFINITE = new Set(["the", "these", "those"]);
