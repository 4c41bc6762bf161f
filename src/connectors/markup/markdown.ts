/** A Markdown table; cells are text of a service and cannot break out of theirs. */
export function formatMarkdownTable(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map(escapeCell).join(" | ")} |`;
  return [line(head), `|${head.map(() => " --- |").join("")}`, ...rows.map(line)].join("\n");
}

/** Text of a service on one line of Markdown: no line breaks, no cell borders, and no link or image of its own making. */
export function escapeCell(text: string): string {
  return text.replace(/\s+/g, " ").trim().replace(/\|/g, "\\|").replace(/\]\(/g, "]\\(").replace(/</g, "\\<");
}

/** "1 issue", "4 issues". */
export function formatCount(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Text shortened to a limit of characters, whole code points only, with a mark that something is missing. */
export function truncateText(text: string, limit: number): string {
  const points = [...text];
  return points.length <= limit
    ? text
    : `${points
        .slice(0, limit - 1)
        .join("")
        .trimEnd()}…`;
}
