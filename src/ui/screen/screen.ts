import { createJoinedRows, diffLine, NO_WRAP, type RowStyle, SEPARATE_ROWS, WRAP } from "./diff-line.ts";
import { countRows, findRowAfterReflow, type ReflowMode } from "./reflow.ts";

/** What is drawn: lines no wider than the terminal, and where the cursor is in them, in cells; without it the cursor is hidden. */
export type ScreenFrame = { lines: string[]; cursor: Place | null };

type Place = { row: number; column: number };

/** The terminal that is drawn on. */
export type Canvas = {
  write(text: string): void;
  /** As it is at this moment, in cells. */
  size(): { columns: number; rows: number };
  reflows: ReflowMode;
};

/** Finished text that stays, and below it a few lines that change. */
export type Screen = {
  /** Show this frame in the place of the one before. The cursor has to be at the beginning of a line when the first is drawn. */
  draw(frame: ScreenFrame): void;
  /** Finished text, whole lines, shown above the frame with the next `draw`, `flush` or `clear`. The terminal wraps those that are too long. */
  commit(text: string): void;
  /** Show what was committed, with the frame as it was. */
  flush(): void;
  /** The window has, or had for a moment, another size: the next `draw` draws all. */
  resized(): void;
  /** Take the frame away; the cursor is shown where the frame began. */
  clear(): void;
  /** What is on the terminal is not known any more: the next frame begins on a line of its own. */
  forget(): void;
};

const [BEGIN, END] = ["\x1b[?2026h", "\x1b[?2026l"];
const [HIDE, SHOW] = ["\x1b[?25l", "\x1b[?25h"];
/** From the beginning of a row on. In two parts, since tmux takes erasing from its first cell on for a cleared window, and keeps what it had. */
const ERASE_BELOW = "\x1b[K\x1b[C\x1b[J\r";

/** Rows of the window that a frame leaves free. */
const FREE_ROWS = 2;

/** The frame on the terminal, the empty lines that it has above it, the place of the real cursor, and how wide the terminal was. */
type Shown = { frame: ScreenFrame; gap: number; at: Place; columns: number; isStale: boolean };

/** Draw on a terminal: one write for each frame, only what changed, and nothing that scrolled away is touched. */
export function createScreen(canvas: Canvas): Screen {
  let shown: Shown | null = null;
  let committed = "";
  let begin = "";
  let isHidden: boolean | null = false;

  const visibility = (hidden: boolean) => {
    if (isHidden === hidden) return "";
    isHidden = hidden;
    return hidden ? HIDE : SHOW;
  };
  const show = (given: ScreenFrame) => {
    const size = canvas.size();
    const gap = gapFor(given.lines.length, size);
    const frame = offsetFrame(fitFrame(given, size), gap);
    const rows = canvas.reflows === "not the cursor line" ? createJoinedRows(size.columns) : SEPARATE_ROWS;
    const isWhole = shown === null || shown.isStale || shown.columns !== size.columns || committed !== "";
    const { text, row } =
      isWhole || !shown
        ? {
            text: toHome(size.columns) + ERASE_BELOW + committed + NO_WRAP + whole(frame.lines, rows),
            row: toLastRow(frame),
          }
        : changes(shown.frame.lines, frame.lines, shown.at.row, rows);
    const at = frame.cursor ?? { row: toLastRow(frame), column: 0 };
    const isMoved = text !== "" || at.row !== shown?.at.row || at.column !== shown.at.column;
    const moved = isMoved ? vertical(row, at.row) + right(at.column) : "";
    const all = (isWhole ? text : text && NO_WRAP + text) + (text && WRAP) + moved + visibility(!frame.cursor);
    shown = { frame, gap, at, columns: size.columns, isStale: false };
    [committed, begin] = ["", ""];
    if (all !== "") canvas.write(BEGIN + all + END);
  };
  /**
   * Terminals that wrap lines anew make room for them by moving everything up, also where there is room below: a frame that then took less
   * rows would climb at each change of the window, until its first lines could not be reached any more. So it keeps the rows that it had,
   * with empty ones above it, until finished text takes their place.
   */
  const gapFor = (lines: number, { columns, rows }: { columns: number; rows: number }) => {
    if (!shown || canvas.reflows !== "all") return 0;
    const isReflowed = columns !== shown.columns;
    if (!isReflowed && shown.gap === 0) return 0;
    const taken = committed === "" ? 0 : countRows(committed.split("\r\n").slice(0, -1), columns);
    const before = isReflowed ? countRows(shown.frame.lines, columns) : shown.frame.lines.length;
    const kept = isReflowed ? before - lines : Math.min(shown.gap, before - lines);
    return Math.max(Math.min(kept - taken, rows - FREE_ROWS - lines), 0);
  };
  /** To the first cell of the frame, wherever the terminal has wrapped what is above the cursor. */
  const toHome = (columns: number) => {
    if (!shown) return begin;
    const { frame, at } = shown;
    const isWrapped = canvas.reflows === "all" && columns !== shown.columns;
    return vertical(isWrapped ? findRowAfterReflow(frame.lines, at, columns) : at.row, 0);
  };

  return {
    draw: show,
    commit(text) {
      if (text !== "") committed += `${text.replace(/\n$/, "").replace(/\r?\n/g, "\r\n")}\r\n`;
    },
    flush() {
      if (committed !== "")
        show(shown ? offsetFrame(shown.frame, -shown.gap) : { lines: [], cursor: { row: 0, column: 0 } });
    },
    resized() {
      if (shown) shown.isStale = true;
    },
    clear() {
      const text = shown || committed ? toHome(canvas.size().columns) + ERASE_BELOW + committed : "";
      const all = text + visibility(false);
      [shown, committed, begin] = [null, "", text ? "" : begin];
      if (all !== "") canvas.write(BEGIN + all + END);
    },
    forget() {
      [shown, begin, isHidden] = [null, "\r\n", null];
    },
  };
}

