import type { Skill } from "./catalogue.ts";
import type { Word } from "./language.ts";
import { formatGreeting, formatHelp } from "./reply.ts";

/** Greetings, thanks and questions about what can be done: words for them, or nothing when it is a request. */
export function replyToSmallTalk(words: Word[], skills: Skill[]): string | undefined {
  const telling = words.filter(({ kind, lower }) => kind !== "mark" && !EMPTY.has(lower));
  if (words.length === 0) return formatGreeting(skills);
  if (telling.every(({ lower }) => THANKS.has(lower)) && telling.length > 0) return "You are welcome.";
  if (telling.every(({ lower }) => GREETINGS.has(lower)))
    return isAboutKay(words) ? formatHelp(skills) : formatGreeting(skills);
  if (isHelp(words, skills)) {
    const named = skills.filter(({ service, title }) =>
      words.some(({ lower }) => lower === service || lower === title.toLowerCase()),
    );
    return formatHelp(named.length > 0 ? named : skills);
  }
  return undefined;
}

function isHelp(words: Word[], skills: Skill[]): boolean {
  const has = (...lowers: string[]) => lowers.every((lower) => words.some((word) => word.lower === lower));
  const particular = words.some(
    ({ kind, text, lower }) =>
      kind === "literal" ||
      /\d/.test(text) ||
      (/^[A-Z]{2,}$/.test(text) && !skills.some(({ service }) => service === lower)),
  );
  if (particular || words.length > 14) return false;
  if (has("help") && words.length <= 8) return true;
  if (isAboutKay(words)) return true;
  return (
    /^(commands?|capabilities|usage|tools|examples?)$/.test(
      words.filter(({ kind }) => kind === "word").at(-1)?.lower ?? "",
    ) && words.length <= 6
  );
}

/** "What can you do", "who are you", "how do you work". */
function isAboutKay(words: Word[]): boolean {
  const text = words.map(({ lower }) => lower).join(" ");
  return (
    /\b(what|which|how|who)\b.*\b(can|could|do|are|will) (you|i|kay)\b/.test(text) &&
    !/\b(close|create|show|find|list|i have)\b/.test(text)
  );
}

const EMPTY = new Set([
  "please",
  "kay",
  "there",
  "all",
  "you",
  "so",
  "very",
  "much",
  "a",
  "lot",
  "to",
  "are",
  "how",
  "what",
  "who",
  "the",
]);
const THANKS = new Set([
  "thanks",
  "thank",
  "thx",
  "cheers",
  "great",
  "nice",
  "cool",
  "perfect",
  "ok",
  "okay",
  "ty",
  "awesome",
]);
const GREETINGS = new Set([
  "hi",
  "hello",
  "hey",
  "yo",
  "hiya",
  "howdy",
  "good",
  "morning",
  "afternoon",
  "evening",
  "day",
  "greetings",
  "test",
  "ping",
]);
