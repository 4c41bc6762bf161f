import { Option } from "commander";
import { Problem } from "#protocol/errors";
import { Command } from "./command.ts";
import { createAliasCommand } from "./commands/alias/command.ts";
import { createAnswerCommand } from "./commands/answer/command.ts";
import { createApprovalsCommand } from "./commands/approvals/command.ts";
import { createAskCommand } from "./commands/ask/command.ts";
import { createAttachCommand } from "./commands/attach/command.ts";
import { createCompletionCommand } from "./commands/completion.ts";
import { createConfigCommand } from "./commands/config.ts";
import { createConfirmCommand } from "./commands/confirm.ts";
import { createConnectCommand } from "./commands/connect/command.ts";
import { createConnectionsCommand } from "./commands/connections.ts";
import { createContextCommand } from "./commands/context/command.ts";
import { createDisconnectCommand } from "./commands/disconnect.ts";
import { createDoctorCommand } from "./commands/doctor/command.ts";
import { createEveryCommand } from "./commands/every/command.ts";
import { createHelpCommand } from "./commands/help.ts";
import { createLogCommand } from "./commands/log/command.ts";
import { createLogoutCommand } from "./commands/logout.ts";
import { createMcpCommand } from "./commands/mcp/command.ts";
import { createModelCommand } from "./commands/model/command.ts";
import { createOpenCommand } from "./commands/open/command.ts";
import { createInboxCommand, createPendingCommand } from "./commands/pending/command.ts";
import { createPolicyCommand } from "./commands/policy/command.ts";
import { createProfileCommand } from "./commands/profile/command.ts";
import { createServeCommand } from "./commands/serve/command.ts";
import { createServicesCommand } from "./commands/services/command.ts";
import { createSessionsCommand } from "./commands/sessions/command.ts";
import { createTokenCommand } from "./commands/token/command.ts";
import { createToolsCommand } from "./commands/tools/command.ts";
import { createTryCommand } from "./commands/try/command.ts";
import { createWhoamiCommand } from "./commands/whoami.ts";
import { EXAMPLES } from "./help/examples.ts";
import { getHelpWidth } from "./help/page.ts";
import type { GlobalFlags, Kay } from "./kay.ts";

/**
 * Builds the tree of commands.
 * @param aside receives what the parser writes to stderr: its errors, and the help of a group without a command
 * @param answer receives what it writes to stdout: help, and the version
 * @param words the command line. If its first word is a command, only that one is built, because the whole tree costs
 * as much as a request.
 */
export function buildProgram(
  kay: Kay,
  aside: (text: string) => void,
  answer: (text: string) => void = (text) => kay.terminal.stdout.write(text),
  words: readonly string[] = [],
): Command {
  const program = new Command("kay")
    .description("Work with Jira, Slack, GitHub and more from your terminal. kay asks before it changes anything.")
    .usage("[command] [options]")
    .version(kay.version, "-V, --version", "Print the version")
    .option("--profile <name>", "Use another profile (KAY_PROFILE)")
    .option("--json", "Print the result as JSON")
    .option("--jq <expr>", "Filter the JSON with a jq expression")
    .option("--no-input", "Never prompt; fail and say which command to run instead")
    .option("--no-browser", "Print links instead of opening a browser")
    .option("--timeout <time>", "Stop the command after this long: 30s, 5m, 1h")
    .option("-y, --yes", "Answer yes to prompts that are not approvals")
    .option("-q, --quiet", "Print only the answer, without progress")
    .option("--debug", "Print debug output (KAY_DEBUG)")
    .addOption(new Option("--color <when>", "When to use color").choices(["auto", "always", "never"]))
    .helpCommand(false)
    .showSuggestionAfterError(true);
  for (const make of listMakers(words[0])) program.addCommand(make(kay));
  program.addHelpText(
    "after",
    '\nRun `kay` to start a session, or `kay "what is open in KAY?"` to ask a question.\nRun `kay try` for a guided tour, or `kay connect jira` to get started.\nTopics of `kay help`: exit-codes environment json session approvals completion',
  );
  applyToTree(program, (command) => {
    if (command.parent) command.addHelpText("after", formatHelpEnd(command));
    command
      .helpOption("-h, --help", "Show help")
      .exitOverride()
      .configureOutput({
        writeOut: answer,
        writeErr: aside,
        getErrHelpWidth: () => getHelpWidth(kay.terminal.stdout.columns()),
        getOutHelpWidth: () => getHelpWidth(kay.terminal.stdout.columns()),
      });
  });
  program.hook("preAction", async (_, action) => {
    for (let ancestor: Command | null = action; ancestor; ancestor = ancestor.parent) unescapeArguments(ancestor);
    refuseEmpty(action);
    kay.flags = { ...kay.flags, ...(action.optsWithGlobals() as Partial<GlobalFlags>) };
    if (kay.flags.jq === undefined) return;
    const { applyJqFilter } = await import("./output/jq/filter.ts");
    await applyJqFilter(kay, kay.flags.jq);
  });
  return program;
}

