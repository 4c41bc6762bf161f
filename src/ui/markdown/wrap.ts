import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/**
 * Wraps text at spaces into rows of at most `width` cells. A word longer than a row stays whole, so that URLs and keys
 * can be copied and clicked. Scripts without spaces break anywhere.
 */
export function wrapText(text: string, width: number): string {
  if (PLAIN.test(text)) return mapRows(text, (line) => wrapPlain(line.trim(), width));
  const soft = wrapAnsi(text, width);
  return mapRows(soft, (row) => (isUnspaced(row, width) ? wrapHard(row, width) : row));
}

/** Whether the text is one row of at most `width` cells. */
export function fitsRow(row: string, width: number): boolean {
  return row.length <= width && PLAIN.test(row) ? true : stringWidth(row) <= width;
}

/** Wraps text that is not Markdown. The indent of a line is repeated on each of its rows. */
export function wrapLines(text: string, width: number): string {
  return mapRows(text.trimEnd(), (line) => {
    const indent = /^[ \t]*/.exec(line.slice(0, width / 2))?.[0] ?? "";
    return mapRows(wrapText(line.slice(indent.length), width - indent.length), (row) => indent + row);
  });
}

/** Wraps text into rows of at most `width` cells, inside words if needed. Spaces stay. */
export function wrapHard(text: string, width: number): string {
  return wrapAnsi(text, width, { hard: true, trim: false });
}

/** Printable ASCII, in which each character is one cell: the common case. */
const PLAIN = /^[\n\x20-\x7e]*$/;

function wrapPlain(line: string, width: number): string {
  if (line.length <= width) return line;
  const rows: string[] = [];
  let start = 0;
  while (line.length - start > width) {
    const space = line.lastIndexOf(" ", start + width);
    const end = space > start ? space : line.indexOf(" ", start + width);
    if (end < 0) break;
    rows.push(line.slice(start, end).trimEnd());
    start = end;
    while (line.charAt(start) === " ") start += 1;
  }
  return [...rows, line.slice(start)].join("\n");
}

function isUnspaced(row: string, width: number): boolean {
  return row.length > width / 2 && UNSPACED.test(row) && !row.includes("://") && stringWidth(row) > width;
}

const UNSPACED =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}|\p{Extended_Pictographic}/u;

function mapRows(text: string, change: (row: string) => string): string {
  return text.split("\n").map(change).join("\n");
}
