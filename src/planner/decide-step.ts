import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { chooseAccounts } from "./accounts.ts";
import { decideNext } from "./advance.ts";
import { buildCatalogue } from "./catalogue.ts";
import { isConnectionRequest } from "./connection-requests.ts";
import { isForeign } from "./foreign-language.ts";
import { collectAnswers } from "./form.ts";
import type { Language } from "./language.ts";
import { buildMemory, listCalls } from "./memory.ts";
import { planRequests } from "./outcomes.ts";
import { completePending, readPending } from "./pending.ts";
import type { PlannerDecision } from "./plan.ts";
import { formatForeign, formatTooLong } from "./reply.ts";
import { replyToSmallTalk } from "./small-talk.ts";
import type { Steps } from "./steps.ts";
import { chooseWording, MAX_WORDS } from "./wording.ts";

/**
 * Decides the next step of a conversation from its messages and tools alone: the newest request is read again at each
 * step, and the calls since then show the progress. `now` in ms; `advice` tells how to get a language model. `connected`: the services.
 */
export function* decideStep(
  prompt: LanguageModelV4Prompt,
  tools: LanguageModelV4FunctionTool[],
  language: Language,
  { now, advice, connected }: { now: number; advice: string; connected?: string[] | undefined },
): Steps<PlannerDecision> {
  const at = prompt.findLastIndex(({ role }) => role === "user");
  const text = getText(prompt[at]);
  const pending = readPending(prompt[at - 1]);
  const read = function* (texts: string[]) {
    const accounts = chooseAccounts(prompt, tools, language, texts);
    const kit = yield* buildCatalogue(accounts.tools, accounts.language);
    const memory = buildMemory(listCalls(prompt.slice(0, Math.max(at, 0)), accounts.toPlainName));
    return { accounts, kit, said: { text, memory, now, connected, words: accounts.language.read(text) } };
  };
  const reply = pending && (yield* read([pending.request, text]));
  const more = reply && (yield* completePending(pending, reply.said, reply.kit, reply.accounts.language));
  if (more && "text" in more) return more;
  const { accounts, kit, said } = more ? reply : yield* read([text]);
  const request = more ? { ...said, text: more.request, words: accounts.language.read(more.request) } : said;
  if (request.words.length > MAX_WORDS) return { text: formatTooLong(MAX_WORDS), unknown: true };
  const turn = listCalls(prompt.slice(at + 1), accounts.toPlainName);
  if (!more && turn.length === 0 && !isConnectionRequest(request, kit)) {
    const talk = replyToSmallTalk(request.words, kit.skills, advice);
    if (talk) return { text: talk };
  }
  const answers = collectAnswers(turn, more?.answers ?? []);
  const wording = yield* chooseWording(request, kit, accounts.language);
  const outcomes = yield* planRequests(wording.request, wording.kit, turn, answers);
  const next = decideNext({ request: wording.request, outcomes, turn, answers }, wording.kit);
  if ("calls" in next) return accounts.finish(next);
  if (next.unknown && turn.length === 0 && isForeign(request.words)) return { text: formatForeign(), unknown: true };
  return next.pending ? { ...next, pending: { ...next.pending, request: request.text } } : next;
}

/** The first text of a message; further parts are context that the caller gave along, not the request. */
function getText(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== "user") return "";
  const part = message.content.find(({ type }) => type === "text");
  return part?.type === "text" ? part.text.trim().slice(0, LONGEST) : "";
}

/** Longest request that is read, in characters. */
const LONGEST = 4_000;
