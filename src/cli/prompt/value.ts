import { Problem } from "#protocol/errors";
import type { Kay } from "../kay.ts";
import { readPipedInput } from "../terminal/piped-input.ts";
import { canPrompt } from "./confirm.ts";

/**
 * Reads a value from stdin: other users can see a command line, and the shell records it. On a terminal, it asks.
 *
 * @param patient waits for a pipe that is silent at first
 * @throws Problem USAGE without one
 */
export async function readTypedValue(
  kay: Kay,
  { label, patient, hint }: { label: string; patient: boolean; hint: string },
): Promise<string> {
  const { stdin, stderr } = kay.terminal;
  const missing = new Problem("USAGE", "No value given.", { hint });
  if (stdin.isTerminal && !canPrompt(kay)) throw missing;
  const without = "nothing was set (use `-` as the value to keep waiting)";
  const text = stdin.isTerminal
    ? await stdin.line(kay.signal, { show: () => stderr.write(`${label}: `) })
    : (await readPipedInput(kay, { patient, without })).split(/[\r\n]/)[0];
  if (!text?.trim()) throw missing;
  return text;
}