/** The end of every help page: examples, if its text has none, and where the global options are. */
function formatHelpEnd(command: Command): string {
  const lines = listExamples(command);
  const examples = lines.length > 0 ? `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}` : "";
  return `${examples}\nRun \`kay --help\` for global options such as --json and --profile.`;
}

function listExamples(command: Command): readonly string[] {
  const group = command.parent?.parent ? command.parent.name() : "";
  if (group === "") return EXAMPLES[command.name()] ?? [];
  const name = `${group} ${command.name()}`;
  return EXAMPLES[name] ?? (EXAMPLES[group] ?? []).filter((line) => `${line} `.startsWith(`kay ${name} `));
}

/** `help` shows the pages of all commands. */
function listMakers(word = ""): Iterable<(kay: Kay) => Command> {
  const command = word !== "help" && Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  return command ? [command] : new Set(Object.values(COMMANDS));
}

/** Commands by names and aliases, in the order of the help. */
const COMMANDS: Record<string, (kay: Kay) => Command> = {
  connect: createConnectCommand,
  connections: createConnectionsCommand,
  status: createConnectionsCommand,
  disconnect: createDisconnectCommand,
  ask: createAskCommand,
  attach: createAttachCommand,
  confirm: createConfirmCommand,
  pending: createPendingCommand,
  inbox: createInboxCommand,
  answer: createAnswerCommand,
  every: createEveryCommand,
  log: createLogCommand,
  open: createOpenCommand,
  sessions: createSessionsCommand,
  approvals: createApprovalsCommand,
  policy: createPolicyCommand,
  services: createServicesCommand,
  tools: createToolsCommand,
  model: createModelCommand,
  whoami: createWhoamiCommand,
  logout: createLogoutCommand,
  token: createTokenCommand,
  config: createConfigCommand,
  alias: (kay) => createAliasCommand(kay, COMMAND_NAMES),
  context: createContextCommand,
  profile: createProfileCommand,
  doctor: createDoctorCommand,
  serve: createServeCommand,
  mcp: createMcpCommand,
  try: createTryCommand,
  completion: createCompletionCommand,
  help: createHelpCommand,
};

/** Every command, and its aliases. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** In a script, an empty name is an unset variable. */
function refuseEmpty({ registeredArguments, processedArgs }: Command): void {
  const empty = registeredArguments.find(
    ({ required }, index) => required && [processedArgs[index]].flat().includes(""),
  );
  if (empty)
    throw new Problem("USAGE", `The ${empty.name()} is empty.`, {
      hint: "Check that the variable it comes from is set.",
    });
}

/** `exitOverride` and `configureOutput` are not inherited by `addCommand`: they are set on the whole tree. */
function applyToTree(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const child of command.commands) applyToTree(child, change);
}

/**
 * Protects a text with a space that begins with a dash ("- summarise this"), which is not an option. A NUL, which no
 * argv can hold, marks it for the parser; `unescapeArguments` removes it.
 */
export function escapeLeadingDash(argument: string): string {
  return /^-[^=]*\s/.test(argument) ? `\0${argument}` : argument;
}

/** Removes the marks of `escapeLeadingDash` from the arguments and option values of a command. */
function unescapeArguments(command: Command): void {
  command.processedArgs = command.processedArgs.map(removeMark);
  for (const [name, value] of Object.entries(command.opts()))
    command.setOptionValueWithSource(name, removeMark(value), command.getOptionValueSource(name));
}

function removeMark(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeMark);
  return typeof value === "string" && value.startsWith("\0") ? value.slice(1) : value;
}
