import { Problem } from "#protocol/errors";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Kay } from "../kay.ts";
import { openOutputTarget, writeOutput } from "../output/output-file.ts";

/**
 * Have the answer written into a file instead of to stdout: whole, when there is one, and otherwise not at all. Whether it can be written is
 * found out before `work` begins. What ends with another exit code than 0 is no answer: it is told on stdout, as without a file, and so is one
 * that could not be written after all.
 *
 * @param name as given; without one, and for stdout's own names, nothing is different
 * @throws Problem USAGE where it cannot be written, STORE_UNREADABLE where that shows at the end, and whatever `work` throws
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
    const hint = "It was done; `kay sessions show latest` shows the answer again.";
    throw new Problem("STORE_UNREADABLE", `${target.shown} could not be written (${code}).`, { hint, cause });
  });
  return exit;
}

const STDOUT = new Set(["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]);
