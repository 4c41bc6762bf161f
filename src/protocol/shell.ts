import { clean } from "./clean.ts";

/** A text as one word of a shell command that is shown to be copied: what comes from outside must never be more than that. */
export function shellWord(text: string): string {
  const word = clean(text, { lines: false });
  return /^[\w.:/@][\w.:/@-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
