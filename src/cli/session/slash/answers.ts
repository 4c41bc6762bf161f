import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import { formatWrites, listWrites, NO_WRITES_TEXT } from "../../commands/log/run.ts";
import { findOwnLink } from "../../commands/open/run.ts";
import { openLinks } from "../../consent/open-links.ts";
import type { SlashContext } from "./command.ts";

/** Number of changes that a small window shows. */
const LISTED = 10;

/** Handles `/log` and `/log SERVICE`. */
export async function runLog({ kay, link, say }: SlashContext, argument: string): Promise<void> {
  const service = argument === "" ? {} : { service: argument.toLowerCase() };
  const { writes, has_more } = await listWrites(link, { limit: LISTED, ...service });
  if (writes.length === 0) return say(NO_WRITES_TEXT);
  // The newest comes last, next to the input.
  const text = formatWrites(kay, writes.reverse());
  say(has_more ? `\`kay log\` lists older ones.\n\n${text}` : text);
}

/** Handles `/open OBJECT`. */
export async function runOpen({ kay, link, say }: SlashContext, argument: string): Promise<void> {
  if (argument === "") throw new Problem("USAGE", "Specify what to open: /open KAY-1, or /open latest.");
  const { url } = await findOwnLink(kay, link, argument);
  say(toLine(url));
  await openLinks(kay, [url], say);
}

/** Maximum size of a copied text in bytes; terminals drop longer ones. */
const MAX_BYTES = 70_000;

/** Handles `/copy`: puts the last answer into the clipboard. */
export async function runCopy({ kay, lastAnswer, write, say }: SlashContext): Promise<void> {
  const answer = clean(lastAnswer()).trim();
  if (answer === "") throw new Problem("USAGE", "There is no answer to copy yet.", { hint: "" });
  if (Buffer.byteLength(answer) > MAX_BYTES)
    throw new Problem("USAGE", "The answer is too long for the clipboard of a terminal.", {
      hint: "Use /export to write the conversation to a file.",
    });
  say(await kay.copy("the last answer", answer, write));
}
