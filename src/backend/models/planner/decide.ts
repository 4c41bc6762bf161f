import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { advance } from "./advance.ts";
import { learn } from "./catalogue.ts";
import { isConnecting } from "./connecting.ts";
import { answersIn } from "./form.ts";
import type { Language } from "./language.ts";
import { callsIn, remember } from "./memory.ts";
import { understandAll } from "./outcomes.ts";
import { completed, pendingOf } from "./pending.ts";
import type { Decision } from "./plan.ts";
import { smallTalk } from "./small-talk.ts";

/**
 * Decide on the next step of a conversation, from its messages and tools alone: the newest request is understood anew at each step, and what
 * was called since then tells how far it has come. `now` in milliseconds.
 */
export function decide(
  prompt: LanguageModelV4Prompt,
  tools: LanguageModelV4FunctionTool[],
  language: Language,
  now: number,
): Decision {
  const kit = learn(tools, language);
  const at = prompt.findLastIndex(({ role }) => role === "user");
  const before = prompt.slice(0, Math.max(at, 0));
  const turn = callsIn(prompt.slice(at + 1));
  const memory = remember(callsIn(before));
  const said = { text: requestText(prompt[at]), memory, now };
  const pending = pendingOf(before.at(-1));
  const more = pending && completed(pending, { ...said, words: language.read(said.text) }, kit, language);
  if (more && "text" in more) return more;
  const text = more?.request ?? said.text;
  const request = { ...said, text, words: language.read(text) };
  if (!more && turn.length === 0 && !isConnecting(request, kit)) {
    const talk = smallTalk(request.words, kit.skills);
    if (talk) return { text: talk };
  }
  const answers = answersIn(turn, more?.answers ?? []);
  return advance({ request, outcomes: understandAll(request, kit, turn, answers), turn, answers }, kit);
}

/** The first text of a message; further parts are context that the caller gave along, not the request. */
function requestText(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== "user") return "";
  const part = message.content.find(({ type }) => type === "text");
  return part?.type === "text" ? part.text.slice(0, LONGEST) : "";
}

/** Characters of a request that are read; nobody's plain request is longer. */
const LONGEST = 4_000;
