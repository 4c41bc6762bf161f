/** Formats a Markdown table. Cells contain text of a service and are escaped. */
export function formatMarkdownTable(head: string[], rows: string[][]): string {
  const formatLine = (cells: string[]) => `| ${cells.map(escapeCell).join(" | ")} |`;
  return [formatLine(head), `|${head.map(() => " --- |").join("")}`, ...rows.map(formatLine)].join("\n");
}

/** Converts a service's text to one line of Markdown without line breaks, cell borders, links or images. */
export function escapeCell(text: string): string {
  return toOneLine(text).replace(/\|/g, "\\|").replace(/\]\(/g, "]\\(").replace(/</g, "\\<");
}

/** Encodes the characters that would end the address of a Markdown link. */
export function encodeLinkTarget(url: string): string {
  return url.replace(/[()\s]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
}

/**
 * Joins the lines of a text. Unlike {@link escapeCell}, it adds no escapes, so approvals show the text as it is sent.
 */
export function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Splits off the white space around a text, since marks of Markdown must touch the words. */
export function splitMargins(text: string): { before: string; words: string; after: string } {
  const words = text.trim();
  const start = text.length - text.trimStart().length;
  return { before: text.slice(0, start), words, after: text.slice(start + words.length) };
}

/** Returns the singular or plural of a noun: "issue", "issues". */
export function formatNoun(number: number, singular: string, plural = `${singular}s`): string {
  return number === 1 ? singular : plural;
}

/** Formats a count: "1 issue", "4 issues". */
export function formatCount(number: number, singular: string, plural?: string): string {
  return `${number} ${formatNoun(number, singular, plural)}`;
}

/** Truncates text to a number of characters, at whole code points, and marks the cut. */
export function truncateText(text: string, limit: number): string {
  const points = [...text];
  return points.length <= limit
    ? text
    : `${points
        .slice(0, limit - 1)
        .join("")
        .trimEnd()}…`;
}

/**
 * Quotes a text in the summary of a call: on one line, and at most this many characters. A card also shows it in full.
 */
export function quoteText(text: string, limit: number): string {
  return `“${truncateText(toOneLine(text), limit)}”`;
}
