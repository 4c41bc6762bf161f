import { Problem } from "#protocol/errors";
import type { Kay } from "../kay.ts";
import { canPrompt } from "../prompt/question.ts";

/** How long an open pipe may stay silent before it is ignored, in ms. */
const SILENCE_MS = 3_000;
/** Maximum size of input as context for a question, in bytes. */
export const MAX_INPUT_BYTES = 1024 * 1024;

/**
 * Reads stdin if it is a pipe or a file. A pipe that is silent for 3 s is ignored, with a line on stderr, unless
 * `patient` (the prompt is `-`); `without` describes the consequence. Removes a byte order mark and surrounding white
 * space.
 */
export async function readPipedInput(
  kay: Kay,
  { patient, without = "asking without it (`kay ask -` waits)" }: { patient: boolean; without?: string },
): Promise<string> {
  if (kay.terminal.stdin.isTerminal && !(patient && canPrompt(kay))) return "";
  const silence = new AbortController();
  const signal = AbortSignal.any([kay.signal, silence.signal]);
  const timer = new AbortController();
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (!patient) {
    void kay.clock.sleep(SILENCE_MS, timer.signal).then(
      () => chunks.length === 0 && silence.abort(),
      () => {},
    );
  }
  try {
    for await (const chunk of kay.terminal.stdin.read(signal)) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > MAX_INPUT_BYTES) {
        throw new Problem("INVALID_REQUEST", "stdin is larger than 1 MiB.", { hint: "Send less." });
      }
    }
  } finally {
    timer.abort();
  }
  if (kay.signal.aborted) throw new Problem("CANCELLED", "Canceled.");
  if (silence.signal.aborted) kay.out.writeProgress(`No input on stdin for 3 s; ${without}.`);
  return decodeInput(Buffer.concat(chunks)).trim();
}

/** Decodes stdin. Refuses bytes that are not text, which the model would get as replacement characters. */
function decodeInput(bytes: Uint8Array): string {
  const text = decodeText(bytes, { fatal: true });
  // Control characters alone count as empty.
  if (text !== undefined && !(text.includes("\0") && /[^\p{C}\s]/u.test(text))) return text;
  throw new Problem("USAGE", "stdin is not text: it must be UTF-8.", {
    hint: "Convert it first, for example with `iconv -f latin1 -t utf-8`.",
  });
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, which Windows writes (`>` of PowerShell 5). With `fatal`, undefined
 * for anything else.
 */
export function decodeText(bytes: Uint8Array, { fatal = false } = {}): string | undefined {
  const [first, second] = bytes;
  const wide = first === 0xff && second === 0xfe ? "utf-16le" : "utf-16be";
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  try {
    return new TextDecoder(isWide ? wide : "utf-8", { fatal }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads a value from stdin, because command lines are visible to other users and recorded by the shell. Prompts on a
 * terminal.
 *
 * @param patient waits for a pipe that is silent at first
 * @throws Problem USAGE without a value
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
