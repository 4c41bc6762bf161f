import type { Skill, ToolCatalogue } from "./catalogue.ts";
import { chooseReading, findRival, isAsLikely, isElsewhere, listOthers } from "./choose-service.ts";
import { type Clause, findStatement, sliceText, splitClauses, toSubclause } from "./clauses.ts";
import { composeCall, LISTS } from "./compose.ts";
import { planConnection } from "./connection-requests.ts";
import { readFollowUps, repeatChange } from "./follow-up.ts";
import { toFieldValues } from "./form.ts";
import { PRONOUNS } from "./grammar.ts";
import type { Word } from "./language.ts";
import { isAction } from "./lexicon.ts";
import { buildMemory, type CompletedCall, getService, type Memory } from "./memory.ts";
import { findNearestTool } from "./nearest.ts";
import { findsOneThing, splitNewestThing } from "./newest-thing.ts";
import { readPart } from "./part.ts";
import { readWithName } from "./people.ts";
import { type ClauseOutcome, type FeedCall, type FormAnswers, type PlannedCall, parseClauseIndex } from "./plan.ts";
import { formatEither, formatForbidden, formatLoose, formatNoTool, formatNotUnderstood } from "./reply.ts";
import { listRewordings } from "./rewordings.ts";
import { splitShared } from "./shared-words.ts";
import type { Steps } from "./steps.ts";
import { isForbidden, isNearlySure, isSure, type Reading, rankReadings } from "./understand.ts";

/**
 * What each request of a sentence comes to, in their order.
 *
 * @param turn what was called for it so far: requests refer to the results of those before them
 * @param answers what people filled in, by request
 */
export function* planRequests(
  request: Clause,
  kit: ToolCatalogue,
  turn: CompletedCall[],
  answers: FormAnswers,
): Steps<ClauseOutcome[]> {
  const outcomes: ClauseOutcome[] = [];
  let { memory } = request;
  const parts = splitClauses(request.words, kit.skills).map((words) => toSubclause(request, words));
  const derived = new Set<number>();
  for (let index = 0; index < parts.length; index++) {
    const clause = { ...(parts[index] ?? request), memory, follows: index > 0 };
    const stated = index < parts.length - 1 ? findStatement(clause) : undefined;
    let understood = stated ? NOTHING : yield* understand(clause, kit, index > 0);
    const isUnknown = understood.kind === "words" && understood.unknown !== undefined;
    const halves = isUnknown ? yield* splitShared(clause, (half) => understand(half, kit, index > 0)) : undefined;
    if (halves) {
      parts.splice(index--, 1, ...halves);
      continue;
    }
    const look = stated ? undefined : yield* lookForNewest(clause, understood, kit);
    if (look) {
      understood = look.outcome;
      parts.splice(index + 1, 0, look.request);
      derived.add(index + 1);
    }
    // Nothing was found that it could be about.
    const isOpen = understood.kind === "words" || (understood.kind === "missing" && understood.later);
    if (derived.has(index) && isOpen) understood = NOTHING;
    const outcome = filledIn(understood, answers[index], request);
    outcomes.push(outcome);
    const own = turn.filter(({ id }) => parseClauseIndex(id) === index);
    memory = stated ?? after(outcome, own, memory);
  }
  return outcomes;
}

/** "Sum up the newest mail from Sam": the look that finds the mail, and the request about it. */
function* lookForNewest(
  clause: Clause,
  understood: ClauseOutcome,
  kit: ToolCatalogue,
): Steps<{ outcome: ClauseOutcome; request: Clause } | undefined> {
  if (!(understood.kind === "words" && understood.unknown) && !findsOneThing(understood)) return undefined;
  const split = splitNewestThing(clause);
  const outcome = split && (yield* understand(split.look, kit, false));
  if (!outcome || !findsOneThing(outcome)) return undefined;
  const request = { ...toSubclause(clause, split.request), memory: after(outcome, [], clause.memory) };
  const later = yield* understand(request, kit, true);
  return later.kind === "words" ? undefined : { outcome, request };
}

/** A statement before a request asks for nothing itself. */
const NOTHING: ClauseOutcome = { kind: "calls", calls: [], changes: false };

/** What the next request may refer to: the results of this one, or its requests while they are unknown. */
function after(outcome: ClauseOutcome, own: CompletedCall[], memory: Memory): Memory {
  if (outcome.kind !== "calls") return own.length > 0 ? buildMemory(own) : memory;
  const { feed, calls } = outcome;
  const done = buildMemory(own);
  const last = done.asked.length > 0 ? done : { items: [], asked: calls.toReversed() };
  if (!feed) return last;
  const found = buildMemory(own.slice(0, 1));
  return { ...last, passed: found.asked.length > 0 ? found : { items: [], asked: [feed.read] } };
}

