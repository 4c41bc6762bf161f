import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { Skill, ToolCatalogue } from "./catalogue.ts";
import { type Clause, stripPoliteness } from "./clauses.ts";
import { PREPOSITIONS } from "./grammar.ts";
import type { Language } from "./language.ts";
import { toRecord } from "./memory.ts";
import { planRequests } from "./outcomes.ts";
import { findPhrases } from "./phrases.ts";
import type { FormAnswers, PendingRequest } from "./plan.ts";
import { resolveReference } from "./reference.ts";
import type { Steps } from "./steps.ts";
import { isSure, type Reading, rankReadings } from "./understand.ts";
import { chooseWording } from "./wording.ts";

/** Returns the open request of the last message, if it was a question of the planner. */
export function readPending(message: LanguageModelV4Message | undefined): PendingRequest | undefined {
  if (message?.role !== "assistant") return undefined;
  const part = message.content.findLast(({ type }) => type === "text");
  const text = part?.providerOptions?.kay?.pending;
  const { request, answers, clause } = toRecord(typeof text === "string" ? JSON.parse(text) : undefined);
  if (typeof request !== "string" || typeof clause !== "number") return undefined;
  return { request, answers: toRecord(answers) as FormAnswers, clause };
}

/** Take a message as the answer to the question, unless it is plainly a new request or calls it off. */
export function* completePending(
  pending: PendingRequest,
  answer: Clause,
  kit: ToolCatalogue,
  language: Language,
): Steps<Pick<PendingRequest, "request" | "answers"> | { text: string } | undefined> {
  const { request, answers, clause: count } = pending;
  const wording = yield* chooseWording({ ...answer, text: request, words: language.read(request) }, kit, language);
  const outcome = (yield* planRequests(wording.request, wording.kit, [], answers))[count];
  const words = stripPoliteness(answer.words);
  if (outcome?.kind !== "missing" || words.length === 0) return undefined;
  if (words.length <= 4 && words.some(({ lower }) => CALLED_OFF.has(lower))) return { text: "All right, I leave it." };
  const clause = { ...answer, words };
  const { reading } = outcome;
  const [field] = reading.missing;
  // "The second one" of those that the question named.
  const [referred, ...others] =
    (field && resolveReference(clause, reading.skill.service, field, 0, words.length)) ?? [];
  if (field && referred !== undefined && others.length === 0)
    return { request, answers: { ...answers, [count]: { ...answers[count], [field.name]: referred } } };
  if (yield* isNewRequest(clause, kit.skills)) return undefined;
  const input = yield* readAnswers(outcome.reading, clause);
  return { request, answers: { ...answers, [count]: { ...answers[count], ...input } } };
}

/** The missing values that a message names; where it names none, the whole message is the first one. */
function* readAnswers({ skill, missing }: Reading, clause: Clause): Steps<Reading["input"]> {
  const { words, text } = clause;
  const input: Reading["input"] = {};
  const taken = new Set<Skill["fields"][number]>();
  const phrases = (yield* findPhrases(skill, clause)).sort((a, b) => b.to - b.from - (a.to - a.from));
  for (const { field, value, weight } of phrases) {
    if (!weight || value === undefined || !missing.includes(field) || taken.has(field)) continue;
    taken.add(field);
    input[field.name] = value;
  }
  const [first] = missing;
  if (first === undefined || (taken.size > 0 && (missing.length > 1 || first.kind !== "text"))) return input;
  const whole = text.trim();
  const isName = first.kind === "name" && words.length <= 3;
  if (first.kind === "number" && /^#?\d+$/.test(whole)) return { [first.name]: Number(whole.replace("#", "")) };
  return first.kind === "text" || isName
    ? { [first.name]: isName ? whole.replace(/(?<![.!?])[.!?]+$/, "") : whole }
    : input;
}

function* isNewRequest(clause: Clause, skills: Skill[]): Steps<boolean> {
  // "In KAY" answers; it asks for nothing.
  if (PREPOSITIONS.has(clause.words[0]?.lower ?? "")) return false;
  const [best] = yield* rankReadings(clause, skills);
  return best !== undefined && isSure(best) && best.score >= 0.6 && best.missing.length === 0;
}

const CALLED_OFF = new Set("cancel nevermind never stop forget nothing no".split(" "));
