import type { Terminal } from "#cli/terminal/terminal";

/** Which streams are a terminal, its width, and the input. */
export type TerminalSetting = {
  /** True for all three streams; none by default. */
  terminal?: boolean | ("stdin" | "stdout" | "stderr")[];
  columns?: number;
  rows?: number;
  /**
   * Data of a pipe or file, in these pieces; "silent" is a pipe that stays open without data. Ended and empty by
   * default.
   */
  stdin?: string | (string | Uint8Array)[] | ((signal: AbortSignal) => AsyncIterable<Uint8Array>);
  /**
   * What the user types when asked, one line per question; `null` is the end of the input, "\x03" Ctrl+C. Later input
   * is a promise, which does not answer a question that ended before. Then the user is silent.
   */
  types?: Typed[];
  /** Input typed before each question; lines with `\n`. */
  ahead?: string[];
  /** Keys pressed as soon as the terminal listens for them. */
  presses?: string[];
};

type Typed = string | null | Promise<string | null>;

export type FakeTerminal = Terminal & {
  written: { stdout: string; stderr: string; both: string };
  /** The user types: bytes for the listeners. */
  type(text: string): void;
  /** Whether kay reads keys; otherwise they reach the shell. */
  isRead(): boolean;
  /** The window gets another size. */
  resize(columns: number, rows: number): void;
  /** How often the process was stopped as a job; it continues at once. */
  stops: number;
};

/** A terminal of strings. `onStderr` is called with every text, as a user sees it. */
export function fakeTerminal(
  setting: TerminalSetting,
  onStderr: (text: string) => void,
  interrupt: () => void,
): FakeTerminal {
  const output = { stdout: "", stderr: "", both: "" };
  const isTerminal = (name: "stdin" | "stdout" | "stderr") =>
    Array.isArray(setting.terminal) ? setting.terminal.includes(name) : setting.terminal === true;
  const sink = (name: "stdout" | "stderr", onText: (text: string) => void) => ({
    isTerminal: isTerminal(name),
    columns: () => setting.columns ?? 80,
    rows: () => setting.rows ?? 24,
    onResize(listener: () => void) {
      resizing.add(listener);
      return () => resizing.delete(listener);
    },
    write(text: string) {
      output[name] += text;
      output.both += text;
      onText(text);
    },
  });
  const [typing, resizing, continuing] = [
    new Set<(bytes: Uint8Array) => void>(),
    new Set<() => void>(),
    new Set<() => void>(),
  ];
  const answers = [...(setting.types ?? [])];
  const ahead = [...(setting.ahead ?? [])];
  const readAll = (signal: AbortSignal) => pieces(setting.stdin ?? (isTerminal("stdin") ? "silent" : ""), signal);
  const terminal: FakeTerminal = {
    written: output,
    stops: 0,
    type(text) {
      for (const listener of typing) listener(new TextEncoder().encode(text));
    },
    isRead: () => typing.size > 0,
    resize(columns, rows) {
      Object.assign(setting, { columns, rows });
      for (const listener of resizing) listener();
    },
    modes(on, off, leave = () => {}) {
      output.stdout += on;
      let isOn = true;
      return () => {
        if (!isOn) return;
        isOn = false;
        leave();
        output.stdout += off;
      };
    },
    suspend() {
      terminal.stops += 1;
      for (const listener of continuing) listener();
    },
    onContinue(listener) {
      continuing.add(listener);
      return () => continuing.delete(listener);
    },
    stdout: sink("stdout", () => {}),
    stderr: sink("stderr", onStderr),
    stdin: {
      isTerminal: isTerminal("stdin"),
      read: readAll,
      bytes(onBytes) {
        typing.add(onBytes);
        setImmediate(() => {
          for (const key of setting.presses?.splice(0) ?? []) terminal.type(key);
        });
        return () => typing.delete(onBytes);
      },
      forget: async () => ahead.shift() ?? "",
      async line(signal, { show = () => {} } = {}) {
        show();
        if (!isTerminal("stdin")) return firstLine(readAll(signal));
        const [next] = answers.splice(0, 1);
        const answer = next instanceof Promise ? await Promise.race([next, waitForAbort(signal)]) : next;
        if (next instanceof Promise && signal.aborted) answers.unshift(next);
        if (answer === "\x03") interrupt();
        // A terminal shows what is typed.
        else if (typeof answer === "string") {
          output.stderr += `${answer}\n`;
          output.both += `${answer}\n`;
        }
        if (answer !== undefined && !signal.aborted) return answer;
        return waitForAbort(signal).then(() => null);
      },
    },
  };
  return terminal;
}

async function* pieces(input: NonNullable<TerminalSetting["stdin"]>, signal: AbortSignal): AsyncIterable<Uint8Array> {
  if (typeof input === "function") return yield* input(signal);
  if (input === "silent") return void (await waitForAbort(signal));
  for (const piece of typeof input === "string" ? [input] : input) {
    if (piece.length > 0) yield typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
  }
}

async function firstLine(chunks: AsyncIterable<Uint8Array>): Promise<string | null> {
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString("utf8");
  return text === "" ? null : (text.split(/[\r\n]/)[0] ?? "");
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** The readable text after lines were redrawn in place: what follows each line's last erasure. */
export function asSeen(text: string): string {
  return text
    .split("\n")
    .map((line) => line.split("\r\x1b[2K").at(-1))
    .join("\n");
}
