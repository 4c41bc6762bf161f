import stringWidth from "string-width";
import { splitGraphemes } from "./cells.ts";

/**
 * A finished line of a frame, made to keep its columns on every terminal. Terminals do not agree on how wide emoji, joined sequences and
 * variation selectors are (case U05); behind each of them the cursor is put where the layout has it, so that what follows, a border above
 * all, stands where it belongs. The line must begin in the first column, on cells that are empty.
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

/** Whether all terminals show this text, which may have styles, in the same number of cells. */
export function hasCertainWidth(text: string): boolean {
  return SURE.test(text);
}

/** Single characters of old and simple scripts, of boxes, and of East Asia: all terminals count them alike. */
const SURE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one
  /^(?:[\x20-\x7e\xa1-\u02ff\u0370-\u0482\u048a-\u0587\u2010-\u2015\u2018-\u201f\u2022\u2026\u203a\u2190-\u2193\u2500-\u259f\u25cb\u25cf\u2713\u2717\u2800-\u28ff\u3001-\u3029\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]|\x1b\[[\d;:]*m)*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one
const STYLE = /(\x1b(?:\[[\d;:]*[a-zA-Z]|\][^\x07\x1b]*(?:\x07|\x1b\\)))/;
