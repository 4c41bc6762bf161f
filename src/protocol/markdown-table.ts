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
