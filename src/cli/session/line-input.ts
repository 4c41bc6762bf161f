import { clean } from "#protocol/clean";
import type { Source, Terminal } from "../terminal/terminal.ts";

/** Input of a line session: texts to send, and answers to questions. Early input is buffered. */
export type LineInput = {
  /**
   * Input for questions. Only input typed after a question was shown answers it; the rest is kept for the next text.
   */
  source: Source;
  /**
   * Returns the next text to send. Lines typed while kay was running come first. `\` at the end of a line continues it,
   * `"""` begins and ends a text of several lines, and pasted lines are one text.
   * @returns null at the end of the input, and when `signal` ended the wait
   */
  text(signal: AbortSignal): Promise<string | null>;
  /** Drops buffered input. @returns whether there was any */
  clear(): boolean;
  /** Whether the input is at its end. */
  hasEnded(): boolean;
};

const MARK = "> ";
/** Prompt of a continued line. */
const MORE = ". ";
const FENCE = '"""';

/** Creates a {@link LineInput} that reads from the terminal and echoes to stderr. */
export function createLineInput({ stdin, stderr }: Terminal): LineInput {
  const lines: string[] = [];
  /** The beginning of a line. */
  let draft = "";
  let hasEnded = false;
  const keep = (input: string) => {
    const fullLines = (draft + input).split("\n");
    draft = fullLines.pop() ?? "";
    lines.push(...fullLines);
  };
  const next = async (mark: string, signal: AbortSignal): Promise<{ line: string; isBuffered: boolean } | null> => {
    if (!hasEnded && lines.length === 0) keep(await stdin.forget());
    const line = lines.shift();
    const show = () => stderr.write(mark + clean(line === undefined ? draft : `${line}\n`));
    if (line !== undefined || hasEnded) show();
    if (line !== undefined) return { line, isBuffered: true };
    const input = hasEnded ? null : await stdin.line(signal, { show });
    if (signal.aborted) return null;
    if (input === null) {
      hasEnded = true;
      stderr.write("\n");
      if (draft.trim() === "") return null;
    }
    const text = draft + (input ?? "");
    draft = "";
    return { line: text, isBuffered: false };
  };
  /** Returns the further lines of a paste, which arrive together. An unfinished line is not part of it. */
  const readPaste = async (signal: AbortSignal): Promise<string> => {
    const dropped = await stdin.forget();
    keep(dropped);
    if (!dropped.includes("\n")) return "";
    const rest = lines.splice(0);
    if (draft !== "") rest.push((await next(MORE, signal))?.line ?? "");
    return rest.map((line) => `\n${line}`).join("");
  };
  const text = async (signal: AbortSignal): Promise<string | null> => {
    const first = await next(MARK, signal);
    if (first === null) return null;
    if (first.line.trimStart().startsWith(FENCE)) return readFence(first.line.trimStart().slice(FENCE.length), signal);
    if (first.line.endsWith("\\")) return readContinuation(first.line, signal);
    const isCommand = /^\/[a-z]/.test(first.line);
    return first.isBuffered || isCommand ? first.line : first.line + (await readPaste(signal));
  };
  const readFence = async (first: string, signal: AbortSignal): Promise<string | null> => {
    let text = first;
    while (!text.trimEnd().endsWith(FENCE)) {
      const nextLine = await next(MORE, signal);
      if (nextLine === null) return signal.aborted ? null : text.trim();
      text += `\n${nextLine.line}`;
    }
    return text.trimEnd().slice(0, -FENCE.length).trim();
  };
  const readContinuation = async (first: string, signal: AbortSignal): Promise<string | null> => {
    let text = first;
    while (text.endsWith("\\")) {
      const nextLine = await next(MORE, signal);
      if (nextLine === null) return signal.aborted ? null : text.slice(0, -1);
      text = `${text.slice(0, -1)}\n${nextLine.line}`;
    }
    return text;
  };
  return {
    text,
    hasEnded: () => hasEnded,
    clear() {
      const hadInput = lines.length > 0 || draft.trim() !== "";
      lines.length = 0;
      draft = "";
      return hadInput;
    },
    source: {
      isTerminal: stdin.isTerminal,
      read: stdin.read,
      // A line session has no keys.
      bytes: () => () => {},
      forget: async () => {
        const count = lines.length;
        if (!hasEnded) keep(await stdin.forget());
        if (draft.trim() !== "") stderr.write(`\nkept for your next message: ${clean(draft)}\n`);
        else if (lines.length > count) stderr.write("\nkept: your input is sent after this.\n");
        return "";
      },
      line: async (signal, question) => {
        if (hasEnded) return null;
        const line = await stdin.line(signal, question);
        if (line === null && !signal.aborted) hasEnded = true;
        return line;
      },
    },
  };
}
