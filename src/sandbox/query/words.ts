/**
 * Whether a text matches a `~` search like the indexes of Jira and Confluence: every word of the search must occur as a
 * whole word in any order, `*` matches the rest of a word, and a part in inner quotes must occur exactly.
 */
export function containsWords(text: string, search: string): boolean {
  const words = getWords(text);
  const phrases = [...search.matchAll(/"([^"]+)"/g)].map((match) => getWords(match[1] ?? ""));
  const loose = search
    .replace(/"[^"]*"/g, " ")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (phrases.length + loose.length === 0) return false;
  return phrases.every((phrase) => holds(words, phrase)) && loose.every((word) => matchesWord(words, word));
}

/** Returns the words of a text in lower case, without punctuation. */
function getWords(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize("NFC")
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  );
}

function matchesWord(words: string[], word: string): boolean {
  if (!word.includes("*")) {
    const parts = getWords(word);
    return holds(words, parts);
  }
  const pattern = new RegExp(`^${word.toLowerCase().split("*").map(escapeRegExp).join(".*")}$`, "u");
  return words.some((word) => pattern.test(word));
}

function holds(words: string[], phrase: string[]): boolean {
  return phrase.length > 0 && words.some((_, start) => phrase.every((word, index) => words[start + index] === word));
}

/** Escapes text for a regular expression. */
export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
