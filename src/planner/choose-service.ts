import type { Clause } from "./clauses.ts";
import { isRival, isServiceName } from "./field-words.ts";
import { getWord, type Word } from "./language.ts";
import { isSure, type Reading } from "./understand.ts";

/** The likeliest reading; where its service is not connected, one that is as good and whose service is. */
export function chooseReading(sure: Reading[], clause: Clause): Reading | undefined {
  const [first, ...rest] = sure;
  const { connected } = clause;
  if (!first || !connected || connected.includes(first.skill.service) || namesService(first, clause)) return first;
  const instead = rest.find(({ skill, score, missing }) => {
    const isSame = (skill.access === "read") === (first.skill.access === "read");
    const isAsGood = isSame && missing.length <= first.missing.length && score > first.score - RIVALRY;
    return isAsGood && connected.includes(skill.service);
  });
  return instead ?? first;
}

function namesService({ skill }: Reading, { words, placed }: Clause): boolean {
  return (
    placed === true || words.some((_, at) => [1, 2].some((size) => isServiceName(skill, words.slice(at, at + size))))
  );
}

/** "Upload report.pdf to drive": what lacks a value is for no other service than the one that is named. */
export function isElsewhere(reading: Reading, clause: Clause): boolean {
  const { words } = clause;
  const isOther = (_: Word, at: number) =>
    isRival(reading.skill, words, at) && PLACED.has(getWord(words, at - 1).lower);
  return reading.missing.length > 0 && !namesService(reading, clause) && words.some(isOther);
}

/** "Which pull requests are open?": both services are connected, and nothing that only one of them has is named. */
export function isAsLikely(best: Reading, other: Reading, { connected }: Clause): boolean {
  if (![best, other].every(({ skill }) => connected?.includes(skill.service))) return false;
  const { fields } = best.skill;
  const isNamed = fields.some(({ name, kind, values }) => kind === "name" && values.length === 0 && name in best.input);
  return !isNamed && other.score > best.score - NEAR;
}

/** The same request to other services, where none is named: "the PRs in kay-backend". */
export function listOthers(best: Reading, readings: Reading[], clause: Clause): Reading[] {
  const { skill, input } = best;
  if (skill.access !== "read" || namesService(best, clause) || Object.keys(input).length === 0) return [];
  return readings
    .filter((one) => one.skill.service !== skill.service && one.skill.access === "read" && isSure(one))
    .filter(({ missing, score }) => missing.length === 0 && score > best.score - RIVALRY)
    .slice(0, 2);
}

/** A write that another service could take as well, where neither it nor a particular thing is named: "comment on the page Plan". */
export function findRival(best: Reading, readings: Reading[], clause: Clause): Reading | undefined {
  const { skill, score } = best;
  const { words, connected = [] } = clause;
  if (skill.access === "read" || namesService(best, clause) || words.some(({ text }) => PARTICULAR.test(text)))
    return undefined;
  const isReady = (one: Reading) => connected.includes(one.skill.service) || !connected.includes(skill.service);
  const others = readings.filter(
    (one) => one.skill.service !== skill.service && one.skill.access !== "read" && isReady(one),
  );
  // A "record" is a word of Airtable, and of a spreadsheet only in a wider sense.
  const names = (one: Reading) => words.some(({ lower }) => one.skill.nouns.some((noun) => noun.lower === lower));
  const least = (one: Reading) => score - (names(one) && !names(best) ? RIVALRY : TIE);
  return others.find((one) => isSure(one) && one.missing.length <= best.missing.length && one.score > least(one));
}

/** What leads to the service in which something is to be done. */
const PLACED = new Set(["to", "into"]);

/** A channel, an address, or a code such as ENG. */
const PARTICULAR = /@|^#|^\p{Lu}[\p{Lu}\p{N}_-]+$/u;

/** Difference of scores up to which two services are as likely. */
const TIE = 0.1;

/** Difference of scores up to which two services are looked at. */
const NEAR = 0.3;

/** Difference of scores up to which another service may be meant. */
const RIVALRY = 0.8;
