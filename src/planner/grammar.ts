import type { Word } from "./language.ts";

/** Words for "mine": as a value, they mean the user. */
export const POSSESSIVES = new Set(["my", "mine", "i"]);

/** Words that point at something said before. */
export const PRONOUNS = new Set(["it", "this", "that", "them", "these", "those", "both"]);

/** Which of several: position from the start, or from the end when negative. */
export const ORDINALS = new Map([
  ["first", 0],
  ["1st", 0],
  ["second", 1],
  ["2nd", 1],
  ["third", 2],
  ["3rd", 2],
  ["fourth", 3],
  ["4th", 3],
  ["fifth", 4],
  ["5th", 4],
  ["last", -1],
]);

export const NEGATIONS = new Set(["not", "never", "dont", "don't", "without", "n't", "no"]);

/** Requests that are questions about things, whatever verb they use. "Can you …" is not one. */
export const QUESTION_WORDS = new Set([
  "what",
  "which",
  "who",
  "whose",
  "whom",
  "when",
  "where",
  "why",
  "how",
  "is",
  "are",
  "was",
  "were",
  "did",
  "does",
  "do",
  "has",
  "have",
  "should",
]);

/** What asks for things, as in "tell Sam what is open". */
export const ASKING_WORDS = new Set(["what", "which", "who"]);

/** What may stand before the request proper. */
export const POLITE_WORDS = new Set([
  "please",
  "can",
  "could",
  "would",
  "will",
  "you",
  "kindly",
  "hey",
  "hi",
  "hello",
  "ok",
  "okay",
  "kay",
  "now",
  "then",
  "also",
  "and",
  "just",
  "i",
  "want",
  "need",
  "like",
  "to",
  "'d",
  "let",
  "lets",
  "let's",
  "'s",
  "us",
  "me",
  "so",
  "next",
  "finally",
  "go",
  "ahead",
  "help",
]);

/** What may come between what is asked for and where it is: "the bugs in KAY", "pages about onboarding". */
export const PLACE_WORDS = new Set(
  "in of about from for with on at to by into onto via where that which who since until between as called labelled".split(
    " ",
  ),
);

/** Whether a word looks like several of a kind: "bugs", "PRs", "people". */
export function isPlural({ text, lower, kind, stop }: Word): boolean {
  return kind === "word" && !stop && (lower === "people" || (text.length > 2 && /[^s]s$/i.test(text)));
}
