import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { learn, type Skill } from "./catalogue.ts";
import type { Clause } from "./clause.ts";
import { splitClauses } from "./clauses.ts";
import type { Language, Word } from "./language.ts";
import { PRONOUNS } from "./lexicon.ts";
import { callsIn, type Done, type Memory, remember } from "./memory.ts";
import { completed, type Pending, pendingOf } from "./pending.ts";
import { askText, forbiddenText, howToText, puzzledText, resultText } from "./reply.ts";
import type { Filled } from "./slots.ts";
import { smallTalk } from "./small-talk.ts";
import { isForbidden, LIKELY, type Reading, readings, SURE } from "./understand.ts";

/** A call that the planner wants made. `clause` is the request in the sentence that it belongs to. */
export type PlannedTool = { clause: number; tool: string; input: Filled["input"] };

/** What the planner does next: calls, or words. `pending` is what it asked for, to go on from with the next message. */
export type Decision = { calls: PlannedTool[] } | { text: string; pending?: Pending };

/** Decide on the next step of a conversation, from its messages and tools alone. `now` in milliseconds. */
export function decide(
  prompt: LanguageModelV4Prompt,
  tools: LanguageModelV4FunctionTool[],
  language: Language,
  now: number,
): Decision {
  const skills = learn(tools, language);
  const at = prompt.findLastIndex(({ role }) => role === "user");
  const text = requestText(prompt[at]);
  const before = prompt.slice(0, Math.max(at, 0));
  const turn = callsIn(prompt.slice(at + 1));
  const pending = turn.length === 0 ? pendingOf(before.at(-1)) : undefined;
  const memory = remember(callsIn(before));
  const words = language.read(text);
  if (pending) {
    const more = completed(pending, { text, words, memory, now }, skills);
    if (more) return more;
  }
  return turn.length === 0
    ? begin({ text, words, memory, now }, skills)
    : goOn(turn, { text, words, memory, now }, skills);
}

function begin(request: Clause, skills: Skill[]): Decision {
  const talk = smallTalk(request.words, skills);
  if (talk) return { text: talk };
  const outcomes = understandAll(request, skills, []);
  const calls: PlannedTool[] = [];
  for (const [clause, outcome] of outcomes.entries()) {
    if (outcome.kind === "later") continue;
    if (outcome.kind === "calls") calls.push(...outcome.calls);
    // Half of a request is not begun before the other half is clear.
    else return ask(outcome, outcomes.slice(0, clause).concat(outcomes.slice(clause + 1)));
  }
  return calls.length > 0 ? { calls } : { text: puzzledText(request.text, skills) };
}

/** After results: what had to wait for them, or the answer. */
function goOn(turn: Done[], request: Clause, skills: Skill[]): Decision {
  if (!turn.some(({ error }) => error)) {
    const done = new Set(turn.map(({ id }) => clauseOf(id)));
    const outcomes = understandAll(request, skills, turn);
    const calls = outcomes.flatMap((outcome, clause) =>
      outcome.kind === "calls" && !done.has(clause) && done.has(clause - 1) ? outcome.calls : [],
    );
    if (calls.length > 0) return { calls };
  }
  return { text: resultText(turn) };
}

type Outcome =
  | { kind: "calls"; calls: PlannedTool[] }
  | { kind: "later" }
  | { kind: "missing"; reading: Reading }
  | { kind: "words"; text: string };

function understandAll(request: Clause, skills: Skill[], turn: Done[]): Outcome[] {
  const clauses = splitClauses(request.words, skills);
  const outcomes: Outcome[] = [];
  let { memory } = request;
  for (const [index, words] of clauses.entries()) {
    const own = turn.filter(({ id }) => clauseOf(id) === index);
    const outcome = understand(clauseOfWords(request, words, memory), skills, index, index > 0);
    outcomes.push(outcome);
    if (own.length > 0) memory = remember(own);
    else if (outcome.kind === "calls") memory = { items: [], inputs: outcome.calls.map(({ input }) => input) };
  }
  return outcomes;
}

function understand(clause: Clause, skills: Skill[], index: number, follows: boolean): Outcome {
  if (isForbidden(clause)) return { kind: "words", text: forbiddenText(clause.text) };
  const wanted = howTo(clause);
  if (wanted) {
    const [how] = readings(wanted, skills);
    if (how && how.score >= SURE) return { kind: "words", text: howToText(wanted.text, how.skill) };
  }
  const found = readings(clause, skills);
  const [best] = found;
  // To ask for what is missing does no harm, so it takes less to be understood that far.
  const asks = best !== undefined && best.missing.length > 0 && best.skill.access !== "read";
  const enough = asks ? LIKELY - 0.1 * best.missing.length : SURE;
  if (best === undefined || best.score < enough) {
    return {
      kind: "words",
      text: puzzledText(
        clause.text,
        found.map(({ skill }) => skill),
      ),
    };
  }
  if (best.missing.length === 0) return { kind: "calls", calls: callsOf(best, index) };
  // "Create … and comment on it": the first request has to be done before the second can be understood.
  if (follows && clause.words.some(({ lower }) => PRONOUNS.has(lower))) return { kind: "later" };
  return { kind: "missing", reading: best };
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

function ask(outcome: Outcome, others: Outcome[]): Decision {
  if (outcome.kind === "words") return { text: outcome.text };
  if (outcome.kind !== "missing") return { calls: [] };
  const { skill, input, missing } = outcome.reading;
  const ready = others.flatMap((other) => (other.kind === "calls" ? other.calls : []));
  return { text: askText(skill, missing), pending: { tool: skill.name, input, ready } };
}

function callsOf({ skill, input, more }: Reading, clause: number): PlannedTool[] {
  const first = { clause, tool: skill.name, input };
  return [
    first,
    ...(more?.values ?? []).map((value) => ({
      clause,
      tool: skill.name,
      input: { ...input, [more?.field ?? ""]: value },
    })),
  ];
}

function clauseOfWords(request: Clause, words: Word[], memory: Memory): Clause {
  const start = words[0]?.start ?? 0;
  return { ...request, words, memory, text: request.text.slice(start, words.at(-1)?.end) };
}

/** The first text of a message; further parts are context that the caller gave along, not the request. */
function requestText(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== "user") return "";
  const part = message.content.find(({ type }) => type === "text");
  return part?.type === "text" ? part.text.slice(0, LONGEST) : "";
}

/** Ids of the planner's calls say which clause they belong to, so that the next step knows what is done. */
export function callId(clause: number, unique: string): string {
  return `call_${clause}_${unique}`;
}

function clauseOf(id: string): number {
  return Number(/^call_(\d+)_/.exec(id)?.[1] ?? 0);
}

const HOW = new Set(["do", "does", "can", "could", "would", "should", "to", "i", "we", "you", "one"]);

/** Characters of a request that are read; nobody's plain request is longer. */
const LONGEST = 4_000;
