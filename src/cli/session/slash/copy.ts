import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { SlashContext } from "./command.ts";

/** Terminals drop longer texts. */
const MAX_BYTES = 70_000;

/** `/copy`: puts the last answer into the clipboard. */
export async function runCopy({ kay, lastAnswer, write, say }: SlashContext): Promise<void> {
  const answer = clean(lastAnswer()).trim();
  if (answer === "") throw new Problem("USAGE", "There is no answer to copy yet.", { hint: "" });
  if (Buffer.byteLength(answer) > MAX_BYTES)
    throw new Problem("USAGE", "The answer is too long for the clipboard of a terminal.", {
      hint: "Use /export to write the conversation to a file.",
    });
  say(await kay.copy("the last answer", answer, write));
}
