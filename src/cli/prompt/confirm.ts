import { Problem } from "#protocol/errors";
import type { Kay } from "../kay.ts";
import { isCi, isInteractive } from "../terminal/terminal.ts";
import { writePrompt } from "./line.ts";

/**
 * Asks before something that cannot be undone. `--yes` answers it.
 * @param otherwise what to type if kay cannot prompt: "Use --yes."
 * @throws Problem INPUT_REQUIRED without a terminal, with `--no-input`, or in CI
 */
export async function confirmOrThrow(kay: Kay, question: string, otherwise: string): Promise<boolean> {
  if (kay.flags.yes) return true;
  if (!canPrompt(kay)) {
    const why = isCi(kay.env) ? "this is CI" : kay.flags.input ? "this is not a terminal" : "--no-input was given";
    throw new Problem("INPUT_REQUIRED", `${question} Cannot prompt: ${why}.`, { hint: otherwise });
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

/** Whether a person can be asked anything in this run. */
export function canPrompt(kay: Kay): boolean {
  return isInteractive(kay.terminal, kay.env, !kay.flags.input);
}
