import { Command, CommanderError, Option } from "commander";
import { clean } from "#protocol/clean";
import { ERRORS, Problem } from "#protocol/errors";
import { shellWord } from "#protocol/shell";
import { answerCommand } from "./commands/answer.ts";
import { approvalsCommand } from "./commands/approvals.ts";
import { askCommand } from "./commands/ask.ts";
import { attachCommand } from "./commands/attach.ts";
import { configCommand } from "./commands/config.ts";
import { confirmCommand } from "./commands/confirm.ts";
import { connectCommand } from "./commands/connect.ts";
import { connectionsCommand } from "./commands/connections.ts";
import { disconnectCommand } from "./commands/disconnect.ts";
import { helpCommand } from "./commands/help.ts";
import { logoutCommand } from "./commands/logout.ts";
import { modelCommand } from "./commands/model.ts";
import { pendingCommand } from "./commands/pending.ts";
import { policyCommand } from "./commands/policy.ts";
import { serveCommand } from "./commands/serve.ts";
import { servicesCommand } from "./commands/services.ts";
import { sessionsCommand } from "./commands/sessions.ts";
import { toolsCommand } from "./commands/tools.ts";
import { tryCommand } from "./commands/try.ts";
import { whoamiCommand } from "./commands/whoami.ts";
import { protectText } from "./dashes.ts";
import type { GlobalFlags, Kay } from "./kay.ts";
import { wantsPlain } from "./terminal.ts";

/** Exit codes of signals, 128 + number (terminal.md). Output that nobody reads any more (`kay help | head -1`) is no failure. */
const SIGNAL_EXITS: Record<string, number> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 0 };

/**
 * Run one command line to its end.
 *
 * @param argv the arguments after `kay`
 * @returns the exit code of the table in terminal.md; never throws
 */
export async function run(argv: string[], kay: Kay): Promise<number> {
  kay.flags = readFlags(argv, kay.env);
  let said = "";
  const program = buildProgram(kay, (text) => {
    said += text;
  });
  const command = commandOf(argv, program);
  try {
    const work = program.parseAsync(command === "ask" ? argv.map(protectText) : argv, { from: "user" });
    await (command === "serve" ? work : Promise.race([work, overdue(kay)]));
    return kay.signal.aborted ? signalExit(kay) : kay.exit;
  } catch (error) {
    if (error instanceof CommanderError) return wordUsage(error, kay, command, said);
    return kay.signal.aborted ? signalExit(kay) : await wordError(error, kay);
  }
}

/** What cannot be ended after a signal is left to itself after a while. */
function overdue(kay: Kay): Promise<void> {
  return new Promise((resolve) => {
    const wait = () => void kay.clock.sleep(kay.graceMs).then(resolve, resolve);
    if (kay.signal.aborted) wait();
    else kay.signal.addEventListener("abort", wait, { once: true });
  });
}

/** The command that is meant, as far as it can be told before parsing. */
function commandOf(argv: string[], program: Command): string | undefined {
  const known = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  return argv.find((word) => known.includes(word));
}

/** @param aside gets what the parser would say on stderr: its errors, and the help of a group of commands that is called by itself */
function buildProgram(kay: Kay, aside: (text: string) => void): Command {
  const program = new Command("kay")
    .description("A terminal agent that works on your services, and asks before it changes anything.")
    .usage("<command> [options]")
    .version(kay.version, "-V, --version", "print the version")
    .option("--profile <name>", "use another profile (KAY_PROFILE)")
    .option("--json", "print one JSON document")
    .option("--no-input", "never ask; fail with what to type instead")
    .option("--no-browser", "print links, open nothing")
    .option("-y, --yes", "answer yes to kay's own questions")
    .option("-q, --quiet", "only the answer, no progress")
    .option("--debug", "say more about what happens (KAY_DEBUG)")
    .addOption(new Option("--color <when>", "colour the output").choices(["auto", "always", "never"]))
    .helpCommand(false)
    .showSuggestionAfterError(true);
  for (const make of COMMANDS) program.addCommand(make(kay));
  program.addHelpText(
    "after",
    "\nStart with `kay try` (a tour), or `kay connect jira`.\nMore: kay help exit-codes|environment|json|session|approvals",
  );
  const common = program.options.filter(({ long }) => long !== "--version");
  applyToTree(program, (command) => {
    command.configureHelp({ showGlobalOptions: true, visibleGlobalOptions: (of) => (of.parent ? common : []) });
    command.exitOverride().configureOutput({
      writeOut: (text) => kay.terminal.stdout.write(text),
      writeErr: aside,
      getErrHelpWidth: () => Math.min(kay.terminal.stdout.columns(), 100),
      getOutHelpWidth: () => Math.min(kay.terminal.stdout.columns(), 100),
    });
  });
  program.hook("preAction", (_, action) => {
    kay.flags = { ...kay.flags, ...(action.optsWithGlobals() as Partial<GlobalFlags>) };
  });
  return program;
}

