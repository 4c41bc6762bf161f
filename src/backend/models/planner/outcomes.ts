import type { Kit } from "./catalogue.ts";
import { type Clause, clauseWithin } from "./clause.ts";
import { splitClauses } from "./clauses.ts";
import { compose } from "./compose.ts";
import { connecting } from "./connecting.ts";
import { type Answers, fillIn } from "./form.ts";
import { PRONOUNS } from "./grammar.ts";
import { type Done, type Memory, remember } from "./memory.ts";
import { nearest } from "./nearest.ts";
import { type Call, clauseOf, type Feed, type Outcome } from "./plan.ts";
import { forbiddenText, howToText, puzzledText, vagueText } from "./reply.ts";
import { isForbidden, isVague, LIKELY, type Reading, readings, SURE } from "./understand.ts";

/**
 * What each request of a sentence comes to, in their order.
 *
 * @param turn what was called for it so far: requests refer to the results of those before them
 * @param answers what people filled in, by request
 */
export function understandAll(request: Clause, kit: Kit, turn: Done[], answers: Answers): Outcome[] {
  const outcomes: Outcome[] = [];
  let { memory } = request;
  for (const [index, words] of splitClauses(request.words, kit.skills).entries()) {
    const clause = { ...clauseWithin(request, words), memory };
    const outcome = filledIn(understand(clause, kit, index > 0), answers[index], request);
    outcomes.push(outcome);
    memory = after(
      outcome,
      turn.filter(({ id }) => clauseOf(id) === index),
      memory,
    );
  }
  return outcomes;
}

/** What the next request may refer to: what this one found, or what it asks for as long as that is not known. */
function after(outcome: Outcome, own: Done[], memory: Memory): Memory {
  const found = remember(own);
  if (found.asked.length > 0) return found;
  return outcome.kind === "calls" ? { items: [], asked: outcome.calls.toReversed() } : memory;
}

function understand(clause: Clause, kit: Kit, follows: boolean): Outcome {
  const connects = connecting(clause, kit);
  if (connects) return connects;
  const { skills } = kit;
  if (isForbidden(clause)) return { kind: "words", text: forbiddenText(clause.text) };
  const wanted = howTo(clause);
  if (wanted) {
    const [how] = readings(wanted, skills);
    if (how && how.score >= SURE) return { kind: "words", text: howToText(wanted.text, how.skill) };
  }
  const found = readings(clause, skills);
  const composed = compose(clause, skills, found[0]);
  if (composed) return outcomeOf(composed.reading, clause, follows, composed.feed);
  const [best] = found;
  if (isVague(clause, best)) return { kind: "words", text: vagueText(clause.text, clause.words[0], skills) };
  // To ask for what is missing does no harm, so it takes less to be understood that far.
  const asks = best !== undefined && best.missing.length > 0 && best.skill.access !== "read";
  const enough = asks ? LIKELY - 0.1 * best.missing.length : SURE;
  if (best === undefined || best.score < enough) {
    return { kind: "words", text: puzzledText(clause.text, nearest(clause.words, skills), skills) };
  }
  return outcomeOf(best, clause, follows);
}

function outcomeOf(reading: Reading, clause: Clause, follows: boolean, feed?: Feed): Outcome {
  const { skill, missing } = reading;
  const fed = feed ? { feed } : {};
  if (missing.length === 0) return { kind: "calls", calls: callsOf(reading), changes: skill.access !== "read", ...fed };
  // "Create … and comment on it": the first request has to be done before the second can be understood.
  if (follows && clause.words.some(({ lower }) => PRONOUNS.has(lower))) return { kind: "later" };
  return { kind: "missing", reading, ...fed };
}

/** With what people filled in since. */
function filledIn(outcome: Outcome, answers: Answers[number] | undefined, { memory, now }: Clause): Outcome {
  if (outcome.kind !== "missing" || answers === undefined) return outcome;
  const { reading, feed } = outcome;
  const input = { ...reading.input, ...fillIn(reading.missing, answers, now) };
  const missing = reading.missing.filter(({ name }) => input[name] === undefined || input[name] === "");
  const whole = { ...reading, input, missing };
  return outcomeOf(whole, { text: "", words: [], memory, now }, false, feed);
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

function callsOf({ skill, input, more }: Reading): Call[] {
  const others = (more?.values ?? []).map((value) => ({ ...input, [more?.field ?? ""]: value }));
  return [input, ...others].map((each) => ({ tool: skill.name, input: each }));
}

const HOW = new Set(["do", "does", "can", "could", "would", "should", "to", "i", "we", "you", "one"]);
