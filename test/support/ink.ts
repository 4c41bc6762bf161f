import { Terminal } from "@xterm/headless";
import { onTestFinished } from "vitest";
import type { FakeTerminal } from "./fake-terminal.ts";
import type { Machine, Result, RunSetting } from "./kay.ts";

/** A session on a terminal, as its user sees it. */
export type Ink = {
  terminal: FakeTerminal;
  /** The session's end. */
  result: Promise<Result>;
  /** Type it, in one go. */
  type(text: string): void;
  /** Presses keys that answer a card after it was visible for a while, like a user. */
  press(keys: string): Promise<void>;
  /** Types a line and presses Enter. */
  enter(text: string): void;
  /**
   * Waits until the whole terminal, including scrollback, shows this. Returns its rows, joined. Fails after ten
   * seconds.
   */
  shows(expected: string | RegExp): Promise<string>;
  /** Waits until the window shows this. */
  sees(expected: string | RegExp): Promise<string>;
  /** Waits until the window no longer shows this. */
  sheds(unwanted: string | RegExp): Promise<string>;
  /** Everything in the terminal, and the content of its window. */
  all(): Promise<string>;
  window(): Promise<string>;
  /** All output, unchanged. */
  raw(): string;
  /** Leaves like a user, and waits for the end. */
  leave(): Promise<Result>;
};

/** How long a test waits for visible text, in ms of real time. */
const PATIENCE_MS = 25_000;

/** How long a user looks at a card before answering. */
const LOOKING_MS = 1_200;

/** Opens a session with this command line. */
export async function openInk(machine: Machine, line: string, setting: RunSetting = {}): Promise<Ink> {
  const opened = Promise.withResolvers<FakeTerminal>();
  const result = machine(line, {
    terminal: true,
    ...setting,
    env: { NO_COLOR: "1", TERM: "xterm-256color", ...setting.env },
    at: opened.resolve,
  });
  const terminal = await opened.promise;
  const [cols, rows] = [setting.columns ?? 80, setting.rows ?? 24];
  const emulator = new Terminal({ cols, rows, scrollback: 5_000, allowProposedApi: true, convertEol: true });
  onTestFinished(() => emulator.dispose());
  let fed = 0;
  const feed = async () => {
    const text = terminal.written.both.slice(fed);
    fed += text.length;
    await new Promise<void>((resolve) => emulator.write(text, resolve));
  };
  const readRows = async (from: () => number) => {
    await feed();
    const buffer = emulator.buffer.active;
    const lines = Array.from({ length: buffer.length - from() }, (_, rowIndex) => buffer.getLine(from() + rowIndex));
    const text = lines.map((line) => line?.translateToString(true) ?? "").join("\n");
    return text.trimEnd();
  };
  const all = () => readRows(() => 0);
  const window = () => readRows(() => emulator.buffer.active.baseY);
  const until = async (look: () => Promise<string>, isSo: (text: string) => boolean, subject: string) => {
    const since = performance.now();
    for (;;) {
      const text = await look();
      if (isSo(text)) return text;
      if (performance.now() - since > PATIENCE_MS) throw new Error(`${subject}; the terminal has:\n${await all()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const has = (expected: string | RegExp) => (text: string) =>
    typeof expected === "string" ? text.includes(expected) : expected.test(text);
  const ink: Ink = {
    terminal,
    result,
    type: terminal.type,
    press: async (keys) => {
      await machine.place.clock.sleep(LOOKING_MS);
      terminal.type(keys);
    },
    enter: (text) => terminal.type(`${text}\r`),
    shows: (expected) => until(all, has(expected), `${expected} never came`),
    sees: (expected) => until(window, has(expected), `${expected} was never in the window`),
    sheds: (unwanted) => until(window, (text) => !has(unwanted)(text), `${unwanted} stayed`),
    all,
    window,
    raw: () => terminal.written.both,
    leave: async () => {
      terminal.type("\x15");
      terminal.type("\x04");
      return result;
    },
  };
  return ink;
}
