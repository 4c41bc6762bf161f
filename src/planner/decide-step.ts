import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { decideNext } from "./advance.ts";
import { buildCatalogue } from "./catalogue.ts";
import { isConnectionRequest } from "./connection-requests.ts";
import { collectAnswers } from "./form.ts";
import type { Language } from "./language.ts";
import { buildMemory, listCalls } from "./memory.ts";
import { planRequests } from "./outcomes.ts";
import { completePending, readPending } from "./pending.ts";
import type { PlannerDecision } from "./plan.ts";
import { formatTooLong } from "./reply.ts";
import { replyToSmallTalk } from "./small-talk.ts";

/**
 * Decides the next step of a conversation from its messages and tools alone: the newest request is read again at each
 * step, and the calls since then show the progress. `now` in ms.
 */
export function decideStep(
  prompt: LanguageModelV4Prompt,
  tools: LanguageModelV4FunctionTool[],
  language: Language,
  now: number,
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
  if (request.words.length > MAX_WORDS) return { text: formatTooLong(MAX_WORDS) };
  if (!more && turn.length === 0 && !isConnectionRequest(request, kit)) {
    const talk = replyToSmallTalk(request.words, kit.skills);
    if (talk) return { text: talk };
  }
  const answers = collectAnswers(turn, more?.answers ?? []);
  return decideNext({ request, outcomes: planRequests(request, kit, turn, answers), turn, answers }, kit);
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