function* understand(clause: Clause, kit: ToolCatalogue, follows: boolean): Steps<ClauseOutcome> {
  const connects = planConnection(clause, kit);
  if (connects) return connects;
  const { skills } = kit;
  if (isForbidden(clause)) return { kind: "words", text: formatForbidden(clause.text) };
  // "How do I close KAY-3?" asks for the words to use.
  if (/^how (do|can|could|would|should|to)\b/i.test(clause.text)) return refuse(clause, skills);
  // No tool writes to the person in a chat.
  if (/^(?:dm|message|ping|text) (?:me|us)\b/i.test(clause.text)) return refuse(clause, skills);
  const repeated = repeatChange(clause, skills);
  if (repeated) return getOutcome(repeated, clause, follows, {});
  const again = getFollowUp(yield* readFollowUps(clause, skills), clause, follows);
  if (again) return again;
  const readings = yield* rankReadings(clause, skills);
  const best = chooseReading(
    readings.filter((one) => isSure(one) && !isElsewhere(one, clause)),
    clause,
  );
  const composed = yield* composeCall(clause, skills, best);
  if (composed && !isElsewhere(composed.reading, clause))
    return getOutcome(composed.reading, clause, follows, { feed: composed.feed });
  const rival = best && findRival(best, readings, clause);
  // After a look at mails, "reply" is about a mail.
  const last = clause.memory.asked[0];
  const lastService = last && getService(last.tool);
  const { words } = clause;
  const isOther =
    last && best && clause.memory.result && getService(best.skill.service).split("-")[0] !== lastService?.split("-")[0];
  if (isOther && best.missing.some(({ kind }) => kind !== "text") && words.some(({ lower }) => PRONOUNS.has(lower)))
    return refuseThere(clause, skills, lastService ?? "");
  if (rival && rival.skill.service === lastService) return getOutcome(rival, clause, follows, {});
  if (best && rival && best.skill.service !== lastService)
    return { kind: "words", text: formatEither([best.skill.title, rival.skill.title]), unknown: clause.text };
  if (best) {
    const others = listOthers(best, readings, clause);
    const both = others.filter((other) => isAsLikely(best, other, clause)).map(toCall);
    const outcome = getOutcome(best, clause, follows, { others: others.map(toCall) });
    return outcome.kind === "calls" && both.length > 0
      ? { kind: "calls", calls: [...outcome.calls, ...both], changes: false }
      : outcome;
  }
  const changed = getFollowUp(yield* readFollowUps(clause, skills, true), clause, follows);
  if (changed) return changed;
  for (const { clause: other, value } of clause.reworded ? [] : listRewordings(clause)) {
    const outcome = yield* understand({ ...other, reworded: true }, kit, follows);
    if (isWhole(outcome) && (outcome.kind === "calls" || isAction(clause.words[0])) && hasValue(outcome, value))
      return outcome;
  }
  const named = yield* readWithName(clause, skills);
  if (named) return getOutcome(named.reading, clause, follows, named);
  const near = readings.find((one) => isNearlySure(one, clause));
  if (near) return getOutcome(near, clause, follows, { leftOut: formatLoose(near.loose, clause) });
  const asked = yield* askWithoutEnd(clause, skills);
  if (asked) return asked;
  return refuse(clause, skills, readings);
}

/** Whether a request was understood to its last word. */
export function isWhole(outcome: ClauseOutcome): boolean {
  return outcome.kind !== "words" && !outcome.leftOut;
}

/** Whether a value is one of a request, and not a part of another. */
function hasValue(outcome: ClauseOutcome, value: string | undefined): boolean {
  const inputs = outcome.kind === "calls" ? outcome.calls.map(({ input }) => input) : [];
  if (outcome.kind === "missing") inputs.push(outcome.reading.input);
  const isSame = (other: unknown) => typeof other === "string" && other.toLowerCase() === value?.toLowerCase();
  return value === undefined || inputs.some((input) => Object.values(input).some(isSame));
}

/** The last looks with other values, all of them where they were made together. */
function getFollowUp(readings: Reading[], clause: Clause, follows: boolean): ClauseOutcome | undefined {
  const [only, ...others] = readings;
  if (only === undefined) return undefined;
  if (others.length === 0) return getOutcome(only, clause, follows, {});
  return { kind: "calls", calls: readings.flatMap(getCalls), changes: false };
}

