/** Number of rows for each part of the live region. */
export type RowBudget = {
  /** Rule above the composer, and status line: 0 in small windows. */
  rule: 0 | 1;
  status: 0 | 1;
  hint: number;
  composer: number;
  card: number;
  queue: number;
  popup: number;
  tools: number;
  text: number;
};

/** Number of rows that each part needs. */
export type RowDemand = {
  composer: number;
  card: boolean;
  queue: number;
  popup: number;
  hint: boolean;
  tools: number;
  text: number;
};

/** Windows with fewer rows show only the essential parts. */
const SMALL_ROWS = 12;
const SMALL_ROWS_WITH_CARD = 16;
const MAX_QUEUE_ROWS = 3;
const MAX_TOOL_ROWS = 6;
const MIN_CARD_ROWS = 6;

/** Returns the maximum number of rows of a list: half of the window. */
export function countPickerRows(rows: number): number {
  return Math.max(3, Math.floor(rows / 2));
}

/**
 * Divides the live region, which leaves two rows of the window free. The composer comes first, then the open card, then
 * aids, and streaming text gets the rest.
 */
export function divideRows(rows: number, demand: RowDemand): RowBudget {
  let rowsLeft = Math.max(1, rows - 2);
  const take = (most: number) => {
    const rows = Math.max(0, Math.min(most, rowsLeft));
    rowsLeft -= rows;
    return rows;
  };
  const isSmall = rows < (demand.card ? SMALL_ROWS_WITH_CARD : SMALL_ROWS);
  const forCard = demand.card ? MIN_CARD_ROWS : 0;
  const composer = take(Math.min(demand.composer, demand.card ? Math.max(1, rowsLeft - forCard - 2) : rowsLeft));
  const status = take(isSmall ? 0 : 1) as 0 | 1;
  const rule = take(isSmall ? 0 : 1) as 0 | 1;
  const hint = take(demand.hint ? 1 : 0);
  const popup = take(Math.min(countPickerRows(rows), demand.popup));
  const queue = take(Math.min(MAX_QUEUE_ROWS, demand.queue, Math.max(0, rowsLeft - forCard)));
  const tools =
    demand.card && isSmall ? 0 : take(Math.min(MAX_TOOL_ROWS, demand.tools, Math.max(0, rowsLeft - forCard)));
  const card = demand.card ? take(rowsLeft) : 0;
  return { rule, status, hint, composer, card, queue, popup, tools, text: demand.card ? 0 : take(demand.text) };
}
