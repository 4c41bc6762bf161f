import { spawn } from "@lydell/node-pty";
import xterm, { type IBufferCell, type Terminal } from "@xterm/headless";
import { until } from "#test/built/processes";

/** A character of the screen and its style names, joined by spaces; "" for none. */
export type Cell = { char: string; look: string };

/** The content of a terminal at one moment. A wide character is followed by a cell with the character "". */
export type Shot = { rows: Cell[][]; cursor: { row: number; column: number } | null };

/** A shell in a real terminal. */
export type Window = {
  /** Sends keys unchanged. */
  type(keys: string): void;
  /** Waits until the screen shows this. */
  sees(text: RegExp): Promise<RegExpMatchArray>;
  /** Returns the screen once it is stable. */
  shot(): Promise<Shot>;
  close(): Promise<void>;
};

/** Silence in ms after which a screen counts as stable, and the time limit for that. */
const STILL_MS = 150;
const MOST_MS = 5_000;

/** Opens a terminal of this size with bash in it. */
export function openWindow(options: {
  columns: number;
  rows: number;
  env: Record<string, string>;
  cwd: string;
}): Window {
  const { columns, rows, env, cwd } = options;
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const pty = spawn("/bin/bash", ["--norc", "--noprofile"], {
    cols: columns,
    rows,
    cwd,
    env: { ...env, PS1: "$ ", HISTFILE: "" },
    name: "xterm-256color",
  });
  let lastAt = 0;
  let isHidden = false;
  pty.onData((data) => {
    lastAt = performance.now();
    const [shown, hidden] = [data.lastIndexOf("\x1b[?25h"), data.lastIndexOf("\x1b[?25l")];
    if (shown !== hidden) isHidden = hidden > shown;
    terminal.write(data);
  });
  const gone = new Promise((resolve) => pty.onExit(resolve));
  const text = () =>
    readRows(terminal)
      .map((row) =>
        row
          .map(({ char }) => char)
          .join("")
          .trimEnd(),
      )
      .join("\n");
  return {
    type: (keys) => pty.write(keys),
    sees: (wanted) =>
      until(
        () => text().match(wanted),
        () => `The terminal never showed ${wanted}; it shows:\n${text()}`,
      ),
    async shot() {
      await until(() => performance.now() - lastAt > STILL_MS, "", MOST_MS).catch(() => {});
      const { cursorX: column, cursorY: row } = terminal.buffer.active;
      return { rows: readRows(terminal), cursor: isHidden ? null : { row, column } };
    },
    async close() {
      pty.kill("SIGHUP");
      await gone;
      terminal.dispose();
    },
  };
}

function readRows({ buffer, rows, cols }: Terminal): Cell[][] {
  return Array.from({ length: rows }, (_, row) => {
    const line = buffer.active.getLine(buffer.active.baseY + row);
    return Array.from({ length: cols }, (_, column) => readCell(line?.getCell(column)));
  });
}

function readCell(cell: IBufferCell | undefined): Cell {
  if (!cell) return { char: " ", look: "" };
  const color = cell.isFgPalette() ? COLORS[cell.getFgColor() % 8] : undefined;
  const looks = [
    cell.isBold() && "bold",
    cell.isDim() && "dim",
    cell.isUnderline() && "underline",
    cell.isInverse() && "inverse",
    color,
  ];
  return { char: cell.getWidth() === 0 ? "" : cell.getChars() || " ", look: looks.filter(Boolean).join(" ") };
}

/** The colors of a terminal by number. */
const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
