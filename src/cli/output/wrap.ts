import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/**
 * Wraps sentences for a terminal of `width` cells: between words, with continuation lines indented like their line, or
 * beside its mark. Web addresses and commands (`kay connect jira`) stay whole; one wider than the terminal gets a line
 * to itself, for copying.
 */
export function wrapSentences(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => (stringWidth(line) <= width ? line : wrapLine(line, width)))
    .join("\n");
}

function wrapLine(line: string, width: number): string {
  const [start = ""] = START.exec(line) ?? [];
  const indent = " ".repeat(stringWidth(start));
  return wrapWords(line.slice(start.length), width - indent.length)
    .map((row, index) => (index === 0 ? start : indent) + row)
    .join("\n");
}

/** Breaks text between words into rows of at most `room` cells; commands stay whole. */
export function wrapWords(text: string, room: number): string[] {
  const marked = text.replaceAll(COMMAND, (command) => command.replaceAll(" ", HELD));
  // On a terminal this narrow, an indentation costs more than it helps.
  return wrapAnsi(marked, Math.max(room, LEAST)).replaceAll(HELD, " ").split("\n");
}

/** The start of a line: its indentation and a mark, painted or not. */
const START = new RegExp(
  `^ *(?:(?:${String.fromCharCode(27)}\\[\\d+m)*[✗✓!](?:${String.fromCharCode(27)}\\[\\d+m)* )?`,
);
const COMMAND = /`[^`\n]+`/g;
/** Replaces a space at which a line must not break: a private character, one cell wide. */
const HELD = "\ue000";
const LEAST = 8;
