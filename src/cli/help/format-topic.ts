import { wrapWords } from "../output/wrap.ts";

/** Words from this column on describe the name before or above them; further left, a sentence or an example begins. */
const WORDS = 10;
/** Minimum width in cells for descriptions beside names; in narrower terminals they go below. */
const BESIDE = 28;
const BELOW = " ".repeat(4);

/** A line of a topic: a name with the spaces around it, and its description from column `at`. */
type Entry = { name: string; words: string; at: number };

/**
 * Formats a help topic for a terminal of `width` cells: paragraphs, names with their descriptions beside or below, and
 * examples.
 */
export function formatTopic(text: string, width: number): string {
  const entries: Entry[] = [];
  for (const line of text.split("\n")) {
    const [, name = "", words = ""] = /^( *(?:\S+(?: \S+)* {2,})?)(.*)/.exec(line) ?? [];
    const start = name.length;
    const last = entries.at(-1);
    const goesOn = name.trim() === "" && (start === 0 || start >= WORDS) && words !== "";
    if (goesOn && last?.at === start && last.words !== "") last.words += ` ${words}`;
    else entries.push({ name, words, at: start });
  }
  return entries.flatMap((entry) => getRows(entry, width)).join("\n");
}

function getRows({ name, words, at }: Entry, width: number): string[] {
  if (at < WORDS || width - at >= BESIDE) return wrapHanging(name, words, " ".repeat(at), width);
  const below = wrapHanging(BELOW, words, BELOW, width);
  return name.trim() === "" ? below : [name.trimEnd(), ...below];
}

function wrapHanging(start: string, words: string, indent: string, width: number): string[] {
  return wrapWords(words, width - indent.length).map((row, index) => ((index === 0 ? start : indent) + row).trimEnd());
}
