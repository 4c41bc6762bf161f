import { Command } from "commander";
import { Problem } from "#protocol/errors";
import { type AllowOptions, checkAllowOptions, hasAllowOptions } from "../../ask/allow-list.ts";
import type { OneShotOptions } from "../../ask/once.ts";
import type { OutputOptions } from "../../ask/output.ts";
import type { Kay } from "../../kay.ts";
import { canHaveSession, openSession, showGreeting } from "../../session/open.ts";

type Options = OneShotOptions &
  OutputOptions &
  AllowOptions & { confirm?: boolean; plain?: boolean; file?: string[]; output?: string };

/** `kay ask "…"`: one question, one answer; without a question, on a terminal, a session. With `--confirm` nothing is done before a yes. */
export function createAskCommand(kay: Kay): Command {
  return new Command("ask")
    .description("Ask a question, or have something done; without one, a session")
    .argument("[prompt...]", "what you want; `-` reads it from stdin")
    .option("--confirm", "show what would be done and ask before anything is")
    .option("--dry-run", "say what would be done; nothing is sent")
    .option("--allow <tool[:place]>", "let these calls run without a yes, as slack.send_message:#ci", collect)
    .option("--allow-file <file>", "the same from a file, an entry on each line", collect)
    .option("-c, --continue", "in the newest conversation")
    .option("-r, --resume <conversation>", "in this one: its id, its title, or latest")
    .option("--queue", "wait for what is under way in that conversation, instead of ending it")
    .option("--stream", "with --json: each part as a line of JSON, as it comes")
    .option("--file <file>", "a text file that joins the prompt; repeat it for more (- is stdin)", collect)
    .option("--output-schema <file>", "answer with a JSON value that matches this JSON Schema")
    .option("--max-steps <number>", "end it after so many calls of the model, 1 to 20")
    .option("-o, --output <file>", "write the answer into this file")
    .option("--plain", "only text, nothing redrawn: for screen readers (ACCESSIBLE=1)")
    .addHelpText(
      "after",
      `
Examples:
  $ kay ask                       # a session: ask, approve, go on
  $ kay ask -c                    # the newest one again
  $ kay ask "what is open in project KAY?"
  $ kay ask --confirm "close KAY-3"
  $ kay ask --dry-run "close KAY-3"
  $ kay ask --allow slack.send_message:#ci "tell #ci that the build is green"
  $ git log -5 | kay ask "create a task in KAY that reviews these commits"
  $ kay ask "show the bugs in KAY" --output-schema bugs.schema.json -o bugs.json

Text from a pipe and files join the prompt as context. What has to be approved,
filled in or connected first is asked about on a terminal; a script exits 8 and
gets the \`kay answer\` command. With --confirm it is a \`kay confirm\` command.`,
    )
    .action(async (words: string[], options: Options) => {
      checkOptions(kay, options);
      if (words.length === 0 && canHaveSession(kay) && !isOneShot(options)) {
        showGreeting(kay);
        // Whoever is not signed in yet does that in the session, with /connect.
        const link = await kay.openBackend();
        const { findConversationId } = await import("../../ask/conversation.ts");
        const resume = await findConversationId(link, options);
        return openSession(kay, link, { command: "kay ask", ...(resume === undefined ? {} : { resume }) });
      }
      const { writeAnswerTo } = await import("../../ask/answer-file.ts");
      return writeAnswerTo(kay, options.output, () => askFor(kay, words, options));
    });
}

async function askFor(kay: Kay, words: string[], options: Options): Promise<void> {
  const { readAnswerLimits } = await import("../../ask/output.ts");
  const { fields, check } = await readAnswerLimits(kay, options);
  const { readAllowList } = await import("../../ask/allow-list.ts");
  const permits = await readAllowList(kay, options);
  const { readAskRequest } = await import("../../ask/context.ts");
  const request = await readAskRequest(kay, words, options.file ?? []);
  const link = await kay.openBackend({ signedIn: true });
  const body = { ...request, ...fields, ...permits, interactive: false, confirm: options.confirm ?? false };
  const { checkLimitsSupported } = await import("../../ask/allow-list.ts");
  await checkLimitsSupported(link, body);
  if (!options.confirm) {
    const { askOnce } = await import("../../ask/once.ts");
    return askOnce(kay, link, body, { ...options, check });
  }
  const { findConversationId } = await import("../../ask/conversation.ts");
  const session_id = await findConversationId(link, options);
  const answer = await link.api.ask({ ...body, ...(session_id ? { session_id } : {}) }, { signal: kay.signal });
  const { settleConfirmations } = await import("../../ask/settle.ts");
  await settleConfirmations(kay, link, answer, check);
}

/** What only one request can have, and no session. */
function isOneShot(options: Options): boolean {
  const { confirm, queue, file, output, outputSchema, maxSteps } = options;
  return (
    Boolean(confirm || queue || file || hasAllowOptions(options)) ||
    [output, outputSchema, maxSteps].some((each) => each !== undefined)
  );
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function checkOptions(kay: Kay, options: Options): void {
  const { stream, confirm, queue, continue: newest, resume, output } = options;
  checkAllowOptions(options);
  if (stream && !kay.flags.json) throw new Problem("USAGE", "--stream goes with --json.");
  if (confirm && (stream || queue)) throw new Problem("USAGE", "--confirm goes with neither --stream nor --queue.");
  if (stream && output !== undefined)
    throw new Problem("USAGE", "--stream and --output do not go together: a file is written when all of it is there.");
  if (newest && resume !== undefined)
    throw new Problem("USAGE", "--continue and --resume are two ways to say it; give one.");
}
