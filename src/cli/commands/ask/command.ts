import { Problem } from "#protocol/errors";
import { type AllowOptions, checkAllowOptions, hasAllowOptions } from "../../ask/allow-list.ts";
import { parseApprovalOption, readAskChoices } from "../../ask/choices.ts";
import type { OneShotOptions } from "../../ask/once.ts";
import type { OutputOptions } from "../../ask/output.ts";
import type { ExitCode } from "../../command.ts";
import { Command, collectValues } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import { canHaveSession, openSession, showGreeting } from "../../session/open.ts";
import { isCi } from "../../terminal/terminal.ts";

type Options = OneShotOptions &
  OutputOptions &
  AllowOptions & {
    background?: boolean;
    confirm?: boolean;
    model?: string;
    approvalTimeout?: number;
    plain?: boolean;
    file?: string[];
    attach?: string[];
    output?: string;
  };

/** Options as typed: `--resume` alone is true. */
type RawOptions = Omit<Options, "resume"> & { resume?: string | true };

/**
 * Creates `kay ask`, which answers one question. Without a question it starts a session. `--confirm` changes nothing
 * before the user approves it; a session is then in plan mode.
 */
export function createAskCommand(kay: Kay): Command {
  return new Command("ask")
    .description("Ask a question or give kay a task; start a session if you give neither")
    .argument("[prompt...]", "Question or task; use `-` to read it from stdin")
    .option("--confirm", "Show the plan and ask before doing anything")
    .option("--dry-run", "Show what would change without changing anything")
    .option(
      "--allow <tool[:place]>",
      "Pre-approve a tool, optionally for one target (slack.send_message:#ci)",
      collectValues,
    )
    .option("--allow-file <file>", "Read pre-approved tools from a file, one per line", collectValues)
    .option("-c, --continue", "Continue the most recent conversation")
    .option(
      "-r, --resume [conversation]",
      "Continue a conversation by ID, title, or `latest` (default: choose from a list)",
    )
    .option("--queue", "Wait for the running request in that conversation instead of canceling it")
    .option("--background", "Print the conversation ID and let the request run without this terminal")
    .option("--stream", "Stream the answer as JSON Lines (requires --json)")
    .option("--file <file>", "Add a text file to the prompt; can be repeated (use `-` for stdin)", collectValues)
    .option("--attach <file>", "Attach a picture, a PDF or another file; can be repeated", collectValues)
    .option("--output-schema <file>", "Answer with JSON that matches this JSON Schema")
    .option("--model <name>", "Answer with this model (provider:model, provider, or offline)")
    .option("--max-steps <number>", "Stop after this many model calls (1 to 20)")
    .option("--approval-timeout <time>", "How long approvals wait for an answer: 30m, 24h, 7d", parseApprovalOption)
    .option("-o, --output <file>", "Write the answer to a file")
    .option("--plain", "Print plain text that is never redrawn, for screen readers (ACCESSIBLE=1)")
    .addHelpText(
      "after",
      `
Examples:
  $ kay ask                       # start a session
  $ kay ask -c                    # continue the last session
  $ kay ask -r                    # choose a conversation to continue
  $ kay ask "what is open in project KAY?"
  $ kay ask --confirm "close KAY-3"
  $ kay ask --confirm             # start a session in plan mode
  $ kay ask --dry-run "close KAY-3"
  $ kay ask --background "summarise the open bugs in KAY in #general"
  $ kay ask --allow slack.send_message:#random "tell #random the build is green"
  $ git log -5 | kay ask "summarize these commits"  # needs a language model
  $ kay ask "what is wrong here?" --attach screenshot.png
  $ kay ask "show the bugs in KAY" --output-schema bugs.schema.json -o bugs.json

Files and piped text are added to the prompt as context. A model that reads
pictures or PDFs gets attached ones; kay can attach each file to Jira issues,
Slack messages and emails. On a terminal, kay asks for approvals, missing fields
and connections. In a script it exits 8 and prints the \`kay answer\` command to
run, or \`kay confirm\` with --confirm.`,
    )
    .action(async (words: string[], givenOptions: RawOptions) => {
      checkOptions(kay, givenOptions);
      const options = await chooseConversation(kay, givenOptions);
      if (options.model !== undefined) kay.choices.model = options.model;
      if (options.approvalTimeout !== undefined) kay.choices.approvalTimeout = options.approvalTimeout;
      if (words.length === 0 && canHaveSession(kay) && !isOneShot(options)) {
        if (options.confirm) kay.choices.plan = true;
        showGreeting(kay);
        // A session does not require a sign-in: /connect signs in.
        const link = await kay.openBackend();
        const { findConversationId } = await import("../../ask/conversation.ts");
        const resume = await findConversationId(link, options);
        return openSession(kay, link, { command: "kay", ...(resume === undefined ? {} : { resume }) });
      }
      const { writeAnswerTo } = await import("../../ask/answer-file.ts");
      return rememberPrompt(kay, words, () => writeAnswerTo(kay, options.output, () => askFor(kay, words, options)));
    });
}

