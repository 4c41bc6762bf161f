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