/** A frame may not be higher than the window, or its beginning could not be reached any more; what is left is its end. */
function fitFrame({ lines, cursor }: ScreenFrame, { rows }: { rows: number }): ScreenFrame {
  const over = Math.max(lines.length - Math.max(rows - FREE_ROWS, 1), 0);
  if (over === 0) return { lines, cursor };
  return {
    lines: lines.slice(over),
    cursor: cursor && cursor.row >= over ? { ...cursor, row: cursor.row - over } : null,
  };
}

/** With so many empty lines above it, or without. */
function offsetFrame({ lines, cursor }: ScreenFrame, gap: number): ScreenFrame {
  if (gap === 0) return { lines, cursor };
  return {
    lines: gap < 0 ? lines.slice(-gap) : [...Array.from({ length: gap }, () => ""), ...lines],
    cursor: cursor && { ...cursor, row: cursor.row + gap },
  };
}

function toLastRow({ lines }: ScreenFrame): number {
  return Math.max(lines.length - 1, 0);
}

function whole(lines: string[], { down }: RowStyle): string {
  return lines.map((line, index) => (index < lines.length - 1 ? line + down(line) : line)).join("");
}

/** From some lines to others, beginning in row `from`; and the row in which that ends. */
function changes(old: string[], next: string[], from: number, rows: RowStyle): { text: string; row: number } {
  const opened = roomFor(old, next, from);
  let { text, row } = opened;
  for (const [index, line] of next.entries()) {
    const before = opened.lines[index];
    if (before === undefined)
      text += (row === index - 1 ? "" : vertical(row, index - 1)) + rows.down(next[index - 1] ?? "") + line;
    else if (line === before) continue;
    else text += vertical(row, index) + diffLine(before, line, rows);
    row = index;
  }
  if (next.length < old.length) {
    text += vertical(row, next.length) + ERASE_BELOW;
    row = next.length;
  }
  return { text, row };
}

/** The lines after that, `undefined` where a row is new. */
type Room = { lines: (string | undefined)[]; text: string; row: number };

/** Where rows are added above others that stay, as with text that streams, those are moved down and not written again. */
function roomFor(old: string[], next: string[], from: number): Room {
  const added = next.length - old.length;
  const stay = added > 0 ? sameAtEnd(old, next) : 0;
  const place = old.length - stay;
  if (stay === 0 || place === 0) return { lines: old.length > 0 ? old : [""], text: "", row: from };
  const last = old.length - 1;
  const text = `${vertical(from, last)}${"\n".repeat(added)}${vertical(last + added, place)}\x1b[${added}L`;
  return { lines: [...old.slice(0, place), ...Array(added).fill(undefined), ...old.slice(place)], text, row: place };
}

function sameAtEnd(old: string[], next: string[]): number {
  const from = old.toReversed();
  const to = next.toReversed();
  const end = from.findIndex((line, index) => line !== to[index]);
  return end < 0 ? from.length : end;
}

/** To the beginning of another row of the frame. */
function vertical(from: number, to: number): string {
  if (from === to) return "\r";
  return from > to ? `\r\x1b[${from - to}A` : `\r\x1b[${to - from}B`;
}

function right(columns: number): string {
  return columns > 0 ? `\x1b[${columns}C` : "";
}

/**
 * What the session switches on in a terminal, and off again on every way out. A terminal that does not know one of them ignores it.
 *
 * - `?2004` bracketed paste: pasted text comes between marks, so that its line breaks are no Enter.
 * - `?1004` focus: the terminal tells when its window is left and come back to.
 * - `>1u` kitty's keyboard protocol, pushed and popped: Shift+Enter and Ctrl+Enter differ from Enter.
 * - `>4;1m` modifyOtherKeys for xterm and those like it, which says the same in another way. A terminal that knows both lets kitty's win;
 *   level 1 leaves Ctrl+C, Tab and every key that already has bytes of its own as they are.
 *
 * Switching off also ends what a drawing that was cut short may have left: synchronized output, no wrapping, a hidden cursor, colours
 * and a link.
 */
export const SESSION_MODES = {
  on: "\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[>4;1m",
  off: "\x1b[?2026l\x1b[?7h\x1b[>4m\x1b[<u\x1b[?1004l\x1b[?2004l\x1b[0m\x1b]8;;\x1b\\\x1b[?25h",
} as const;