/** Lets the user choose the conversation that `--resume` alone means. */
async function chooseConversation(kay: Kay, { resume, ...options }: RawOptions): Promise<Options> {
  if (resume !== true) return { ...options, ...(resume === undefined ? {} : { resume }) };
  const { canPick } = await import("../../prompt/pick.ts");
  if (!canPick(kay))
    throw new Problem("USAGE", "Option '-r, --resume <conversation>' argument missing.", {
      hint: "Run `kay help ask`.",
    });
  const { pickConversation } = await import("../../ask/conversation.ts");
  return { ...options, resume: await pickConversation(kay, await kay.openBackend({ signedIn: true })) };
}

async function askFor(kay: Kay, words: string[], options: Options): Promise<ExitCode> {
  const { readAnswerLimits } = await import("../../ask/output.ts");
  const { fields, check } = await readAnswerLimits(kay, options);
  const { readAllowList } = await import("../../ask/allow-list.ts");
  const permits = await readAllowList(kay, options);
  const { readAskRequest } = await import("../../ask/context.ts");
  const request = await readAskRequest(kay, words, options.file ?? []);
  const { readAttachments } = await import("../../ask/attachments.ts");
  const attachments = await readAttachments(kay, options.attach ?? []);
  const link = await kay.openBackend({ signedIn: true });
  const { askForTrust } = await import("../../context/trust.ts");
  await askForTrust(kay);
  const { isAliasCall, readPrompt } = await import("../../ask/read-prompt.ts");
  const body = {
    ...request,
    ...attachments,
    ...(isAliasCall(words) ? await readPrompt(kay, link, ...words) : {}),
    ...fields,
    ...permits,
    ...(await readAskChoices(kay, link)),
    interactive: false,
    confirm: options.confirm ?? false,
  };
  const { checkLimitsSupported } = await import("../../ask/allow-list.ts");
  await checkLimitsSupported(link, body);
  if (options.background) return (await import("../../ask/background.ts")).askInBackground(kay, link, body, options);
  if (!options.confirm) {
    const { askOnce } = await import("../../ask/once.ts");
    return askOnce(kay, link, body, { ...options, check });
  }
  const { findConversationId } = await import("../../ask/conversation.ts");
  const session_id = await findConversationId(link, options);
  const answer = await link.api.ask({ ...body, ...(session_id ? { session_id } : {}) }, { signal: kay.signal });
  const { settleConfirmations } = await import("../../ask/settle.ts");
  return settleConfirmations(kay, link, answer, check);
}

/** How long a request waits at its end for a history that another process locks, in ms. */
const HISTORY_LIMIT_MS = 200;

/** Adds a prompt that a user typed to the history of sessions, while it is answered. */
async function rememberPrompt(kay: Kay, words: string[], answer: () => Promise<ExitCode>): Promise<ExitCode> {
  if (words.join("") === "-" || !kay.terminal.stderr.isTerminal || isCi(kay.env)) return answer();
  const saved = kay.history.add(words.join(" ")).catch(() => {});
  try {
    return await answer();
  } finally {
    await Promise.race([saved, kay.clock.sleep(HISTORY_LIMIT_MS)]);
  }
}

/** Returns whether an option applies to a single request only, so no session can start. */
function isOneShot(options: Options): boolean {
  const { background, queue, file, attach, output, outputSchema, maxSteps } = options;
  return (
    Boolean(background || queue || file || attach || hasAllowOptions(options)) ||
    [output, outputSchema, maxSteps].some((option) => option !== undefined)
  );
}

function checkOptions(kay: Kay, options: RawOptions): void {
  const { background, stream, confirm, queue, continue: newest, resume, output } = options;
  checkAllowOptions(options);
  if (background && (confirm || stream || output !== undefined))
    throw new Problem("USAGE", "--background cannot be combined with --confirm, --stream or --output.", {
      hint: "`kay attach <conversation> --json` streams it later.",
    });
  if (stream && !kay.flags.json) throw new Problem("USAGE", "--stream requires --json.");
  if (confirm && (stream || queue))
    throw new Problem("USAGE", "--confirm cannot be combined with --stream or --queue.");
  if (stream && output !== undefined)
    throw new Problem(
      "USAGE",
      "--stream cannot be combined with --output, which writes the file only when the answer is complete.",
    );
  if (newest && resume !== undefined) throw new Problem("USAGE", "Use either --continue or --resume, not both.");
}
