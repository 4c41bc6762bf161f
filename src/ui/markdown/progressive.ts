import { clean } from "#protocol/clean";
import type { Look } from "../style.ts";
import { INITIAL_STREAM, readMarkdown } from "./stream.ts";

/** An answer that is written while it comes. `end` closes one text; another may follow, as a paragraph of its own. */
export type AnswerWriter = { push(delta: string): void; end(): void };

/** Markdown for a terminal, each block written as soon as it is final. Together it is what `renderMarkdown` makes of the whole. */
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

/** A line that is longer may be written in parts. */
const LONG_LINE = 4_096;

/** Text as it is, for a pipe: line by line, without blank lines at the end. */
export function createTextWriter(write: (text: string) => void): AnswerWriter {
  let line = "";
  let blank = 0;
  let begun = false;
  const put = (text: string) => {
    for (const each of clean(text).split("\n")) {
      if (each.trim() === "") blank += 1;
      else {
        write("\n".repeat(begun ? blank : 0) + each);
        begun = true;
        blank = 0;
      }
    }
  };
  return {
    push(delta) {
      line += delta;
      const end = line.lastIndexOf("\n");
      if (end < 0) return;
      put(line.slice(0, end));
      line = line.slice(end + 1);
    },
    end() {
      if (line !== "") put(line);
      line = "";
      blank = 1;
    },
  };
}

/**
 * Markdown for a terminal: tables laid out to its width, headings, lists, code and links as text. What is not Markdown stays as it is.
 * Control sequences of the text are cleaned away.
 */
export function renderMarkdown(text: string, look: Look): string {
  const { pieces } = readMarkdown(INITIAL_STREAM, text, true, look);
  return pieces.map((piece, index) => (index === 0 ? "" : piece.joins ? "\n" : "\n\n") + piece.text).join("");
}
