import { Problem } from "#protocol/errors";
import type { Kay } from "../kay.ts";
import { MAX_INPUT_BYTES, readPipedInput } from "../terminal/piped-input.ts";
import { readTextFile, toDisplayName } from "./text-file.ts";

/** A file that joins a prompt. */
type NamedText = { name: string; text: string };

/**
 * Builds the prompt from the arguments, files and stdin. `-` as the prompt or as a file means stdin.
 *
 * @throws Problem USAGE before anything is sent, INVALID_REQUEST for too much on stdin
 */
export async function readAskRequest(
  kay: Kay,
  words: string[],
  names: string[],
): Promise<{ prompt: string; context?: Record<string, unknown> }> {
  const promptFromStdin = words.length === 1 && words[0] === "-";
  const fileFromStdin = names.some(isStdin);
  if (promptFromStdin && fileFromStdin)
    throw new Problem("USAGE", "stdin cannot be both the prompt and a file.", { hint: "Pass the prompt as text." });
  const typedPrompt = trimText(promptFromStdin ? "" : words.join(" "));
  if (!typedPrompt && fileFromStdin) throw createEmptyProblem();
  const files = await readFiles(
    kay,
    names.filter((name) => !isStdin(name)),
  );
  const piped = trimText(await readPipedInput(kay, { patient: promptFromStdin || fileFromStdin }));
  const prompt = typedPrompt || piped;
  if (!prompt) throw createEmptyProblem();
  const stdin = typedPrompt && piped ? { stdin: piped } : {};
  checkSize([...files.map(({ text }) => text), piped]);
  const context = { ...stdin, ...(files.length > 0 ? { files } : {}) };
  return { prompt, ...(Object.keys(context).length > 0 ? { context } : {}) };
}

/** `-`, and the system's names for stdin. */
function isStdin(name: string): boolean {
  return /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(name);
}

/** Returns the text, or "" if it has only control and invisible characters. */
function trimText(text: string): string {
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) ? text.trim() : "";
}

/** Lists each file once, under a unique name. */
async function readFiles(kay: Kay, names: string[]): Promise<NamedText[]> {
  const files: NamedText[] = [];
  for (const name of new Set(names)) {
    const text = await readTextFile(kay, name, MAX_INPUT_BYTES, "Attach it instead: `--attach FILE`.");
    const displayName = toDisplayName(kay.cwd, name);
    const count = files.filter((file) => file.name === displayName || file.name.startsWith(`${displayName} (`)).length;
    files.push({ name: count === 0 ? displayName : `${displayName} (${count + 1})`, text });
    checkSize(files.map((file) => file.text));
  }
  return files;
}

function checkSize(texts: string[]): void {
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (size > MAX_INPUT_BYTES)
    throw new Problem("USAGE", "Input is too large: files and stdin together exceed 1 MiB.", {
      hint: "Send fewer or smaller files.",
    });
}

function createEmptyProblem(): Problem {
  return new Problem("USAGE", "No prompt given.", {
    hint: 'Pass a question: kay ask "what is open in project KAY?"',
  });
}
