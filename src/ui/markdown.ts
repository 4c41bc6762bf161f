import { INITIAL_STREAM, readMarkdown } from "./markdown/stream.ts";
import type { Look } from "./style.ts";

/**
 * Markdown for a terminal: tables laid out to its width, headings, lists, code and links as text. What is not Markdown stays as it is.
 * Control sequences of the text are cleaned away.
 */
export function renderMarkdown(text: string, look: Look): string {
  const { pieces } = readMarkdown(INITIAL_STREAM, text, true, look);
  return pieces.map((piece, index) => (index === 0 ? "" : piece.joins ? "\n" : "\n\n") + piece.text).join("");
}
