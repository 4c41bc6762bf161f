import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { createAcceptor } from "./accept.ts";
import type { Skill, ToolCatalogue } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { stripPoliteness } from "./clauses.ts";
import type { Field } from "./fields.ts";
import type { Language } from "./language.ts";
import { toRecord } from "./memory.ts";
import { planRequests } from "./outcomes.ts";
import type { FormAnswers, PendingRequest } from "./plan.ts";
import { type FilledFields, fillFields } from "./slots.ts";
import { rankReadings } from "./understand.ts";

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
  const outcome = planRequests({ ...answer, text: request, words: language.read(request) }, kit, [], answers)[asked];
  const words = stripPoliteness(answer.words);
  if (outcome?.kind !== "missing" || words.length === 0) return undefined;
  if (words.length <= 4 && words.some(({ lower }) => CALLED_OFF.has(lower))) return { text: "All right, I leave it." };
  const { skill, missing } = outcome.reading;
  const clause = { ...answer, words };
  const given = fillFields(skill, { score: 0, matched: new Set(), captures: [], verb: false }, clause);
  if (!isBareValue(given, clause) && isNewRequest(clause, kit.skills)) return undefined;
  const found: FilledFields["input"] = {};
  for (const { name } of missing) if (given.input[name] !== undefined) found[name] = given.input[name];
  const [only, ...others] = missing.filter(({ name }) => found[name] === undefined);
  if (only && others.length === 0 && Object.keys(given.input).length === 0) takeWhole(skill, found, only, clause);
  return { request, answers: { ...answers, [asked]: { ...answers[asked], ...found } } };
}

/** The whole message is the answer: any text for a text, whatever looks right for anything else. */
function takeWhole(skill: Skill, input: FilledFields["input"], field: Field, clause: Clause): void {
  const { words, text } = clause;
  const whole = text.trim();
  if (field.kind === "text") input[field.name] = whole;
  else if (field.kind === "name" && (words.length <= 3 || createAcceptor(clause, skill)(field, 0, words.length) > 0)) {
    input[field.name] =
      words.at(-1)?.kind === "mark" ? whole.replace(/[.!?]+$/, "") : text.slice(words[0]?.start ?? 0).trim();
  } else if (field.kind === "number" && words.length === 1 && /^#?\d+$/.test(whole))
    input[field.name] = Number(whole.replace("#", ""));
}

/** "KAY-3": nothing but what was asked for. */
function isBareValue({ claimed }: FilledFields, { words }: Clause): boolean {
  return words.every(({ kind, stop }, index) => claimed.has(index) || stop || kind === "mark");
}

function isNewRequest(clause: Clause, skills: Skill[]): boolean {
  const [best] = rankReadings(clause, skills);
  return best !== undefined && best.score >= 0.75 && best.missing.length === 0;
}

const CALLED_OFF = new Set(["cancel", "nevermind", "never", "stop", "forget", "nothing", "no"]);
