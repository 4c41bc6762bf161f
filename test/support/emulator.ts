import { type IBufferCell, Terminal } from "@xterm/headless";
import { onTestFinished } from "vitest";
import type { ReflowMode } from "#ui/screen/reflow";
import { createScreen, type Screen } from "#ui/screen/screen";

/** A terminal without a window, with what is drawn on it. */
export type Emulator = {
  screen: Screen;
  /** Every write, in order. */
  writes: string[];
  /** What the terminal shows after all output: rows of the window, without empty ones at its end. */
  rows(): Promise<string[]>;
  /** All its rows, from the oldest of its scrollback. */
  all(): Promise<string[]>;
  /** All visible rows, each character with its color number, and a star if it is bold. */
  cells(): Promise<string[]>;
  cursor(): Promise<{ row: number; column: number }>;
  /** Text of another program. */
  print(text: string): void;
  /** Resizes the window, and notifies the screen. */
  resize(columns: number, rows?: number): Promise<void>;
};

/** Opens an {@link Emulator} of this size; it ends with the test. */
export function openEmulator(columns: number, rows: number, reflows: ReflowMode = "all"): Emulator {
  const terminal = new Terminal({
    cols: columns,
    rows,
    scrollback: 1_000,
    allowProposedApi: true,
  });
  onTestFinished(() => terminal.dispose());
  const writes: string[] = [];
  let written = Promise.resolve();
  const print = (text: string) => {
    written = new Promise((resolve) => terminal.write(text, resolve));
  };
  const screen = createScreen({
    write(text) {
      writes.push(text);
      print(text);
    },
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    reflows,
  });
  const { buffer } = terminal;
  const row = (rowIndex: number) => buffer.active.getLine(rowIndex)?.translateToString(true).trimEnd() ?? "";
  const look = (cell?: IBufferCell) =>
    cell?.getChars().trim() ? `${cell.isBold() ? "*" : ""}${cell.getFgColor()}${cell.getChars()}` : " ";
  return {
    screen,
    writes,
    print,
    async rows() {
      await written;
      return withoutEnd(Array.from({ length: terminal.rows }, (_, rowIndex) => row(buffer.active.baseY + rowIndex)));
    },
    async all() {
      await written;
      return withoutEnd(Array.from({ length: buffer.active.length }, (_, rowIndex) => row(rowIndex)));
    },
    async cells() {
      await written;
      const styleRow = (rowIndex: number) =>
        Array.from({ length: terminal.cols }, (_, column) =>
          look(buffer.active.getLine(rowIndex)?.getCell(column)),
        ).join("");
      return withoutEnd(Array.from({ length: buffer.active.length }, (_, rowIndex) => styleRow(rowIndex).trimEnd()));
    },
    async cursor() {
      await written;
      return { row: buffer.active.cursorY, column: buffer.active.cursorX };
    },
    async resize(toColumns, toRows = terminal.rows) {
      await written;
      terminal.resize(toColumns, toRows);
      screen.markResized();
    },
  };
}

function withoutEnd(rows: string[]): string[] {
  return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
}
