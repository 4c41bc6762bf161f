import { createJoinedRows, NO_WRAP, SEPARATE_ROWS, WRAP } from "./diff-line.ts";
import { drawChanges, drawLines, ERASE_BELOW, moveToRow } from "./draw-rows.ts";
import { countRows, findLostLines, findRowAfterReflow, type ReflowMode } from "./reflow.ts";

/** Lines to draw, none wider than the terminal, and the cursor in cells. Without a cursor it is hidden. */
export type ScreenFrame = { lines: string[]; cursor: CellPosition | null };

type CellPosition = { row: number; column: number };

/** The terminal to draw on. */
export type Canvas = {
  write(text: string): void;
  /** Returns the current size, in cells. */
  size(): { columns: number; rows: number };
  reflows: ReflowMode;
};

/** A screen with finished text that stays, and a few changing lines below it. */
export type Screen = {
  /** Replaces the previous frame. For the first frame, the cursor must be at the start of a line. */
  draw(frame: ScreenFrame): void;
  /**
   * Adds whole lines of finished text above the frame, shown by the next `draw`, `flush` or `clear`. The terminal wraps
   * long lines.
   */
  commit(text: string): void;
  /** Shows the committed text above the same frame. */
  flush(): void;
  /**
   * Notes that the window was resized: the next `draw` redraws everything.
   * @param cursorRow the cursor's row in the window since then, from 0, if it is known
   */
  markResized(cursorRow?: number): void;
  /** Removes the frame and shows the cursor where the frame began. */
  clear(): void;
  /** Scrolls the text above the frame out of the window. The next frame begins at the top. */
  clearWindow(): void;
  /** Notes that the terminal's content is unknown: the next frame begins on a new line. */
  forget(): void;
};

const [BEGIN, END] = ["\x1b[?2026h", "\x1b[?2026l"];
const [HIDE, SHOW] = ["\x1b[?25l", "\x1b[?25h"];
/**
 * Sequences to save and restore the cursor. A terminal may report a new size late (tmux: 250 ms). The cursor then
 * returns to its place, and kay finds its frame again.
 */
const [SAVE, RESTORE] = ["\x1b7", "\x1b8"];

/** Rows of the window that a frame leaves free. */
const FREE_ROWS = 2;

/**
 * The frame on the terminal, the empty lines above it, the position of the real cursor, and the terminal's width then.
 * `lost` are lines of earlier frames in the scrollback: a window that grows may show them again, above the frame.
 */
type ShownFrame = { frame: ScreenFrame; gap: number; at: CellPosition; columns: number; lost: string[] } & Resized;

type Resized = { isStale: boolean; cursorRow?: number | undefined };

/**
 * Creates a screen that draws each frame with one write, changes only what differs, and never touches scrolled text.
 */
