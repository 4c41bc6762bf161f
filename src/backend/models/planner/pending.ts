import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { acceptor } from "./accept.ts";
import type { Skill } from "./catalogue.ts";
import type { Clause } from "./clause.ts";
import { stripPolite } from "./clauses.ts";
import type { Decision, PlannedTool } from "./decide.ts";
import type { Field } from "./fields.ts";
import { askText } from "./reply.ts";
import { type Filled, fill } from "./slots.ts";
import { readings } from "./understand.ts";

/** A request that lacks something which was asked for, and what else waits for it. Travels with the question in the conversation. */
export type Pending = { tool: string; input: Filled["input"]; ready: PlannedTool[] };

/** What the message before asked for, if it was a question of the planner. */
export function pendingOf(message: LanguageModelV4Message | undefined): Pending | undefined {
  if (message?.role !== "assistant") return undefined;
  const part = message.content.findLast(({ type }) => type === "text");
  const text = part?.providerOptions?.kay?.pending;
  return typeof text === "string" ? (JSON.parse(text) as Pending) : undefined;
}

/** Take a message as the answer to the question, unless it is plainly a new request or calls it off. */
export function completed(pending: Pending, answer: Clause, skills: Skill[]): Decision | undefined {
  const skill = skills.find(({ name }) => name === pending.tool);
  const words = stripPolite(answer.words);
  if (skill === undefined || words.length === 0) return undefined;
  if (words.length <= 4 && words.some(({ lower }) => CALLED_OFF.has(lower))) return { text: "All right, I leave it." };
  const clause = { ...answer, words };
  const input = { ...pending.input };
  const missing = () => skill.fields.filter(({ required, name }) => required && input[name] === undefined);
  const given = fill(skill, { score: 0, matched: new Set(), captures: [], verb: false }, clause);
  if (!isBareValue(given, clause) && isNewRequest(clause, skills)) return undefined;
  for (const { name } of missing()) if (given.input[name] !== undefined) input[name] = given.input[name];
  const [first, ...others] = missing();
  if (first && others.length === 0 && Object.keys(given.input).length === 0) takeWhole(skill, input, first, clause);
  const open = missing();
  if (open.length > 0) return { text: askText(skill, open), pending: { ...pending, input } };
  return {
    calls: [...pending.ready, { clause: 0, tool: skill.name, input }].map((call, index) => ({
      ...call,
      clause: index,
    })),
  };
}

/** The whole message is the answer: any text for a text, whatever looks right for anything else. */
function takeWhole(skill: Skill, input: Filled["input"], field: Field, clause: Clause): void {
  const { words, text } = clause;
  const whole = text.trim();
  if (field.kind === "text") input[field.name] = whole;
  else if (field.kind === "name" && (words.length <= 3 || acceptor(clause, skill)(field, 0, words.length) > 0)) {
    input[field.name] =
      words.at(-1)?.kind === "mark" ? whole.replace(/[.!?]+$/, "") : text.slice(words[0]?.start ?? 0).trim();
  } else if (field.kind === "number" && words.length === 1 && /^#?\d+$/.test(whole))
    input[field.name] = Number(whole.replace("#", ""));
}

/** "KAY-3": nothing but what was asked for. */
function isBareValue({ claimed }: Filled, { words }: Clause): boolean {
  return words.every(({ kind, stop }, index) => claimed.has(index) || stop || kind === "mark");
}

function isNewRequest(clause: Clause, skills: Skill[]): boolean {
  const [best] = readings(clause, skills);
  return best !== undefined && best.score >= 0.75 && best.missing.length === 0;
}

const CALLED_OFF = new Set(["cancel", "nevermind", "never", "stop", "forget", "nothing", "no"]);
