import { Problem } from "#protocol/errors";
import { formatTimeLeft, toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { wrapSentences } from "../output/wrap.ts";
import type { Source } from "../terminal/terminal.ts";

/**
 * Asks a question on the terminal and reads one line. Only input typed after the question was shown counts.
 *
 * @param signal ends the question if its card is closed elsewhere
 * @throws Problem CANCELLED after Ctrl+C, INTERACTION_CLOSED if `signal` ended it, INPUT_REQUIRED at the end of the
 * input
 */
export async function promptLine(kay: Kay, text: string, signal: AbortSignal): Promise<string> {
  await kay.terminal.stdin.forget();
  return (await read(kay, signal, { show: () => writePrompt(kay, text) })).trim();
}

/** A question that is answered by single keys or words. `until` is its deadline, in ISO 8601. */
export type KeyQuestion = { text: string; keys: string[]; until?: string | undefined };

/** Asks until a key or the start of its word is typed, and reports other input. "no" is "n". */
export async function promptKey(kay: Kay, { text, keys, until }: KeyQuestion, signal: AbortSignal): Promise<string> {
  for (;;) {
    const ends = Date.parse(until ?? "") - kay.clock.now();
    const left = ends > 0 ? ` (${formatTimeLeft(ends)} left)` : "";
    const typed = (await promptLine(kay, `${text}${left}: `, signal)).toLowerCase();
    const key = typed && keys.find((each) => each.startsWith(typed === "no" ? "n" : typed));
    if (key) return key;
    if (typed) writeNotice(kay, `${JSON.stringify(toLine(typed))} is not one of ${keys.join(", ")}.`);
  }
}

/**
 * Reads a further line of an answer. Input typed or pasted with the previous line counts.
 * @throws as {@link question}
 */
export function promptNextLine(kay: Kay, signal: AbortSignal): Promise<string> {
  return read(kay, signal, { more: true });
}

/** Prints a line for the user who is asked. */
export function writeNotice(kay: Kay, text: string): void {
  const { stderr } = kay.terminal;
  stderr.write(`${stderr.isTerminal ? wrapSentences(text, stderr.columns()) : text}\n`);
}

/** Prints a question, wrapped between words; the cursor stays behind it. */
export function writePrompt(kay: Kay, text: string): void {
  const { stderr } = kay.terminal;
  const words = text.trimEnd();
  const end = text.slice(words.length);
  stderr.write(stderr.isTerminal ? wrapSentences(words, stderr.columns() - end.length) + end : text);
}

async function read(kay: Kay, signal: AbortSignal, question: Parameters<Source["line"]>[1]): Promise<string> {
  const { stdin, stderr } = kay.terminal;
  const answer = signal.aborted ? null : await stdin.line(AbortSignal.any([kay.signal, signal]), question);
  if (answer === null || kay.signal.aborted || signal.aborted) stderr.write("\n");
  if (kay.signal.aborted) throw new Problem("CANCELLED", "Canceled.");
  if (signal.aborted) throw new Problem("INTERACTION_CLOSED", "It was answered elsewhere.");
  if (answer === null) throw new Problem("INPUT_REQUIRED", "The input ended before you answered.");
  return answer;
}