export function createScreen(canvas: Canvas): Screen {
  let screen: ShownFrame | null = null;
  let committed = "";
  let begin = "";
  let isHidden: boolean | null = false;

  const setHidden = (hidden: boolean) => {
    if (isHidden === hidden) return "";
    isHidden = hidden;
    return hidden ? HIDE : SHOW;
  };
  const show = (nextFrame: ScreenFrame) => {
    const size = canvas.size();
    const home = findHome(size);
    const gap = getGap(nextFrame.lines.length, size);
    const frame = offsetFrame(fitFrame(nextFrame, size), gap);
    const rows = canvas.reflows === "not the cursor line" ? createJoinedRows(size.columns) : SEPARATE_ROWS;
    const isWhole = screen === null || screen.isStale || screen.columns !== size.columns || committed !== "";
    const { text, row } =
      isWhole || !screen
        ? {
            text: home.move + ERASE_BELOW + committed + NO_WRAP + drawLines(frame.lines, rows),
            row: getLastRow(frame),
          }
        : drawChanges(screen.frame.lines, frame.lines, screen.at.row, rows);
    const cursor = frame.cursor ?? { row: getLastRow(frame), column: 0 };
    const isMoved = cursor.row !== screen?.at.row || cursor.column !== screen.at.column;
    const isSameHeight = frame.lines.length === screen?.frame.lines.length;
    const move = isMoved || text ? moveToRow(row, cursor.row) + moveRight(cursor.column) : "";
    const changes =
      !isMoved && isSameHeight
        ? text && SAVE + NO_WRAP + text + WRAP + RESTORE
        : (text && NO_WRAP + text + WRAP) + move;
    const all = (isWhole ? text + WRAP + move : changes) + setHidden(!frame.cursor);
    const lost = committed === "" ? home.lost : [];
    screen = { frame, gap, at: cursor, columns: size.columns, isStale: false, lost };
    [committed, begin] = ["", ""];
    if (all !== "") canvas.write(BEGIN + all + END);
  };
  /**
   * Returns how many empty lines to keep above the frame. Terminals that rewrap lines move everything up, even with
   * free rows below. A frame that then used fewer rows would climb on every resize, so it keeps its rows until finished
   * text fills them.
   */
  const getGap = (lines: number, { columns, rows }: { columns: number; rows: number }) => {
    if (!screen || canvas.reflows !== "all") return 0;
    const isReflowed = columns !== screen.columns;
    if (!isReflowed && screen.gap === 0) return 0;
    const rowsAbove = committed === "" ? 0 : countRows(committed.split("\r\n").slice(0, -1), columns);
    const height = isReflowed ? countRows(screen.frame.lines, columns) : screen.frame.lines.length;
    const gap = isReflowed ? height - lines : Math.min(screen.gap, height - lines);
    return Math.max(Math.min(gap - rowsAbove, rows - FREE_ROWS - lines), 0);
  };
  /**
   * Finds the first cell of the frame, or of the lost lines above it that the window shows again, however the terminal
   * wrapped the rows. Rows that are farther above the cursor than the window's first row are lost. The cursor is in the
   * last row at most.
   */
  const findHome = ({ columns, rows }: { columns: number; rows: number }): { move: string; lost: string[] } => {
    if (!screen) return { move: begin, lost: [] };
    if (!screen.isStale && columns === screen.columns) return { move: moveToRow(screen.at.row, 0), lost: screen.lost };
    const { frame, at, lost, cursorRow = rows - 1 } = screen;
    const isWrapped = canvas.reflows === "all" && columns !== screen.columns;
    const lines = [...lost, ...frame.lines];
    const cursor = { row: lost.length + at.row, column: at.column };
    const width = isWrapped ? columns : Number.POSITIVE_INFINITY;
    const above = findRowAfterReflow(lines, cursor, width);
    return { move: moveToRow(above, 0), lost: findLostLines(lines, above - cursorRow, width) };
  };

  return {
    draw: show,
    commit(text) {
      if (text !== "") committed += `${text.replace(/\n$/, "").replace(/\r?\n/g, "\r\n")}\r\n`;
    },
    flush() {
      if (committed !== "")
        show(screen ? offsetFrame(screen.frame, -screen.gap) : { lines: [], cursor: { row: 0, column: 0 } });
    },
    markResized(cursorRow) {
      if (screen) screen = { ...screen, isStale: true, cursorRow };
    },
    clear() {
      const text = screen || committed ? findHome(canvas.size()).move + ERASE_BELOW + committed : "";
      const all = text + setHidden(false);
      [screen, committed, begin] = [null, "", text ? "" : begin];
      if (all !== "") canvas.write(BEGIN + all + END);
    },
    clearWindow() {
      const { rows } = canvas.size();
      canvas.write(`${findHome(canvas.size()).move}${ERASE_BELOW}${committed}${"\n".repeat(rows - 1)}\x1b[H`);
      [screen, committed, begin] = [null, "", ""];
    },
    forget() {
      [screen, begin, isHidden] = [null, "\r\n", null];
    },
  };
}

/** Cuts a frame to the window's height and keeps its end. A taller frame could no longer be redrawn from its start. */
function fitFrame({ lines, cursor }: ScreenFrame, { rows }: { rows: number }): ScreenFrame {
  const excess = Math.max(lines.length - Math.max(rows - FREE_ROWS, 1), 0);
  if (excess === 0) return { lines, cursor };
  return {
    lines: lines.slice(excess),
    cursor: cursor && cursor.row >= excess ? { ...cursor, row: cursor.row - excess } : null,
  };
}

/** Adds or removes empty lines above a frame. */
function offsetFrame({ lines, cursor }: ScreenFrame, gap: number): ScreenFrame {
  if (gap === 0) return { lines, cursor };
  return {
    lines: gap < 0 ? lines.slice(-gap) : [...Array.from({ length: gap }, () => ""), ...lines],
    cursor: cursor && { ...cursor, row: cursor.row + gap },
  };
}

function getLastRow({ lines }: ScreenFrame): number {
  return Math.max(lines.length - 1, 0);
}

function moveRight(columns: number): string {
  return columns > 0 ? `\x1b[${columns}C` : "";
}

/**
 * Terminal modes that a session switches on, and off on every exit. Terminals ignore modes they do not know.
 *
 * - `?2004` bracketed paste: pasted text is marked, so its line breaks are not Enter.
 * - `?1004` focus: the terminal reports when its window loses or gets the focus.
 * - `>1u` kitty's keyboard protocol, pushed and popped: Shift+Enter and Ctrl+Enter differ from Enter.
 * - `>4;1m` modifyOtherKeys for xterm and similar terminals, with the same effect. Terminals that know both prefer
 * kitty's. Level 1 does not change Ctrl+C, Tab or other keys that have bytes already.
 *
 * Switching off also undoes what an interrupted frame may leave: synchronized output, no wrapping, a hidden cursor,
 * colors and a link.
 */
export const SESSION_MODES = {
  on: "\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[>4;1m",
  off: "\x1b[?2026l\x1b[?7h\x1b[>4m\x1b[<u\x1b[?1004l\x1b[?2004l\x1b[0m\x1b]8;;\x1b\\\x1b[?25h",
} as const;
