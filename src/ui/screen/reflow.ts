import stringWidth from "string-width";
import { splitGraphemes } from "./cells.ts";

/** Which lines a terminal rewraps when its window changes width: all, none, or all but the cursor's line (xterm.js). */
export type ReflowMode = "all" | "none" | "not the cursor line";

/**
 * Detects how the terminal rewraps, based on the innermost of nested terminals. An unknown terminal counts as a common
 * desktop terminal over SSH, and as a browser terminal (xterm.js) on this machine.
 */
export function detectReflow(env: Record<string, string | undefined>): ReflowMode {
  const { TERM = "", TERM_PROGRAM = "" } = env;
  if (env.TMUX || env.ZELLIJ || TERM_PROGRAM === "tmux") return "all";
  // Over SSH only TERM is left. GNU Screen sets `screen` or `screen.…` there, and tmux is set to `screen-256color`.
  if (!env.STY && /^(screen-|tmux)/.test(TERM)) return "all";
  if (env.STY || /^(screen|linux|st|vt\d+|cygwin|sun)\b/.test(TERM)) return "none";
  if (/^(vscode|hyper|tabby)$/i.test(TERM_PROGRAM)) return "not the cursor line";
  if (TERM_PROGRAM || DESKTOP_VARIABLES.some((name) => env[name])) return "all";
  if (env.XTERM_VERSION) return "none";
  return env.SSH_TTY || env.SSH_CONNECTION || !/^xterm(-\d*color)?$/.test(TERM) ? "all" : "not the cursor line";
}

/** Variables that identify desktop terminals, besides TERM and TERM_PROGRAM. */
const DESKTOP_VARIABLES = [
  "VTE_VERSION",
  "KITTY_WINDOW_ID",
  "WT_SESSION",
  "ALACRITTY_WINDOW_ID",
  "KONSOLE_VERSION",
  "LC_TERMINAL",
  "TERMINAL_EMULATOR",
  "WEZTERM_PANE",
];

/**
 * Returns the row of the cursor after the terminal rewrapped the lines, counted from the first row of the first line.
 *
 * @param lines lines as written, none wider than the terminal was
 * @param position position of the cursor, in cells
 */
export function findRowAfterReflow(
  lines: string[],
  position: { row: number; column: number },
  columns: number,
): number {
  const above = lines.slice(0, position.row).map((line) => findCellRow(line, Number.POSITIVE_INFINITY, columns) + 1);
  return above.reduce((sum, rows) => sum + rows, 0) + findCellRow(lines[position.row] ?? "", position.column, columns);
}

/** Counts the rows of lines that the terminal wraps. */
export function countRows(lines: string[], columns: number): number {
  return findRowAfterReflow(lines, { row: lines.length, column: 0 }, columns);
}

/**
 * Returns the lines that the first `rows` rows show, of lines that a terminal of this width wraps. Of a line that is cut
 * only the width counts from here on: its rows are full, and what is drawn over its rest is a separate line.
 */
export function findLostLines(lines: string[], rows: number, columns: number): string[] {
  const lost: string[] = [];
  let rowsLeft = rows;
  for (const line of lines) {
    if (rowsLeft <= 0) break;
    const height = countRows([line], columns);
    lost.push(height <= rowsLeft ? line : " ".repeat(rowsLeft * columns));
    rowsLeft -= height;
  }
  return lost;
}

/** Returns the row of a cell (from 0) in a wrapped line, or the last row. Wide characters are never split. */
function findCellRow(line: string, cell: number, columns: number): number {
  let [row, column, cells] = [0, 0, 0];
  for (const width of measureCells(line)) {
    if (column + width > columns) [row, column] = [row + 1, 0];
    if (cells >= cell) break;
    column += width;
    cells += width;
  }
  return row;
}

/** Returns the widths of a line's characters. */
function measureCells(line: string): number[] {
  const text = line.replace(ESCAPES, "");
  if (ASCII.test(text)) return Array.from(text, () => 1);
  return splitGraphemes(text)
    .map((grapheme) => stringWidth(grapheme))
    .filter((width) => width > 0);
}

const ASCII = /^[\x20-\x7e]*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g;
