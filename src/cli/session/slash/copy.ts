import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { formatClipboard } from "../../terminal/notification.ts";
import type { SlashContext } from "./command.ts";

/** Terminals drop longer texts. */
const MAX_BYTES = 70_000;

/** `/copy`: puts the last answer into the clipboard of the terminal (OSC 52). */
export async function runCopy({ lastAnswer, write, say }: SlashContext): Promise<void> {
  const answer = clean(lastAnswer()).trim();
  if (answer === "") throw new Problem("USAGE", "There is no answer to copy yet.", { hint: "" });
  if (Buffer.byteLength(answer) > MAX_BYTES)
    throw new Problem("USAGE", "The answer is too long for the clipboard of a terminal.", {
      hint: "Use /export to write the conversation to a file.",
    });
  write(formatClipboard(answer));
  say("Copied the last answer (if your terminal supports it).");
}
