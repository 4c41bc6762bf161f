import type { Sheet } from "../state.ts";
import type { Range } from "./ranges.ts";

type Box = Omit<Range, "sheet">;

/**
 * Finds the last table that a range meets: adjacent non-empty cells, and the box around them
 * (developers.google.com/workspace/sheets/api/guides/values, "Append values"). Undefined if there is none.
 */
export function findTable({ sheet, ...range }: Range): Range | undefined {
  const filledCells = listFilledCells(sheet);
  const last = joinTables(filledCells).findLast((table) => meets(table, range));
  return last && { sheet, ...last };
}

function listFilledCells({ rows }: Sheet): Box[] {
  return rows.flatMap((cells, row) =>
    cells.flatMap((cell, column) => (cell === "" ? [] : [{ row, column, lastRow: row, lastColumn: column }])),
  );
}

/** Merges boxes until none touches another. The lowest is the last. */
function joinTables(cells: Box[]): Box[] {
  let boxes: Box[] = [];
  for (const cell of cells) {
    let box = cell;
    for (;;) {
      const near = boxes.filter((candidate) => meets(candidate, wider(box)));
      if (near.length === 0) break;
      boxes = boxes.filter((candidate) => !near.includes(candidate));
      box = [box, ...near].reduce(join);
    }
    boxes.push(box);
  }
  return boxes.sort((a, b) => a.lastRow - b.lastRow || a.lastColumn - b.lastColumn);
}

function meets(a: Box, b: Box): boolean {
  return a.row <= b.lastRow && b.row <= a.lastRow && a.column <= b.lastColumn && b.column <= a.lastColumn;
}

function wider({ row, column, lastRow, lastColumn }: Box): Box {
  return { row: row - 1, column: column - 1, lastRow: lastRow + 1, lastColumn: lastColumn + 1 };
}

function join(a: Box, b: Box): Box {
  return {
    row: Math.min(a.row, b.row),
    column: Math.min(a.column, b.column),
    lastRow: Math.max(a.lastRow, b.lastRow),
    lastColumn: Math.max(a.lastColumn, b.lastColumn),
  };
}
