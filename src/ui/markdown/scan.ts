/** Finds where blocks begin and end, line by line, before they are parsed. */

export type Fence = { mark: string; length: number; indent: number; info: string };

/** The block that is being read. `line` is a block of one line. */
export type BlockMode =
  | { is: "line" | "paragraph" | "code" | "quote" | "table" }
  | { is: "html"; until: string | null }
  | { is: "fence"; fence: Fence }
  /** A list item and its number, if any. `content` is the column of its text; `fence` is an open fence in it. */
  | { is: "item"; bullet: string; number: number; content: number; afterBlank: boolean; fence: Fence | null };

/**
 * Effect of a line on the block before it: it continues the block, ends it with this line, starts another item, turns
 * the last line into a table header, or the block has ended already.
 */
export type ScanStep =
  | { does: "continues" | "ends" | "starts item" | "starts table"; mode: BlockMode }
  | { does: "ended" };

/** The block ended before this line. */
export const BLOCK_ENDED: ScanStep = { does: "ended" };

/** Returns the block that begins with this line, or null for a blank line. */
export function openBlock(line: string): BlockMode | null {
  if (isBlank(line)) return null;
  const fence = parseFence(line);
  if (fence) return { is: "fence", fence };
  if (HEADING.test(line) || RULE.test(line)) return { is: "line" };
  const item = parseItem(line);
  if (item) return item;
  if (QUOTE.test(line)) return { is: "quote" };
  if (getIndent(line) >= 4) return { is: "code" };
  const html = HTML.exec(line);
  return html ? parseHtml(html, line) : { is: "paragraph" };
}

/**
 * Determines the effect of a line.
 *
 * @param previous the line before this one, of the same block
 */
export function scanLine(mode: BlockMode, line: string, previous: string): ScanStep {
  switch (mode.is) {
    case "line":
      return BLOCK_ENDED;
    case "paragraph":
      return scanParagraph(mode, line, previous);
    case "code":
      return isBlank(line) || getIndent(line) >= 4 ? { does: "continues", mode } : BLOCK_ENDED;
    case "quote":
      if (QUOTE.test(line)) return { does: "continues", mode };
      return isBlank(line) || startsBlock(line) || ITEM.test(line) ? BLOCK_ENDED : { does: "continues", mode };
    case "table":
      return isBlank(line) || startsBlock(line) ? BLOCK_ENDED : { does: "continues", mode };
    case "html":
      if (mode.until !== null) return { does: line.toLowerCase().includes(mode.until) ? "ends" : "continues", mode };
      return isBlank(line) ? BLOCK_ENDED : { does: "continues", mode };
    case "fence":
      return { does: closesFence(line, mode.fence) ? "ends" : "continues", mode };
    case "item":
      return scanItem(mode, line);
  }
}

const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const QUOTE = /^ {0,3}>/;
const ITEM = /^( {0,3})([-+*]|\d{1,9}[.)])([ \t]+|$)(.*)$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;
const HTML = /^ {0,3}<(?:(script|pre|style|textarea)\b|(!--)|\/?[a-z][\w-]*(?:\s|\/?>|$))/i;

function scanParagraph(mode: BlockMode, line: string, previous: string): ScanStep {
  if (isBlank(line)) return BLOCK_ENDED;
  if (previous.includes("|") && line.includes("|") && DELIMITER.test(line))
    return { does: "starts table", mode: { is: "table" } };
  if (UNDERLINE.test(line)) return { does: "ends", mode };
  return startsBlock(line) ? BLOCK_ENDED : { does: "continues", mode };
}

/** Whether a line starts a new block inside a paragraph, without a blank line before it. */
function startsBlock(line: string): boolean {
  if (HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || parseFence(line)) return true;
  const [, , mark = "", , text = ""] = ITEM.exec(line) ?? [];
  return /^(?:[-+*]|1[.)])$/.test(mark) && text !== "";
}

function scanItem(mode: Extract<BlockMode, { is: "item" }>, line: string): ScanStep {
  if (isBlank(line)) return { does: "continues", mode: { ...mode, afterBlank: true } };
  if (getIndent(line) >= mode.content) {
    const inner = line.slice(mode.content);
    const fence = mode.fence ? (closesFence(inner, mode.fence) ? null : mode.fence) : parseFence(inner);
    return { does: "continues", mode: { ...mode, afterBlank: false, fence } };
  }
  const next = RULE.test(line) ? null : parseItem(line);
  if (next)
    return next.bullet === mode.bullet
      ? { does: "starts item", mode: { ...next, number: mode.number + 1 } }
      : BLOCK_ENDED;
  if (mode.afterBlank || mode.fence || startsBlock(line)) return BLOCK_ENDED;
  return { does: "continues", mode };
}

function parseItem(line: string): Extract<BlockMode, { is: "item" }> | null {
  const match = ITEM.exec(line);
  if (!match) return null;
  const [, indent = "", mark = "", space = "", text = ""] = match;
  const content = indent.length + mark.length + (text === "" || space.length > 4 ? 1 : space.length);
  const number = /^\d/.test(mark) ? Number.parseInt(mark, 10) : 1;
  return { is: "item", bullet: mark.slice(-1), number, content, afterBlank: false, fence: parseFence(text) };
}

function parseHtml([, element, comment]: RegExpExecArray, line: string): BlockMode {
  const until = element ? `</${element.toLowerCase()}>` : comment ? "-->" : null;
  return until !== null && line.toLowerCase().includes(until) ? { is: "line" } : { is: "html", until };
}

function parseFence(line: string): Fence | null {
  const match = /^( {0,3})(`{3,}(?!`)|~{3,}(?!~))(.*)$/.exec(line);
  if (!match) return null;
  const [, indent = "", marks = "", info = ""] = match;
  if (marks.startsWith("`") && info.includes("`")) return null;
  return { mark: marks.charAt(0), length: marks.length, indent: indent.length, info };
}

function closesFence(line: string, { mark, length }: Fence): boolean {
  const fence = /^ {0,3}(`+|~+)[ \t]*$/.exec(line)?.[1] ?? "";
  return fence.length >= length && fence.startsWith(mark);
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}

/** Returns the columns before the first character, with tab stops every four columns. */
function getIndent(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns += 1;
    else if (character === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}
