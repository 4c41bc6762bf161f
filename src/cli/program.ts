import { Command, Option } from "commander";
import { Problem } from "#protocol/errors";
import { answerCommand } from "./commands/answer.ts";
import { approvalsCommand } from "./commands/approvals.ts";
import { askCommand } from "./commands/ask.ts";
import { attachCommand } from "./commands/attach.ts";
import { completionCommand } from "./commands/completion.ts";
import { configCommand } from "./commands/config.ts";
import { confirmCommand } from "./commands/confirm.ts";
import { connectCommand } from "./commands/connect.ts";
import { connectionsCommand } from "./commands/connections.ts";
import { disconnectCommand } from "./commands/disconnect.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { helpCommand } from "./commands/help.ts";
import { logoutCommand } from "./commands/logout.ts";
import { modelCommand } from "./commands/model.ts";
import { pendingCommand } from "./commands/pending.ts";
import { policyCommand } from "./commands/policy.ts";
import { profileCommand } from "./commands/profile.ts";
import { serveCommand } from "./commands/serve.ts";
import { servicesCommand } from "./commands/services.ts";
import { sessionsCommand } from "./commands/sessions.ts";
import { toolsCommand } from "./commands/tools.ts";
import { tryCommand } from "./commands/try.ts";
import { whoamiCommand } from "./commands/whoami.ts";
import { unprotect } from "./dashes.ts";
import { helpWidth } from "./help/page.ts";
import type { GlobalFlags, Kay } from "./kay.ts";

/**
 * The whole tree of commands.
 *
 * @param aside gets what the parser would say on stderr: its errors, and the help of a group of commands that is called by itself
 * @param answer gets what it would say on stdout: help, and the version
 * @param words the command line: where its first word is a command, only that one is made. The whole tree costs as much as a request.
 */
export function buildProgram(
  kay: Kay,
  aside: (text: string) => void,
  answer: (text: string) => void = (text) => kay.terminal.stdout.write(text),
  words: readonly string[] = [],
): Command {
  const program = new Command("kay")
    .description("A terminal agent that works on your services, and asks before it changes anything.")
    .usage("<command> [options]")
    .version(kay.version, "-V, --version", "print the version")
    .option("--profile <name>", "use another profile (KAY_PROFILE)")
    .option("--json", "print one JSON document")
    .option("--jq <expr>", "print what jq makes of that document")
    .option("--no-input", "never ask; fail with what to type instead")
    .option("--no-browser", "print links, open nothing")
    .option("--timeout <time>", "end after this time in all: 30s, 5m, 1h")
    .option("-y, --yes", "answer yes to kay's own questions")
    .option("-q, --quiet", "only the answer, no progress")
    .option("--debug", "say more about what happens (KAY_DEBUG)")
    .addOption(new Option("--color <when>", "colour the output").choices(["auto", "always", "never"]))
    .helpCommand(false)
    .showSuggestionAfterError(true);
  for (const make of makersFor(words[0])) program.addCommand(make(kay));
  program.addHelpText(
    "after",
    "\nStart with `kay try` (a tour), or `kay connect jira`.\nMore: kay help exit-codes|environment|json|session|approvals|completion",
  );
  const common = program.options.filter(({ long }) => long !== "--version");
  applyToTree(program, (command) => {
    command.configureHelp({ showGlobalOptions: true, visibleGlobalOptions: (of) => (of.parent ? common : []) });
    command.exitOverride().configureOutput({
      writeOut: answer,
      writeErr: aside,
      getErrHelpWidth: () => helpWidth(kay.terminal.stdout.columns()),
      getOutHelpWidth: () => helpWidth(kay.terminal.stdout.columns()),
    });
  });
  program.hook("preAction", async (_, action) => {
    for (let each: Command | null = action; each; each = each.parent) unprotect(each);
    refuseEmpty(action);
    kay.flags = { ...kay.flags, ...(action.optsWithGlobals() as Partial<GlobalFlags>) };
    if (kay.flags.jq === undefined) return;
    const { filterOutput } = await import("./jq/filter.ts");
    await filterOutput(kay, kay.flags.jq);
  });
  return program;
}

/** `help` shows pages of all of them. */
function makersFor(word = ""): Iterable<(kay: Kay) => Command> {
  const meant = word !== "help" && Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  return meant ? [meant] : new Set(Object.values(COMMANDS));
}

/** By names and aliases, in the order of the help. */
const COMMANDS: Record<string, (kay: Kay) => Command> = {
  connect: connectCommand,
  connections: connectionsCommand,
  status: connectionsCommand,
  disconnect: disconnectCommand,
  ask: askCommand,
  attach: attachCommand,
  confirm: confirmCommand,
  pending: pendingCommand,
  answer: answerCommand,
  sessions: sessionsCommand,
  approvals: approvalsCommand,
  policy: policyCommand,
  services: servicesCommand,
  tools: toolsCommand,
  model: modelCommand,
  whoami: whoamiCommand,
  logout: logoutCommand,
  config: configCommand,
  profile: profileCommand,
  doctor: doctorCommand,
  serve: serveCommand,
  try: tryCommand,
  completion: completionCommand,
  help: helpCommand,
};

/** In a script, a name that is empty is a variable that nobody set. */
function refuseEmpty({ registeredArguments, processedArgs }: Command): void {
  const empty = registeredArguments.find(({ required }, at) => required && [processedArgs[at]].flat().includes(""));
  if (empty) throw new Problem("USAGE", `The ${empty.name()} is empty.`, { hint: "Check the variable it comes from." });
}

/** `exitOverride` and `configureOutput` are not inherited by `addCommand`: they are set on the whole tree. */
function applyToTree(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const child of command.commands) applyToTree(child, change);
}
