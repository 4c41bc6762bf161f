import { Command } from "commander";
import { Problem } from "#protocol/errors";
import type { OneShotOptions } from "../ask/one-shot.ts";
import type { Kay } from "../kay.ts";
import { readPiped } from "../piped.ts";
import { canHaveSession, greet, openSession } from "../session/open.ts";

type Options = OneShotOptions & { confirm?: boolean; plain?: boolean };

/** `kay ask "…"`: one question, one answer; without a question, on a terminal, a session. With `--confirm` nothing is done before a yes. */
export function askCommand(kay: Kay): Command {
  return new Command("ask")
    .description("Ask a question, or have something done; without one, a session")
    .argument("[prompt...]", "what you want; `-` reads it from stdin")
    .option("--confirm", "show what would be done and ask before anything is")
    .option("-c, --continue", "in the newest conversation")
    .option("-r, --resume <conversation>", "in this one: its id, its title, or latest")
    .option("--queue", "wait for what is under way in that conversation, instead of ending it")
    .option("--stream", "with --json: each part as a line of JSON, as it comes")
    .option("--plain", "only text, nothing redrawn: for screen readers (ACCESSIBLE=1)")
    .addHelpText(
      "after",
      `
Examples:
  $ kay ask                       # a session: ask, approve, go on
  $ kay ask -c                    # the newest one again
  $ kay ask "what is open in project KAY?"
  $ kay ask --confirm "close KAY-3"
  $ git log -5 | kay ask "create a task in KAY that reviews these commits"

Text from a pipe joins the prompt as context. What has to be approved, filled in
or connected first is asked about on a terminal; a script exits 8 and gets the
\`kay answer\` command. With --confirm it is a \`kay confirm\` command.`,
    )
    .action(async (words: string[], options: Options) => {
      checkOptions(kay, options);
      if (words.length === 0 && canHaveSession(kay) && !options.confirm && !options.queue) {
        greet(kay);
        // Whoever is not signed in yet does that in the session, with /connect.
        const link = await kay.link();
        const { conversationFor } = await import("../ask/conversation.ts");
        const resume = await conversationFor(link, options);
        return openSession(kay, link, { command: "kay ask", ...(resume === undefined ? {} : { resume }) });
      }
      const request = await readRequest(kay, words);
      const link = await kay.link({ signedIn: true });
      const body = { ...request, interactive: false, confirm: options.confirm ?? false };
      if (!options.confirm) {
        const { askOnce } = await import("../ask/one-shot.ts");
        return askOnce(kay, link, body, options);
      }
      const { conversationFor } = await import("../ask/conversation.ts");
      const session_id = await conversationFor(link, options);
      const answer = await link.api.ask({ ...body, ...(session_id ? { session_id } : {}) }, { signal: kay.signal });
      const { settle } = await import("../settle.ts");
      await settle(kay, link, answer);
    });
}

function checkOptions(kay: Kay, { stream, confirm, queue, continue: newest, resume }: Options): void {
  if (stream && !kay.flags.json) throw new Problem("USAGE", "--stream goes with --json.");
  if (confirm && (stream || queue)) throw new Problem("USAGE", "--confirm goes with neither --stream nor --queue.");
  if (newest && resume !== undefined)
    throw new Problem("USAGE", "--continue and --resume are two ways to say it; give one.");
}

/** The prompt from the arguments, and what a pipe adds to it. */
async function readRequest(kay: Kay, words: string[]): Promise<{ prompt: string; context?: Record<string, unknown> }> {
  const fromStdin = words.length === 1 && words[0] === "-";
  const typed = said(fromStdin ? "" : words.join(" "));
  const piped = said(await readPiped(kay, { patient: fromStdin }));
  if (typed && piped) return { prompt: typed, context: { stdin: piped } };
  const prompt = typed || piped;
  if (prompt) return { prompt };
  throw new Problem("USAGE", "There is nothing to ask.", {
    hint: 'Give a question: kay ask "what is open in project KAY?"',
  });
}

/** Control and invisible characters alone say nothing. */
function said(text: string): string {
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) ? text.trim() : "";
}
