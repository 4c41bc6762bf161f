import { clean } from "./clean.ts";

/**
 * Quotes a text as one word of a shell command that the user may copy. Untrusted text must never become more than one
 * word.
 */
export function quoteShellWord(text: string): string {
  const word = clean(text, { lines: false });
  return /^[\w.:/@][\w.:/@-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Splits a command that was typed as one text. Spaces separate words; quotes and backslashes keep them together.
 * Nothing is expanded.
 *
 * @returns undefined when a quote is not closed
 */
export function splitShellWords(text: string): string[] | undefined {
  const words: string[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const word = /^(?:[^\s"'\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+(?=\s|$)/.exec(rest)?.[0];
    if (word === undefined) return undefined;
    words.push(
      word.replace(
        WORD_PIECES,
        (_, escaped, single, double) => escaped ?? single ?? String(double ?? "").replace(/\\(["\\$`])/g, "$1"),
      ),
    );
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}

const WORD_PIECES = /\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g;