function refuse(clause: Clause, skills: Skill[], readings: Reading[] = []): ClauseOutcome {
  const { words, memory } = clause;
  const [last] = memory.asked;
  const isReference = ({ lower }: Word) => PRONOUNS.has(lower) || lower === "one";
  if (
    last &&
    memory.result &&
    !clause.follows &&
    isAction(words[0]) &&
    words.length <= MOST_REFERRING &&
    words.some(isReference)
  )
    return refuseThere(clause, skills, getService(last.tool));
  // "Append to Meeting notes: …": several services have something that may be called so.
  const whole = readings.filter(
    (one) =>
      one.skill.access !== "read" && one.score >= 1 && one.missing.length === 0 && isSure({ ...one, told: true }),
  );
  const titles = [...new Set(whole.map(({ skill }) => skill.title))];
  if (titles.length > 1) return { kind: "words", text: formatEither(titles), unknown: clause.text };
  const [first] = readings;
  const loose = first?.told && first.loose.length <= 3 ? formatLoose(first.loose, clause) : undefined;
  const nearest = findNearestTool(clause.words, skills);
  return { kind: "words", text: formatNotUnderstood(clause.text, nearest, loose), unknown: clause.text };
}

/** "Delete it" after an issue, where no tool deletes issues: the tools of other services are not meant. */
function refuseThere(clause: Clause, skills: Skill[], service: string): ClauseOutcome {
  const title = skills.find((skill) => skill.service === service)?.title ?? service;
  return { kind: "words", text: formatNoTool(clause.text, title), unknown: clause.text };
}

/** "Create a ticket for my latest commit": what has to be asked for anyway is asked for, and what was not understood is said. */
function* askWithoutEnd(clause: Clause, skills: Skill[]): Steps<ClauseOutcome | undefined> {
  const { words } = clause;
  const end = words.findIndex(({ lower }, at) => at > 1 && (lower === "for" || lower === "about"));
  if (end < 0 || !isAction(words[0]) || words.some(({ kind }) => kind === "literal")) return undefined;
  const best = (yield* rankReadings(toSubclause(clause, words.slice(0, end)), skills)).find(isSure);
  if (!best || best.skill.access === "read" || !best.missing.some(({ kind, required }) => required && kind === "text"))
    return undefined;
  return { kind: "missing", reading: best, leftOut: sliceText(clause, end, words.length) };
}

/** Most words of "delete the first one" and the like. */
const MOST_REFERRING = 4;

type More = { feed?: FeedCall | undefined; others?: PlannedCall[]; leftOut?: string };

function getOutcome(
  reading: Reading,
  clause: Clause,
  follows: boolean,
  { feed, others, leftOut }: More,
): ClauseOutcome {
  const { skill, missing } = reading;
  const more = { ...(feed ? { feed } : {}), ...(leftOut ? { leftOut } : {}) };
  if (missing.length === 0) {
    const calls = getCalls(reading);
    return { kind: "calls", calls, changes: skill.access !== "read", ...more, ...(others?.length ? { others } : {}) };
  }
  // "Create … and comment on it", "… and post its key": the first request must be done before the second can be understood.
  const refers = (word: Word) => PRONOUNS.has(word.lower) || LISTS.has(word.lower) || readPart([word]) !== undefined;
  const isLater = follows && clause.words.some(refers);
  return { kind: "missing", reading, ...more, ...(isLater ? { later: true } : {}) };
}

/** With what people filled in since. */
function filledIn(
  outcome: ClauseOutcome,
  answers: FormAnswers[number] | undefined,
  { memory, now }: Clause,
): ClauseOutcome {
  if (outcome.kind !== "missing" || answers === undefined) return outcome;
  const { reading, feed } = outcome;
  const input = { ...reading.input, ...toFieldValues(reading.missing, answers, now) };
  const missing = reading.missing.filter(({ name }) => input[name] === undefined || input[name] === "");
  const whole = { ...reading, input, missing };
  return getOutcome(whole, { text: "", words: [], memory, now }, false, { feed });
}

function toCall({ skill, input }: Reading): PlannedCall {
  return { tool: skill.name, input };
}

function getCalls({ skill, input, more }: Reading): PlannedCall[] {
  const others = (more?.values ?? []).map((value) => ({ ...input, [more?.field ?? ""]: value }));
  return [input, ...others].map((each) => ({ tool: skill.name, input: each }));
}
