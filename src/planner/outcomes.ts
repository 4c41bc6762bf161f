import type { ToolCatalogue } from "./catalogue.ts";
import { type Clause, splitClauses, toSubclause } from "./clauses.ts";
import { composeCall } from "./compose.ts";
import { planConnection } from "./connection-requests.ts";
import { toFieldValues } from "./form.ts";
import { PRONOUNS } from "./grammar.ts";
import { buildMemory, type CompletedCall, type Memory } from "./memory.ts";
import { findNearestTools } from "./nearest.ts";
import { type ClauseOutcome, type FeedCalls, type FormAnswers, type PlannedCall, parseClauseIndex } from "./plan.ts";
import { formatForbidden, formatHowTo, formatNotUnderstood, formatTooVague } from "./reply.ts";
import { isForbidden, isVague, LIKELY_SCORE, type Reading, rankReadings, SURE_SCORE } from "./understand.ts";

/**
 * What each request of a sentence comes to, in their order.
 *
 * @param turn what was called for it so far: requests refer to the results of those before them
 * @param answers what people filled in, by request
 */
export function planRequests(
  request: Clause,
  kit: ToolCatalogue,
  turn: CompletedCall[],
  answers: FormAnswers,
): ClauseOutcome[] {
  const outcomes: ClauseOutcome[] = [];
  let { memory } = request;
  for (const [index, words] of splitClauses(request.words, kit.skills).entries()) {
    const clause = { ...toSubclause(request, words), memory };
    const outcome = filledIn(understand(clause, kit, index > 0), answers[index], request);
    outcomes.push(outcome);
    memory = after(
      outcome,
      turn.filter(({ id }) => parseClauseIndex(id) === index),
      memory,
    );
  }
  return outcomes;
}

/** What the next request may refer to: the results of this one, or its requests while they are unknown. */
function after(outcome: ClauseOutcome, own: CompletedCall[], memory: Memory): Memory {
  const found = buildMemory(own);
  if (found.asked.length > 0) return found;
  return outcome.kind === "calls" ? { items: [], asked: outcome.calls.toReversed() } : memory;
}

function understand(clause: Clause, kit: ToolCatalogue, follows: boolean): ClauseOutcome {
  const connects = planConnection(clause, kit);
  if (connects) return connects;
  const { skills } = kit;
  if (isForbidden(clause)) return { kind: "words", text: formatForbidden(clause.text) };
  const wanted = howTo(clause);
  if (wanted) {
    const [how] = rankReadings(wanted, skills);
    if (how && how.score >= SURE_SCORE) return { kind: "words", text: formatHowTo(wanted.text, how.skill) };
  }
  const found = rankReadings(clause, skills);
  const composed = composeCall(clause, skills, found[0]);
  if (composed) return getOutcome(composed.reading, clause, follows, composed.feed);
  const [best] = found;
  if (isVague(clause, best)) return { kind: "words", text: formatTooVague(clause.text, clause.words[0], skills) };
  // To ask for what is missing does no harm, so it takes less to be understood that far.
  const asks = best !== undefined && best.missing.length > 0 && best.skill.access !== "read";
  const enough = asks ? LIKELY_SCORE - 0.1 * best.missing.length : SURE_SCORE;
  if (best === undefined || best.score < enough) {
    return { kind: "words", text: formatNotUnderstood(clause.text, findNearestTools(clause.words, skills), skills) };
  }
  return getOutcome(best, clause, follows);
}

function getOutcome(reading: Reading, clause: Clause, follows: boolean, feed?: FeedCalls): ClauseOutcome {
  const { skill, missing } = reading;
  const fed = feed ? { feed } : {};
  if (missing.length === 0)
    return { kind: "calls", calls: getCalls(reading), changes: skill.access !== "read", ...fed };
  // "Create … and comment on it": the first request must be done before the second can be understood.
  if (follows && clause.words.some(({ lower }) => PRONOUNS.has(lower))) return { kind: "later" };
  return { kind: "missing", reading, ...fed };
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
  return getOutcome(whole, { text: "", words: [], memory, now }, false, feed);
}

/** "How do I close KAY-3?": the request that is asked about. */
function howTo(clause: Clause): Clause | undefined {
  const { words, text } = clause;
  if (words[0]?.lower !== "how") return undefined;
  let start = 1;
  while (start < words.length - 1 && HOW.has(words[start]?.lower ?? "")) start++;
  const rest = words.slice(start);
  const offset = (rest[0]?.start ?? 0) - (words[0]?.start ?? 0);
  return start > 1 ? { ...clause, words: rest, text: text.slice(offset) } : undefined;
}

function getCalls({ skill, input, more }: Reading): PlannedCall[] {
  const others = (more?.values ?? []).map((value) => ({ ...input, [more?.field ?? ""]: value }));
  return [input, ...others].map((each) => ({ tool: skill.name, input: each }));
}

const HOW = new Set(["do", "does", "can", "could", "would", "should", "to", "i", "we", "you", "one"]);
