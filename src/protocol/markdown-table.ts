/**
 * Whether reading a Markdown table as GFM has it loses text: cells beyond the header's are dropped there without a word. Such a table is
 * better shown as it was typed.
 *
 * @param table a table as `marked` lexes it: its source, and the cells of its header
 */
export function hasExtraCells({ raw, header }: { raw: string; header: unknown[] }): boolean {
  const rows = raw.trim().split("\n").slice(2);
  return rows.some((row) => getCells(row) > header.length);
}

/** How many cells a line of a table has: pipes that are not escaped separate them, one at either end counts for nothing. */
function getCells(line: string): number {
  const cells = line.trim().split(/(?<=(?<!\\)(?:\\\\)*)\|/);
  return cells.length - (cells[0]?.trim() ? 0 : 1) - (cells.at(-1)?.trim() ? 0 : 1);
}
