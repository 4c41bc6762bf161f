import { Problem } from "#protocol/errors";
import { EXIT, type ExitCode } from "../command.ts";
import type { Kay } from "../kay.ts";
import { openOutputTarget, writeOutput } from "../output/output-file.ts";

/**
 * Writes the answer to a file instead of stdout, atomically. Checks before `work` whether the file can be written. If
 * the exit code is not 0, or writing fails at the end, the answer goes to stdout.
 *
 * @param name the file; without one, and for names of stdout, nothing changes
 * @throws Problem USAGE if it cannot be written, STORE_UNREADABLE if writing fails at the end, and all errors of `work`
 */
export async function writeAnswerTo(
  kay: Kay,
  name: string | undefined,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  if (name === undefined || STDOUT.has(name)) return work();
  const target = await openOutputTarget(kay.cwd, name);
  const { stdout } = kay.terminal;
  const answer: string[] = [];
  kay.terminal.stdout = { ...stdout, isTerminal: false, write: (text) => void answer.push(text) };
  let exit: ExitCode;
  try {
    exit = await work();
  } finally {
    kay.terminal.stdout = stdout;
  }
  const text = answer.join("");
  if (exit !== EXIT.ok || kay.signal.aborted) {
    stdout.write(text);
    return exit;
  }
  await writeOutput(target, text).catch((cause: unknown) => {
    if (!kay.flags.json) stdout.write(text);
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    const hint = "The request was completed. Run `kay sessions show latest` to see the answer.";
    throw new Problem("STORE_UNREADABLE", `Could not write ${target.label} (${code}).`, { hint, cause });
  });
  return exit;
}

const STDOUT = new Set(["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]);
