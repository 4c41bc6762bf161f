/**
 * Fits a finished help page into `width` columns without breaking a word: descriptions go below their terms, and long
 * examples continue on the next line as a shell allows. A page that fits is not changed.
 */
export function fitHelpPage(page: string, width: number): string {
  const lines = page.split("\n");
  const tooLong = lines.filter(({ length }) => length > width);
  if (tooLong.length === 0) return page;
  const hasRoom = !tooLong.some((line) => ITEM.test(line) && !EXAMPLE.test(line));
  return lines
    .reduce(joinProse, [])
    .flatMap((line) => (hasRoom && ITEM.test(line) && line.length <= width ? [line] : fitLine(line, width)))
    .join("\n");
}

/** Joins a sentence that spans several lines. */
function joinProse(lines: string[], line: string): string[] {
  const last = lines.at(-1) ?? "";
  const isJoined = PROSE.test(line) && PROSE.test(last) && !/[.:]$/.test(last);
  return isJoined ? [...lines.slice(0, -1), `${last} ${line}`] : [...lines, line];
}

const PROSE = /^\S/;
/** A term with its description, and an example with its comment. */
const ITEM = /^ {2}(\S.*?) {2,}(\S.*)$/;
const EXAMPLE = /^ {2}(\$ .*?)(?: +(# .*))?$/;

function fitLine(line: string, width: number): string[] {
  const [, command, comment = ""] = EXAMPLE.exec(line) ?? [];
  if (command !== undefined) {
    if (line.length <= width) return [line];
    const rows = wrap(command.split(" "), width - CONTINUED.length, ["  ", FURTHER]);
    const above = comment === "" ? [] : wrap(comment.split(" "), width, ["  ", "  # "]);
    return [
      ...above,
      ...rows.map((row, index) => (endsWords(rows.slice(0, index + 1), rows.length) ? row + CONTINUED : row)),
    ];
  }
  const [, term, description = ""] = ITEM.exec(line) ?? [];
  if (term !== undefined)
    return [...fitLine(`  ${term}`, width), ...wrap(description.split(" "), width, [ABOUT, ABOUT])];
  const indent = /^ */.exec(line)?.[0] ?? "";
  return wrap(line.trim().match(WORDS) ?? [], width, [indent, PROSE.test(line) ? "" : `${indent}  `]);
}

const CONTINUED = " \\";

/** Whether a backslash continues the command after these rows: not after the last one, and not inside single quotes. */
function endsWords(rows: string[], count: number): boolean {
  const open = rows.join(" ").replace(/"[^"]*"|'[^']*'/g, "");
  return rows.length < count && !/^[^"']*'/.test(open);
}

/** Words of a sentence, with commands in backquotes whole. */
const WORDS = /`[^`]+`\S*|\S+/g;
const ABOUT = " ".repeat(6);
const FURTHER = " ".repeat(4);

/** Puts words into rows of at most `width` characters, behind the indent of the first and of the other rows. */
function wrap(words: string[], width: number, [first, other]: [string, string]): string[] {
  const rows: string[] = [];
  for (const word of words) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push((last === undefined ? first : other) + word);
  }
  return rows.length > 0 ? rows : [""];
}
