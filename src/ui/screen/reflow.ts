import stringWidth from "string-width";
import { splitGraphemes } from "./cells.ts";

/**
 * What a terminal does, when its window gets another width, with the lines that are on it: wraps and joins all of them, none, or (xterm.js)
 * all but the line with the cursor.
 */
export type ReflowMode = "all" | "none" | "not the cursor line";

/**
 * How the terminal of this environment behaves: the innermost of those that are nested counts. Of one that says nothing of itself, those
 * behind an SSH are taken for the usual ones of desktops, and those on this machine for one in a browser, which is xterm.js.
 */
export function detectReflow(env: Record<string, string | undefined>): ReflowMode {
  const { TERM = "", TERM_PROGRAM = "" } = env;
  if (env.TMUX || env.ZELLIJ || TERM_PROGRAM === "tmux") return "all";
  if (env.STY || /^(screen|linux|st|vt\d+|cygwin|sun)\b/.test(TERM)) return "none";
  if (/^(vscode|hyper|tabby)$/i.test(TERM_PROGRAM)) return "not the cursor line";
  if (TERM_PROGRAM || OF_DESKTOPS.some((name) => env[name])) return "all";
  if (env.XTERM_VERSION) return "none";
  return env.SSH_TTY || env.SSH_CONNECTION || !/^xterm(-\d*color)?$/.test(TERM) ? "all" : "not the cursor line";
}

/** Variables by which terminals make themselves known, beside TERM and TERM_PROGRAM. */
const OF_DESKTOPS = [
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
 * In which row, from the first row of the first line, a cursor is after the terminal wrapped the lines anew.
 *
 * @param lines as they were written, none wider than the terminal was
 * @param at where the cursor was put, in cells
 */
export function findRowAfterReflow(lines: string[], at: { row: number; column: number }, columns: number): number {
  const above = lines.slice(0, at.row).map((line) => rowOfCell(line, Number.POSITIVE_INFINITY, columns) + 1);
  return above.reduce((sum, rows) => sum + rows, 0) + rowOfCell(lines[at.row] ?? "", at.column, columns);
}

/** How many rows these lines take that the terminal wraps. */
export function countRows(lines: string[], columns: number): number {
  return findRowAfterReflow(lines, { row: lines.length, column: 0 }, columns);
}

/** In which row the cell number `cell` (from 0) of a wrapped line is, or its last one. A wide character is never cut in two. */
function rowOfCell(line: string, cell: number, columns: number): number {
  let [row, column, seen] = [0, 0, 0];
  for (const width of getCells(line)) {
    if (column + width > columns) [row, column] = [row + 1, 0];
    if (seen >= cell) break;
    column += width;
    seen += width;
  }
  return row;
}

/** The widths of the characters of a line. */
function getCells(line: string): number[] {
  const text = line.replace(ESCAPES, "");
  if (ASCII.test(text)) return Array.from(text, () => 1);
  return splitGraphemes(text)
    .map((grapheme) => stringWidth(grapheme))
    .filter((width) => width > 0);
}

const ASCII = /^[\x20-\x7e]*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g;
