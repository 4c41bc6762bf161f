import type { Skill } from "./catalogue.ts";
import type { Word } from "./language.ts";
import { formatGreeting, formatHelp } from "./reply.ts";

/**
 * Greetings, thanks and questions about kay itself: an answer in words, or nothing when it is a request. `advice` tells
 * how to get a language model.
 */
export function replyToSmallTalk(words: Word[], skills: Skill[], advice: string): string | undefined {
  const said = words.filter(({ kind }) => kind !== "mark");
  if (said.length === 0) return formatGreeting(skills);
  if (words.some(({ kind }) => kind === "literal") || said.length > MOST_WORDS) return undefined;
  const text = said.map(({ lower }) => lower).join(" ");
  if (isOnly(said, THANKS, 1)) return "You are welcome.";
  if (isOnly(said, GREETINGS, 1) && !/^how/.test(text)) return formatGreeting(skills);
  if (MODEL.test(text)) return `I am kay's offline planner: rules, not a language model. ${advice}`;
  if (WELLBEING.test(text)) return "All is well here. What can I do for you?";
  if (!ABOUT.test(text)) return undefined;
  const named = skills.filter(({ names }) => names.some((name) => text.includes(` ${name}`)));
  return formatHelp(skills, named);
}

/** Whether a request is about which model answers. */
export function isModelRequest(words: Word[]): boolean {
  return MODEL.test(words.map(({ lower }) => lower).join(" "));
}

/** Whether all words are of a kind, or say nothing, and some are of it. */
function isOnly(words: Word[], kind: Set<string>, least: number): boolean {
  const count = words.filter(({ lower }) => kind.has(lower)).length;
  return count >= least && words.every(({ lower }) => kind.has(lower) || EMPTY.has(lower));
}

const MOST_WORDS = 14;

/** "Which model are you?", "how do I use a real model?", "are you an AI?". */
const MODEL =
  /^(?:(?:which|what) (?:\w+ )?(?:llm|model)s?\b.*\b(?:you|this|kay|using|answer\w*|use)\b|are you (?:an? )?(?:ai|llm|bot|human|language model|real|gpt|claude|chatgpt)\b.*|(?:how|can|where) .*\b(?:use|get|set|choose|connect|configure|switch|add|enable)\b.*\b(?:llm|models?|openai|anthropic|claude|gpt|gemini|ollama|api key)\b.*|(?:connect|add|use|set) (?:an? |my |the )?(?:openai|anthropic|claude|gpt|gemini|ollama|lm studio|real model|language model|llm|model)\b.*)$/;

const WELLBEING = /^(?:hi |hello |hey )?(?:kay )?how (?:are|'re) you(?: doing| today)?$|^how is it going$/;

/** "Help", "what can you do?", "I need help with Jira", "who are you?". */
const ABOUT =
  /^(?:(?:please )?help(?: me)?(?: please)?|(?:i )?(?:need|want) (?:some )?help(?: with \w+(?: \w+)?)?|help (?:me )?with \w+(?: \w+)?|(?:so )?what (?:all )?(?:can|do|could) (?:you|i|kay) (?:do|ask|help)\b.*|what (?:can|could) you help me with.*|what are you(?: able to do)?|who are you(?: and .*)?|what is kay|how do you work|how does (?:kay|this|it) work|what else can you do|(?:list |show )?(?:your |the )?(?:commands?|capabilities|usage|tools|examples?))$/;

const THANKS = new Set(
  "thanks thank thx cheers great nice cool perfect ok okay ty awesome super bye goodbye ciao night later".split(" "),
);
const GREETINGS = new Set("hi hello hey yo hiya howdy morning afternoon evening greetings test ping".split(" "));
const EMPTY = new Set(
  "please kay there all you so very much a lot to are the it that is 's for today now tomorrow day good done was your help i am 'm everyone again enough see have and nothing more have nice mate man buddy folks team you're".split(
    " ",
  ),
);
