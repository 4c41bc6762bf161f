import { spawn } from "@lydell/node-pty";
import { Terminal } from "@xterm/headless";
import { onTestFinished } from "vitest";
import { until } from "./processes.ts";

/** A shell in a real terminal, and what is on its screen. */
export type Shell = {
  pid: number;
  /** Types keys unchanged. */
  type(keys: string): void;
  /** Types a command line and Enter. */
  enter(line: string): void;
  /** Runs a command line. Returns its exit code and everything it showed. */
  run(line: string, limitMs?: number): Promise<{ exit: number; shown: string }>;
  /** Waits until the text on the terminal since the last `enter` matches. */
  shows(text: RegExp, limitMs?: number): Promise<RegExpMatchArray>;
  /** Waits for the running command and returns its exit code. */
  exit(limitMs?: number): Promise<number>;
  /** What it showed since the last `enter`, as whole lines; wrapped ones are joined. */
  text(): string;
  /** The current rows of the screen. */
  screen(): string[];
  /** Every row of the terminal, from the oldest of its scrollback, without empty ones at the end. */
  all(): string[];
  /** Position of the cursor in the window, from 0. */
  cursor(): { row: number; column: number };
  /** Every byte since the last `enter`. */
  bytes(): string;
  isCursorVisible(): boolean;
  /** Modes that are switched on. */
  modes(): { bracketedPaste: boolean; focus: boolean; wraps: boolean; alternate: boolean };
  /** Resizes the window, once all output is shown. */
  resize(columns: number, rows: number): Promise<void>;
};

/** Opens a terminal of this size with a shell; both end with the test. */
export async function openShell(options: {
  columns: number;
  rows: number;
  env: Record<string, string>;
  cwd: string;
  /** The shell, such as one with job control; a plain one by default. */
  shell?: "/bin/bash";
}): Promise<Shell> {
  const { columns, rows, env, cwd, shell = "/bin/sh" } = options;
  const terminal = new Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const pty = spawn(shell, shell === "/bin/bash" ? ["--norc", "--noprofile"] : [], {
    cols: columns,
    rows,
    cwd,
    env: { ...env, PS1: "> ", ENV: "" },
    name: "xterm-256color",
  });
  let bytes = "";
  let start = 0;
  let top = 0;
  pty.onData((data) => {
    bytes += data;
    terminal.write(data);
  });
  const exited = new Promise((resolve) => pty.onExit(resolve));
  onTestFinished(async () => {
    pty.kill("SIGKILL");
    await exited;
    terminal.dispose();
  });
  const text = () => linesFrom(terminal, top);
  const shows: Shell["shows"] = (pattern, limitMs) =>
    until(
      () => text().match(pattern),
      () => `The terminal never showed ${pattern}; it shows:\n${text()}`,
      limitMs,
    );
  const enter = (line: string) => {
    start = bytes.length;
    top = terminal.buffer.active.baseY + terminal.buffer.active.cursorY;
    pty.write(`${line}\r`);
  };
  const exit = async (limitMs?: number) => Number((await shows(/^exit=(\d+)$/m, limitMs))[1]);
  await shows(/> $/);
  return {
    pid: pty.pid,
    type: (keys) => pty.write(keys),
    enter: (line) => enter(`${line}; echo exit=$?`),
    run: async (line, limitMs) => {
      enter(`${line}; echo exit=$?`);
      const code = await exit(limitMs);
      return { exit: code, shown: output(text()) };
    },
    shows,
    exit,
    text: () => output(text()),
    screen: () => readRows(terminal),
    all: () => readAllRows(terminal),
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    bytes: () => bytes.slice(start),
    isCursorVisible: () => bytes.lastIndexOf("\x1b[?25h") >= bytes.lastIndexOf("\x1b[?25l"),
    modes: () => ({
      bracketedPaste: terminal.modes.bracketedPasteMode,
      focus: terminal.modes.sendFocusMode,
      wraps: terminal.modes.wraparoundMode,
      alternate: terminal.buffer.active.type === "alternate",
    }),
    resize: async (to, toRows) => {
      await new Promise<void>((resolve) => terminal.write("", resolve));
      terminal.resize(to, toRows);
      pty.resize(to, toRows);
    },
  };
}

/** Without the command line that was typed, the exit code and the prompt. */
function output(text: string): string {
  return text
    .replace(/^.*\n/, "")
    .replace(/^exit=\d+\n(> ?\n?)?$/m, "")
    .trimEnd();
}

function linesFrom({ buffer, cols }: Terminal, first: number): string {
  let text = "";
  for (let row = first; row <= buffer.active.baseY + buffer.active.cursorY; row += 1) {
    const line = buffer.active.getLine(row);
    if (row > first && !line?.isWrapped) text += "\n";
    const wraps = buffer.active.getLine(row + 1)?.isWrapped ?? false;
    text += line?.translateToString(!wraps, 0, cols) ?? "";
  }
  return text;
}

function readRows({ buffer, rows }: Terminal): string[] {
  return Array.from(
    { length: rows },
    (_, row) => buffer.active.getLine(buffer.active.baseY + row)?.translateToString(true) ?? "",
  );
}

function readAllRows({ buffer }: Terminal): string[] {
  const rows = Array.from(
    { length: buffer.active.length },
    (_, row) => buffer.active.getLine(row)?.translateToString(true) ?? "",
  );
  return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
}
