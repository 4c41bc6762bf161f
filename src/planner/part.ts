import type { Word } from "./language.ts";
import type { Item } from "./memory.ts";
import { NUMBERS } from "./periods.ts";

/** What of each thing is passed on. `sentences`: how many of a summary. */
export type Part = { name: "link" | "key" | "title" | "status" | "text" | "summary" | "address"; sentences?: number };

/** "The subject of each mail", "a two-line summary of the page Plan": the part, and the words that name the things. */
export function splitPart(span: Word[]): { part: Part; things: Word[] } | undefined {
  const at = span.findIndex(({ lower }) => lower === "of");
  const part = at < 0 ? undefined : readPart(span.slice(0, at));
  return part && { part, things: span.slice(at + 1) };
}

/** "The link", "its title", "a short summary". */
export function readPart(span: Word[]): Part | undefined {
  const [first, ...others] = span.filter(({ lower }) => !DETERMINERS.has(lower)).toReversed();
  const name = first && [...NAMES].find(([, names]) => names.has(first.lower))?.[0];
  if (!name || others.some(({ lower }) => name !== "summary" || readLength(lower) === undefined)) return undefined;
  return name === "summary" ? { name, sentences: readLength(others[0]?.lower ?? "") ?? USUAL } : { name };
}

/** "Two-line", "one-sentence", "short". */
function readLength(word: string): number | undefined {
  const [count = "", unit = ""] = word.split("-");
  if (SHORT.has(word)) return USUAL;
  return /^(?:line|sentence)s?$/.test(unit) ? (NUMBERS.get(count) ?? (Number(count) || undefined)) : undefined;
}

/** The text of a part of a thing; of a summary, the first sentences of its text. Undefined where it has none. */
export function getPart(item: Item, { name, sentences }: Part): string | undefined {
  const value = FIELDS[name].map((field) => item[field]).find(isText);
  return value === undefined || sentences === undefined ? value : takeSentences(value, sentences);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The first sentences of a Markdown text without its headings, each on a line. */
function takeSentences(text: string, most: number): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\s*(?:#|\||-{3})/.test(line));
  const sentences = lines.flatMap((line) => [...SEGMENTER.segment(line.replace(BULLET, ""))]);
  return sentences
    .slice(0, most)
    .map(({ segment }) => segment.trim())
    .join("\n");
}

const BULLET = /^\s*(?:[-*+]|\d{1,3}[.)])\s/;
const SEGMENTER = new Intl.Segmenter("en", { granularity: "sentence" });

/** The fields that hold a part, the best first. */
const FIELDS: Record<Part["name"], string[]> = {
  link: ["url"],
  key: ["key", "id", "number"],
  title: ["summary", "title", "subject", "name"],
  status: ["status", "state", "stage"],
  text: ["text", "description", "body", "excerpt"],
  summary: ["text", "description", "body", "excerpt"],
  address: ["email"],
};

const NAMES = new Map<Part["name"], Set<string>>([
  ["link", new Set("link links url urls address addresses".split(" "))],
  ["key", new Set("key keys id ids".split(" "))],
  ["title", new Set("title titles name names subject subjects".split(" "))],
  ["status", new Set(["status", "statuses", "state"])],
  ["text", new Set("text texts content contents body".split(" "))],
  ["summary", new Set(["summary", "summaries"])],
]);

const DETERMINERS = new Set("the a an its their his".split(" "));
const SHORT = new Set(["short", "brief", "quick"]);
const USUAL = 2;
