/** Pieces of a sentence, and sentences of a paragraph. */
const SENTENCE = 14;
const PARAGRAPH = 70;

/** Words in small letters as a model would say them: six characters a piece. */
const WORDS = ["the ", "service ", "answered ", "with ", "an ", "**old** ", "state ", "of ", "`main` ", "branch "];

/** Piece so and so of an answer in Markdown, in paragraphs. */
export function pieces(index: number): string {
  if ((index + 1) % PARAGRAPH === 0) return "end.\n\n";
  return (index + 1) % SENTENCE === 0 ? "done. " : (WORDS[index % WORDS.length] ?? "");
}

/** What comes when all is said. */
export const LAST = "That is the end of it.";
