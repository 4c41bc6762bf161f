import { Command } from "commander";
import { Problem } from "#protocol/errors";
import { unprotect } from "../dashes.ts";
import type { Kay } from "../kay.ts";
import { readPiped } from "../piped.ts";

type Options = { confirm?: boolean };

/** `kay ask "…"`: one question, one answer. With `--confirm` nothing is done before a yes. */
export function askCommand(kay: Kay): Command {
  return new Command("ask")
    .description("Ask a question, or have something done")
    .argument("[prompt...]", "what you want; `-` reads it from stdin")
    .option("--confirm", "show what would be done and ask before anything is")
    .addHelpText(
      "after",
      `
Examples:
  $ kay ask "what is open in project KAY?"
  $ kay ask --confirm "close KAY-3"
  $ git log -5 | kay ask "create a task in KAY that reviews these commits"

Text from a pipe joins the prompt as context. In a script, --confirm prints the
confirmation and exits 8; \`kay confirm TOKEN --approve\` then carries it out.`,
    )
    .action(async (words: string[], options: Options) => {
      const request = await readRequest(kay, words.map(unprotect));
      const link = await kay.link({ signedIn: true });
      const body = { ...request, interactive: false, confirm: options.confirm ?? false };
      const answer = await link.api.ask(body, { signal: kay.signal });
      const { settle } = await import("../settle.ts");
      await settle(kay, link, answer);
    });
}

/** The prompt from the arguments, and what a pipe adds to it. */
async function readRequest(kay: Kay, words: string[]): Promise<{ prompt: string; context?: Record<string, unknown> }> {
  const fromStdin = words.length === 1 && words[0] === "-";
  const typed = fromStdin ? "" : words.join(" ").trim();
  const piped = await readPiped(kay, { patient: fromStdin });
  if (typed && piped) return { prompt: typed, context: { stdin: piped } };
  const prompt = typed || piped;
  if (prompt) return { prompt };
  throw new Problem("USAGE", "There is nothing to ask.", {
    hint: 'Give a question: kay ask "what is open in project KAY?"',
  });
}
