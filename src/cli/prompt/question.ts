import { Problem } from "#protocol/errors";
import { formatTimeLeft, toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { wrapSentences } from "../output/wrap.ts";
import { isCi, isInteractive, type Source } from "../terminal/terminal.ts";

/**
 * Asks before an action that cannot be undone. `--yes` answers it.
 *
 * @param otherwise advice if kay cannot prompt: "Use --yes."
 * @throws Problem INPUT_REQUIRED without a terminal, with `--no-input`, or in CI
 */
export async function confirmOrThrow(kay: Kay, question: string, otherwise: string): Promise<boolean> {
  if (kay.flags.yes) return true;
  if (!canPrompt(kay)) {
    const reason = isCi(kay.env) ? "this is CI" : kay.flags.input ? "this is not a terminal" : "--no-input is set";
    throw new Problem("INPUT_REQUIRED", `${question} Cannot prompt: ${reason}.`, { hint: otherwise });
  }
  return promptYesNo(kay, question);
}

/** Prints a question on the terminal. Only a `y` or `yes` typed after it was shown approves. */
export async function promptYesNo(kay: Kay, question: string): Promise<boolean> {
  await kay.terminal.stdin.forget();
  const show = () => writePrompt(kay, `${question} ${kay.out.paint("dim", "[y/N]", "stderr")} `);
  const answer = await kay.terminal.stdin.line(kay.signal, { show });
  if (answer === null) kay.terminal.stderr.write("\n");
  if (kay.signal.aborted) throw new Problem("CANCELLED", "Canceled.");
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

/** Whether kay can prompt in this run. */
export function canPrompt(kay: Kay): boolean {
  return isInteractive(kay.terminal, kay.env, !kay.flags.input);
}

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
    const timeLeft = ends > 0 ? ` (${formatTimeLeft(ends)} left)` : "";
    const reply = (await promptLine(kay, `${text}${timeLeft}: `, signal)).toLowerCase();
    const key = reply && keys.find((choice) => choice.startsWith(reply === "no" ? "n" : reply));
    if (key) return key;
    if (reply) writeNotice(kay, `${JSON.stringify(toLine(reply))} is not one of ${keys.join(", ")}.`);
  }
}

/**
 * Reads a further line of an answer. Input typed or pasted with the previous line counts.
 * @throws as {@link question}
 */
export function promptNextLine(kay: Kay, signal: AbortSignal): Promise<string> {
  return read(kay, signal, { more: true });
}

/** Prints a line beside a prompt. */
export function writeNotice(kay: Kay, text: string): void {
  const { stderr } = kay.terminal;
  stderr.write(`${stderr.isTerminal ? wrapSentences(text, stderr.columns()) : text}\n`);
}

/** Prints a question, wrapped between words; the cursor stays behind it. */
function writePrompt(kay: Kay, text: string): void {
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
