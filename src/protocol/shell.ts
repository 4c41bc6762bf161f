import { clean } from "./clean.ts";

/** A text as one word of a shell command that is shown to be copied: what comes from outside must never be more than that. */
export function quoteShellWord(text: string): string {
  const word = clean(text, { lines: false });
  return /^[\w.:/@][\w.:/@-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * The words of a command that somebody typed as one text: spaces part them, quotes and backslashes keep them together. Nothing is expanded.
 *
 * @returns undefined when a quote has no end
 */
export function splitShellWords(text: string): string[] | undefined {
  const words: string[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const word = /^(?:[^\s"'\\]+|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+(?=\s|$)/.exec(rest)?.[0];
    if (word === undefined) return undefined;
    words.push(
      word.replace(
        PIECES,
        (_, escaped, single, double) => escaped ?? single ?? String(double ?? "").replace(/\\(["\\$`])/g, "$1"),
      ),
    );
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}

const PIECES = /\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g;