const COMMANDS = [
  connectCommand,
  connectionsCommand,
  disconnectCommand,
  askCommand,
  attachCommand,
  confirmCommand,
  pendingCommand,
  answerCommand,
  sessionsCommand,
  approvalsCommand,
  policyCommand,
  servicesCommand,
  toolsCommand,
  modelCommand,
  whoamiCommand,
  logoutCommand,
  configCommand,
  serveCommand,
  tryCommand,
  helpCommand,
];

/** `exitOverride` and `configureOutput` are not inherited by `addCommand`: they are set on the whole tree. */
function applyToTree(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const child of command.commands) applyToTree(child, change);
}

/** Flags must be known before parsing ends, since an unknown option has to be reported as JSON too. */
function readFlags(argv: string[], env: Kay["env"]): GlobalFlags {
  const end = argv.indexOf("--");
  const given = new Set(end === -1 ? argv : argv.slice(0, end));
  return {
    json: given.has("--json"),
    quiet: given.has("--quiet") || given.has("-q"),
    debug: given.has("--debug"),
    input: !given.has("--no-input"),
    yes: given.has("--yes") || given.has("-y"),
    browser: !given.has("--no-browser"),
    plain: wantsPlain(env),
  };
}

/** What the parser found wrong. */
function wordUsage(error: CommanderError, kay: Kay, command: string | undefined, said: string): number {
  if (error.exitCode === 0) return 0;
  const isGroup = error.code === "commander.help";
  if (isGroup && !kay.flags.json) {
    kay.terminal.stdout.write(said);
    return 0;
  }
  const message = isGroup ? "a command is missing" : error.message.replace(/^error: /, "").replaceAll("\0", "");
  const [sentence = message, suggestion] = clean(message).split("\n");
  const isDashed = command === "ask" && error.code === "commander.unknownOption";
  const help = `Run \`kay help${command ? ` ${command}` : ""}\`.${isDashed ? " Text that begins with a dash goes after --." : ""}`;
  const hint = suggestion ? suggestion.replace(/^\(|\)$/g, "") : help;
  const words = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`.replace(/\.\.$/, ".");
  kay.out.fail(new Problem("USAGE", words, { hint }));
  return ERRORS.USAGE.exit;
}

/** The one place that words errors and chooses the exit code. */
async function wordError(error: unknown, kay: Kay): Promise<number> {
  if (error instanceof Problem) {
    // What was done before it failed is part of the answer; under --json it is in the document.
    if (!kay.flags.json && error.details.receipts) {
      const { showReceipts } = await import("./answer.ts");
      showReceipts(kay, error.details.receipts);
    }
    kay.out.fail(withServices(error));
    return error.exit;
  }
  return wordCrash(error, kay);
}

/** Words for an error that is a bug, also one that nothing caught. @returns the exit code */
export function wordCrash(error: unknown, kay: Kay): number {
  const message = error instanceof Error ? error.message : String(error);
  kay.out.fail(new Problem("INTERNAL", `Something in kay went wrong: ${message}`));
  if (kay.flags.debug || kay.env.KAY_DEBUG)
    kay.terminal.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  return ERRORS.INTERNAL.exit;
}

/** What to connect is named where the error knows it, and has no better advice. */
function withServices(problem: Problem): Problem {
  const { integrations } = problem.details;
  const services = (Array.isArray(integrations) ? integrations : []).filter((each) => typeof each === "string");
  if (services.length === 0 || problem.hint !== ERRORS[problem.code].hint) return problem;
  const hint = `Run \`kay connect ${services.map(shellWord).join(" ")}\`, then ask again.`;
  return new Problem(problem.code, problem.message, { details: problem.details, cause: problem.cause, hint });
}

function signalExit(kay: Kay): number {
  return SIGNAL_EXITS[String(kay.signal.reason)] ?? 130;
}
