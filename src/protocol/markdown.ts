/**
 * Whether a parser would need far longer for a Markdown text than for others of its length: quotes and lists that are
 * nested very deeply, or very many marks in one paragraph, list item or row, which are paired with each other. Show such
 * a text as typed.
 */
export function isCostlyMarkdown(text: string): boolean {
  if (text.length < MIN_LENGTH) return NESTED.test(text);
  return NESTED.test(text) || listUnits(text).some(({ length, marks }) => length * marks > MAX_WORK);
}

/** Text whose marks may belong together. */
type Unit = { length: number; marks: number };

/** Splits a text into paragraphs, list items and rows. Marks in code blocks mean nothing. */
function listUnits(text: string): Unit[] {
  const units: Unit[] = [];
  let block: "none" | "text" | "list" | "table" = "none";
  let fence: string | undefined;
  let [hasHtml, afterBlank] = [false, false];
  for (const quoted of text.split("\n")) {
    const line = quoted.replace(/^(?:[ \t]*>)+/, "");
    const [, mark] = FENCE.exec(line) ?? [];
    // A fence within an HTML block does not count.
    hasHtml ||= fence === undefined && /^ {0,3}</.test(line);
    const isCode = fence !== undefined;
    if (mark && !hasHtml && (!fence || mark === fence)) fence = fence ? undefined : mark;
    const isBlank = isCode || fence !== undefined || line.trim() === "";
    // A list item may have several paragraphs, and its lines are read once for each.
    if (block !== "list" ? isBlank : afterBlank && !isBlank && !ITEM.test(line) && !/^[ \t]/.test(line)) block = "none";
    afterBlank = isBlank;
    if (isBlank) continue;
    if (block === "text" && DELIMITER.test(line)) block = "table";
    const isItem = (block === "none" || block === "list" ? ITEM : INTERRUPTING).test(line);
    if (isItem || block === "none" || block === "table") units.push({ length: 0, marks: 0 });
    if (isItem) block = "list";
    else if (block === "none") block = "text";
    const unit = units.at(-1) as Unit;
    unit.length += line.length;
    unit.marks += line.length - line.replace(/[*_~`[\]<!]/g, "").length + (block === "list" ? 1 : 0);
  }
  return units;
}

const FENCE = /^ {0,3}(```|~~~)/;
const ITEM = /^[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]/;
/** An item that may follow a paragraph without a blank line. */
const INTERRUPTING = /^[ \t]*(?:[-+*]|1[.)])[ \t]/;
const DELIMITER = /^[ \t|:]*-[ \t|:-]*$/;

/** A line that begins more than fifty quotes and lists. */
const NESTED = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){50}/m;

/** Shorter texts are costly only if nested. */
const MIN_LENGTH = 4_000;

/** Maximum of a unit's characters times its marks: less than a tenth of a second. */
const MAX_WORK = 30_000_000;

/** Scripts without spaces between words, in which marks stand between letters: 这是**重点**内容. */
const UNSPACED =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]";
const ENDS_IN_WORD = new RegExp(`(?!${UNSPACED})[\\p{L}\\p{N}_\\\\/]$`, "u");
const STARTS_WITH_WORD = new RegExp(`^(?!${UNSPACED})[\\p{L}\\p{N}_\\\\/]|^\\.\\w`, "u");

/**
 * Returns whether marks of emphasis belong to a word or a path, such as `2*3*4` and `__init__.py`, and are text.
 *
 * @param type kind of a token of Markdown, and `raw` its source
 * @param before the source before it, and `after` the source behind it
 */
export function isMarkInWord({ type, raw }: { type: string; raw: string }, before: string, after: string): boolean {
  if (type !== "em" && type !== "strong" && type !== "del") return false;
  return ENDS_IN_WORD.test(before) || STARTS_WITH_WORD.test(after) || /^__\w+__$/.test(raw);
}

/**
 * Whether a table has more cells in a row than in its header. GFM silently drops those, so show such a table as typed.
 *
 * @param raw source of a table token of `marked`
 * @param header its header cells
 */
export function hasExtraCells({ raw, header }: { raw: string; header: unknown[] }): boolean {
  const rows = raw.trim().split("\n").slice(2);
  return rows.some((row) => getCells(row) > header.length);
}

/** Counts the cells of a row: unescaped pipes separate them, and one at either end does not count. */
function getCells(line: string): number {
  const cells = line.trim().split(/\|(?<=(?<!\\)(?:\\\\)*\|)/);
  return cells.length - (cells[0]?.trim() ? 0 : 1) - (cells.at(-1)?.trim() ? 0 : 1);
}
