import { Problem } from "#protocol/errors";
import { EXIT, type ExitCode } from "../command.ts";
import type { Kay } from "../kay.ts";
import { openOutputTarget, writeOutput } from "../output/output-file.ts";

/**
 * Writes the answer to a file instead of stdout: whole, or not at all. Whether the file can be written is checked
 * before `work` begins. If the exit code is not 0, or the file cannot be written at the end, the answer goes to stdout.
 * @param name as given; without one, and for stdout's own names, nothing changes
 * @throws Problem USAGE when it cannot be written, STORE_UNREADABLE when that shows at the end, and whatever `work`
 * throws
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
