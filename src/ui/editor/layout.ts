import type { Draft } from "./draft.ts";
import { findCell, layOutGrid } from "./grid.ts";

/** Space for a draft. An unknown width (0, NaN) counts as 80. */
export type EditorFrame = { width: number; maxRows: number; prompt: string };

/** Rows without control characters, none wider than the frame, and the cell of the cursor. */
export type EditorLayout = { rows: string[]; cursor: { row: number; column: number } };

/**
 * Lays out a draft. If it has more than `maxRows` rows, shows those around the cursor and counts the hidden ones above
 * and below (with three or more rows).
 */
export function layOutDraft(draft: Draft, { width, maxRows, prompt }: EditorFrame): EditorLayout {
  const cells = width >= 1 ? Math.floor(width) : 80;
  const grid = layOutGrid(draft, { width: cells, prompt });
  const cursor = findCell(grid, draft.cursor);
  const rows = grid.map(({ text }) => text);
  const most = Math.max(1, Math.floor(maxRows) || 1);
  if (rows.length <= most) return { rows, cursor };
  const { from, to } = getWindow(rows.length, cursor.row, most);
  const lines = rows.slice(from, to);
  if (most < 3) return { rows: lines, cursor: { ...cursor, row: cursor.row - from } };
  const above = from > 0 ? [cutMark(`\u2191 ${from} more`, cells)] : [];
  const below = to < rows.length ? [cutMark(`\u2193 ${rows.length - to} more`, cells)] : [];
  return {
    rows: [...above, ...lines, ...below],
    cursor: { row: cursor.row - from + above.length, column: cursor.column },
  };
}

/** Returns the visible rows: the first or last ones if they include the cursor, otherwise those around it. */
function getWindow(total: number, cursor: number, most: number): { from: number; to: number } {
  const marks = most < 3 ? 0 : 1;
  const atEnd = most - marks;
  if (cursor < atEnd) return { from: 0, to: atEnd };
  if (cursor >= total - atEnd) return { from: total - atEnd, to: total };
  const innerWidth = most - 2 * marks;
  const from = cursor - Math.floor(innerWidth / 2);
  return { from, to: from + innerWidth };
}

function cutMark(text: string, width: number): string {
  return text.slice(0, width);
}
