import { clean } from "#protocol/clean";
import type { Look } from "../style.ts";
import { isPlannerFooter } from "../text/planner-footer.ts";
import { INITIAL_STREAM, readMarkdown } from "./stream.ts";

/** Writes an answer as it arrives. `end` closes one text; another may follow as a separate paragraph. */
export type AnswerWriter = { push(delta: string): void; end(): void };

/**
 * Creates a writer of Markdown that writes each block as soon as it is final. The result equals `renderMarkdown` of the
 * whole text.
 */
export function createMarkdownWriter(look: () => Look, write: (text: string) => void): AnswerWriter {
  let stream = INITIAL_STREAM;
  let rest = "";
  const readOn = (isWhole: boolean) => {
    const { begun } = stream;
    const now = readMarkdown(stream, rest, isWhole, look());
    for (const [index, { text, joins }] of now.pieces.entries()) {
      if (!joins && (begun || index > 0)) write("");
      write(text);
    }
    stream = now.stream;
    rest = rest.slice(now.taken);
  };
  return {
    push(delta) {
      rest += delta;
      if (delta.includes("\n") || rest.length > LONG_LINE) readOn(false);
    },
    end() {
      readOn(true);
      rest = "";
    },
  };
}

/** Length from which a line may be written in parts. */
const LONG_LINE = 4_096;

/** Creates a writer of plain text for a pipe: line by line, without trailing blank lines and the planner's footer. */
export function createTextWriter(write: (text: string) => void): AnswerWriter {
  let line = "";
  let blank = 0;
  let hasBegun = false;
  const writeLines = (text: string) => {
    for (const line of clean(text).split("\n")) {
      if (line.trim() === "" || isPlannerFooter(line)) blank += 1;
      else {
        write("\n".repeat(hasBegun ? blank : 0) + line);
        hasBegun = true;
        blank = 0;
      }
    }
  };
  return {
    push(delta) {
      line += delta;
      const end = line.lastIndexOf("\n");
      if (end < 0) return;
      writeLines(line.slice(0, end));
      line = line.slice(end + 1);
    },
    end() {
      if (line !== "") writeLines(line);
      line = "";
      blank = 1;
    },
  };
}

/**
 * Renders Markdown for a terminal: tables fitted to its width, and headings, lists, code and links as text. Other text
 * stays as it is. Control sequences are removed.
 */
export function renderMarkdown(text: string, look: Look): string {
  const { pieces } = readMarkdown(INITIAL_STREAM, text, true, look);
  return pieces.map((piece, index) => (index === 0 ? "" : piece.joins ? "\n" : "\n\n") + piece.text).join("");
}
