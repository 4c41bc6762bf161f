/** Pieces of a sentence, and sentences of a paragraph. */
const SENTENCE = 14;
const PARAGRAPH = 70;

/** Lower-case words like a model's: six characters per piece. */
const WORDS = ["the ", "service ", "answered ", "with ", "an ", "**old** ", "state ", "of ", "`main` ", "branch "];

/** Returns a piece of a Markdown answer, in paragraphs. */
export function pieces(index: number): string {
  if ((index + 1) % PARAGRAPH === 0) return "end.\n\n";
  return (index + 1) % SENTENCE === 0 ? "done. " : (WORDS[index % WORDS.length] ?? "");
}

/** The end of the answer. */
export const LAST = "That is the end of it.";
