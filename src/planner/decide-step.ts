import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { decideNext } from "./advance.ts";
import { buildCatalogue, type ToolCatalogue } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { isConnectionRequest } from "./connection-requests.ts";
import { collectAnswers } from "./form.ts";
import type { Language } from "./language.ts";
import { buildMemory, listCalls } from "./memory.ts";
import { planRequests } from "./outcomes.ts";
import { completePending, readPending } from "./pending.ts";
import type { PlannedCall, PlannerDecision } from "./plan.ts";
import { formatTooLong } from "./reply.ts";
import { replyToSmallTalk } from "./small-talk.ts";

/**
 * Decides the next step of a conversation from its messages and tools alone: the newest request is read again at each
 * step, and the calls since then show the progress. `now` in ms; `advice` tells how to get a language model.
 */
export function decideStep(
  prompt: LanguageModelV4Prompt,
  tools: LanguageModelV4FunctionTool[],
  language: Language,
  { now, advice }: { now: number; advice: string },
): PlannerDecision {
  const kit = buildCatalogue(tools, language);
  const at = prompt.findLastIndex(({ role }) => role === "user");
  const before = prompt.slice(0, Math.max(at, 0));
  const turn = listCalls(prompt.slice(at + 1));
  const memory = buildMemory(listCalls(before));
  const said = { text: formatRequest(prompt[at]), memory, now };
  const pending = readPending(before.at(-1));
  const more = pending && completePending(pending, { ...said, words: language.read(said.text) }, kit, language);
  if (more && "text" in more) return more;
  const text = more?.request ?? said.text;
  const request = { ...said, text, words: language.read(text) };
  if (request.words.length > MAX_WORDS) return { text: formatTooLong(MAX_WORDS), unknown: true };
  if (!more && turn.length === 0 && !isConnectionRequest(request, kit)) {
    const talk = replyToSmallTalk(request.words, kit.skills, advice);
    if (talk) return { text: talk };
  }
  const answers = collectAnswers(turn, more?.answers ?? []);
  const plan = (one: Clause) =>
    decideNext({ request: one, outcomes: planRequests(one, kit, turn, answers), turn, answers }, kit);
  const open = { ...request, words: language.read(text, true) };
  if (open.words.length === request.words.length || open.words.length > MAX_WORDS || more) return plan(request);
  return takesOpen(request, open, kit) ? plan(open) : plan(request);
}

/** Whether what follows a colon is better read as words: "KAY backlog: what is open?", "new contact: Jonas Weber, company Acme". */
function takesOpen(request: Clause, open: Clause, kit: ToolCatalogue): boolean {
  const known = planRequests(request, kit, [], {});
  const asWords = planRequests(open, kit, [], {});
  if (!asWords.every(({ kind }) => kind === "calls")) return false;
  if (known.some(({ kind }) => kind === "words")) return true;
  const [only, ...others] = known;
  return others.length === 0 && only?.kind === "calls" && only.calls.some((call) => holdsList(call, kit));
}

/** Whether a name was given several things at once. */
function holdsList({ tool, input }: PlannedCall, { skills }: ToolCatalogue): boolean {
  const fields = skills.find(({ name }) => name === tool)?.fields ?? [];
  return fields.some(({ name, kind }) => kind === "name" && String(input[name] ?? "").includes(", "));
}

/** The first text of a message; further parts are context that the caller gave along, not the request. */
function formatRequest(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== "user") return "";
  const part = message.content.find(({ type }) => type === "text");
  return part?.type === "text" ? part.text.slice(0, LONGEST) : "";
}

/** Longest request that is read, in characters. */
const LONGEST = 4_000;

/** Most words of a request, with a quoted text as one. The work of laying examples along a request grows with the square of its words. */
const MAX_WORDS = 60;
