import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { Skill, ToolCatalogue } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { stripPoliteness } from "./clauses.ts";
import type { Field } from "./fields.ts";
import { PREPOSITIONS } from "./grammar.ts";
import type { Language } from "./language.ts";
import { toRecord } from "./memory.ts";
import { planRequests } from "./outcomes.ts";
import type { Phrase } from "./phrase.ts";
import { findPhrases } from "./phrases.ts";
import type { FormAnswers, PendingRequest } from "./plan.ts";
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
export function completePending(
  pending: PendingRequest,
  answer: Clause,
  kit: ToolCatalogue,
  language: Language,
): Pick<PendingRequest, "request" | "answers"> | { text: string } | undefined {
  const { request, answers, clause: asked } = pending;
  const wording = chooseWording({ ...answer, text: request, words: language.read(request) }, kit, language);
  const outcome = planRequests(wording.request, wording.kit, [], answers)[asked];
  const words = stripPoliteness(answer.words);
  if (outcome?.kind !== "missing" || words.length === 0) return undefined;
  if (words.length <= 4 && words.some(({ lower }) => CALLED_OFF.has(lower))) return { text: "All right, I leave it." };
  const { skill, missing } = outcome.reading;
  const clause = { ...answer, words };
  if (isNewRequest(clause, kit.skills)) return undefined;
  const found: Reading["input"] = {};
  const phrases = findPhrases(skill, clause).sort((a, b) => b.to - b.from - (a.to - a.from));
  const taken = new Set<number>();
  for (const { field, value, from, to, weight } of phrases) {
    if (
      !weight ||
      value === undefined ||
      !missing.includes(field) ||
      found[field.name] !== undefined ||
      words.slice(from, to).some((_, at) => taken.has(from + at))
    )
      continue;
    found[field.name] = value;
    for (let at = from; at < to; at++) taken.add(at);
  }
  const isWhole = words.every(({ kind, stop }, at) => taken.has(at) || stop || kind === "mark");
  const [only, ...others] = missing.filter(({ name }) => found[name] === undefined);
  if (!isWhole && others.length === 0 && (Object.keys(found).length === 0 || missing.length === 1)) {
    const field = only ?? missing[0];
    if (field && (only || field.kind === "text")) takeWhole(phrases, found, field, clause);
  }
  return { request, answers: { ...answers, [asked]: { ...answers[asked], ...found } } };
}

/** The whole message is the answer: any text for a text, whatever looks right for anything else. */
function takeWhole(phrases: Phrase[], input: Reading["input"], field: Field, clause: Clause): void {
  const { words, text } = clause;
  const whole = text.trim();
  if (field.kind === "text") input[field.name] = whole;
  else if (
    field.kind === "name" &&
    (words.length <= 3 || phrases.some((one) => one.field === field && one.from === 0 && one.to === words.length))
  ) {
    input[field.name] =
      words.at(-1)?.kind === "mark" ? whole.replace(/(?<![.!?])[.!?]+$/, "") : text.slice(words[0]?.start ?? 0).trim();
  } else if (field.kind === "number" && words.length === 1 && /^#?\d+$/.test(whole))
    input[field.name] = Number(whole.replace("#", ""));
}

function isNewRequest(clause: Clause, skills: Skill[]): boolean {
  // "In KAY" answers; it asks for nothing.
  if (PREPOSITIONS.has(clause.words[0]?.lower ?? "")) return false;
  const [best] = rankReadings(clause, skills);
  return best !== undefined && isSure(best) && best.score >= 0.6 && best.missing.length === 0;
}

const CALLED_OFF = new Set("cancel nevermind never stop forget nothing no".split(" "));
