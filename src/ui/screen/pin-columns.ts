import stringWidth from "string-width";
import { splitGraphemes } from "./cells.ts";

/**
 * Keeps the columns of a finished line on every terminal. Terminals disagree on the width of emoji and variation
 * selectors, so the cursor is set explicitly after each, and a border stays in place. The line must begin in the first
 * column on empty cells.
 */
export function pinColumns(line: string): string {
  if (SURE.test(line)) return line;
  let column = 0;
  return line
    .split(STYLE)
    .map((piece, index) => {
      if (index % 2 === 1) return piece;
      return splitGraphemes(piece)
        .map((grapheme) => {
          column += stringWidth(grapheme);
          return SURE.test(grapheme) ? grapheme : `${grapheme}\x1b[${column + 1}G`;
        })
        .join("");
    })
    .join("");
}

/** Whether all terminals show this text, which may contain styles, with the same width. */
export function hasCertainWidth(text: string): boolean {
  return SURE.test(text);
}

/** Single characters of common scripts, of boxes, and of East Asian scripts, whose width all terminals agree on. */
const SURE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one
  /^(?:[\x20-\x7e\xa1-\u02ff\u0370-\u0482\u048a-\u0587\u2010-\u2015\u2018-\u201f\u2022\u2026\u203a\u2190-\u2193\u2500-\u259f\u25cb\u25cf\u2713\u2717\u2800-\u28ff\u3001-\u3029\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]|\x1b\[[\d;:]*m)*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one
const STYLE = /(\x1b(?:\[[\d;:]*[a-zA-Z]|\][^\x07\x1b]*(?:\x07|\x1b\\)))/;
