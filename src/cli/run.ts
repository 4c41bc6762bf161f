import { CommanderError } from "commander";
import { clean } from "#protocol/clean";
import { suggestName } from "#protocol/closest-name";
import { ERRORS, Problem, toProblemBody } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { Command } from "./command.ts";
import { EXIT, type ExitCode } from "./command.ts";
import { toHelpDocument } from "./commands/help.ts";
import type { GlobalFlags, Kay } from "./kay.ts";
import { completeAlias, completeCommandLine, OTHER_WORDS } from "./other-words.ts";
import { useJsonLines } from "./output/json-lines-mode.ts";
import { buildProgram, COMMAND_NAMES, escapeLeadingDash } from "./program.ts";
import { canHaveSession } from "./session/open.ts";
import { wantsPlain } from "./terminal/terminal.ts";
import { createTimeLimit, isTimedOut, isTimedOutProblem, timedOutProblem } from "./time-limit.ts";

/** Exit codes of signals, 128 + number. A closed reader (`kay help | head -1`) is not a failure. */
const SIGNAL_EXITS: Record<string, number> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 0 };

/**
 * Runs one command line.
 *
 * @param typed the arguments after `kay`
 * @returns the exit code of docs/scripting.md; never throws
 */
export async function run(typed: string[], kay: Kay): Promise<number> {
  kay.flags = readFlags(typed, kay.env);
  const argv = await readCommandLine(typed, kay);
  const outputs = { aside: "", help: "" };
  const keep = (where: keyof typeof outputs) => (text: string) => {
    outputs[where] += text;
  };
  const program = buildProgram(kay, keep("aside"), keep("help"), argv);
  const command = getCommand(argv, program);
  if (kay.flags.json && (command === "attach" || (command === "ask" && argv.includes("--stream"))))
    useJsonLines(kay, () => undefined);
  const limit = createTimeLimit(kay);
  program.hook("preAction", (_, action) => limit.begin(action));
  let exit: ExitCode = EXIT.ok;
  program.hook("postAction", (_, action: Command) => {
    exit = action.exit ?? EXIT.ok;
  });
  try {
    const work = program.parseAsync(argv.map(escapeLeadingDash), { from: "user" });
    await (command === "serve" ? work : Promise.race([work, awaitShutdownGrace(kay)]));
    await showHelp(kay, outputs.help);
  } catch (error) {
    if (error instanceof CommanderError) return await wordUsage(error, kay, { program, argv, command, ...outputs });
    await kay.out.flush().catch(() => {});
    return kay.signal.aborted ? await toEnd(kay, error) : await wordError(error, kay);
  } finally {
    limit.end();
  }
  return await settle(kay, exit);
}

/** A missing folder has no aliases. Commands that need the folder report it. */
async function readCommandLine(words: string[], kay: Kay): Promise<string[]> {
  const argv = completeCommandLine(words, COMMAND_NAMES, canHaveSession(kay));
  return await completeAlias(kay, argv, COMMAND_NAMES).catch(() => argv);
}

/** If the filter fails, the command's own failure takes precedence. */
async function settle(kay: Kay, returned: ExitCode): Promise<number> {
  let exit: number = returned;
  try {
    await kay.out.flush();
  } catch (error) {
    const failed = kay.signal.aborted ? EXIT.ok : await wordError(error, kay);
    exit ||= failed;
  }
  return kay.signal.aborted ? await toEnd(kay) : exit;
}

/**
 * A signal needs no message, only a document with `--json` of what had arrived. A timeout needs a message; the
 * command's own takes precedence.
 */
async function toEnd(kay: Kay, error?: unknown): Promise<number> {
  if (!isTimedOut(kay)) {
    if (kay.flags.json && kay.flags.jq === undefined && error instanceof Problem && error.details.receipts)
      kay.out.writeJson({ status: "error", ...toProblemBody(error) });
    return signalExit(kay);
  }
  return await wordError(isTimedOutProblem(error) ? error : timedOutProblem(kay), kay);
}

/** Work that cannot be ended after a signal is abandoned after a while. */
function awaitShutdownGrace(kay: Kay): Promise<void> {
  return new Promise((resolve) => {
    const wait = () => void kay.clock.sleep(kay.shutdownGraceMs).then(resolve, resolve);
    if (kay.signal.aborted) wait();
    else kay.signal.addEventListener("abort", wait, { once: true });
  });
}

/** Guesses the command before parsing. */
function getCommand(argv: string[], program: Command): string | undefined {
  const names = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  return argv.find((word) => names.includes(word));
}

/** Flags must be known before parsing ends, because an unknown option must be reported as JSON too. */
function readFlags(argv: string[], env: Kay["env"]): GlobalFlags {
  const end = argv.indexOf("--");
  const flags = new Set(end === -1 ? argv : argv.slice(0, end));
  const filters = [...flags].some((word) => word === "--jq" || word.startsWith("--jq="));
  return {
    json: flags.has("--json") || filters,
    // The parser finds the expression later; until then, a failure has no document.
    ...(filters ? { jq: "." } : {}),
    quiet: flags.has("--quiet") || flags.has("-q"),
    debug: flags.has("--debug"),
    input: !flags.has("--no-input"),
    yes: flags.has("--yes") || flags.has("-y"),
    browser: !flags.has("--no-browser"),
    plain: wantsPlain(env),
  };
}

/** The command being parsed, and the parser's output: `aside` on stderr, `help` on stdout. */
type Parsing = { program: Command; argv: string[]; command: string | undefined; aside: string; help: string };

/** Handles the parser's error. Help and the version are answers. */
async function wordUsage(error: CommanderError, kay: Kay, parsing: Parsing): Promise<number> {
  const { program, argv, command, aside, help } = parsing;
  const isGroup = error.code === "commander.help";
  if (error.exitCode === 0 || (isGroup && !kay.flags.json)) {
    const isVersion = error.code === "commander.version";
    if (kay.flags.json)
      return showDocument(kay, argv, isVersion ? { version: kay.version } : toHelpDocument(program, argv));
    await showHelp(kay, isGroup ? aside : help);
    return 0;
  }
  const message = isGroup ? "a command is missing" : error.message.replace(/^error: /, "").replaceAll("\0", "");
  // The parser puts its suggestion on a separate line. The typed text may have several lines too.
  const text = wordExcess(message, program);
  const [, reason = text, suggestion] = /^(.*?)(?:\n\((.+\?)\))?$/s.exec(text) ?? [];
  const sentence = clean(reason, { lines: false });
  const isDashed = command === "ask" && error.code === "commander.unknownOption";
  const advice = `Run \`kay help${command ? ` ${command}` : ""}\`.${isDashed ? " Put text that begins with a dash after --." : ""}`;
  const [, unknown = ""] = /^unknown command '([^']*)'/.exec(reason) ?? [];
  const meant = Object.hasOwn(OTHER_WORDS, unknown) && argv.includes(unknown) ? OTHER_WORDS[unknown] : undefined;
  const question =
    argv.length === 1 && /^[\p{L}\p{N}-]+$/u.test(unknown)
      ? ` To ask it, run \`kay ask ${quoteShellWord(unknown)}\`.`
      : "";
  const hint = meant ?? `${suggestion ? clean(suggestion, { lines: false }) : advice}${question}`;
  const words = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`.replace(/\.\.$/, ".");
  kay.out.writeError(new Problem("USAGE", words, { hint }));
  return ERRORS.USAGE.exit;
}

/** Names the first word too many. After a command with subcommands, it is an unknown one. Other messages are kept. */
function wordExcess(message: string, program: Command): string {
  const [, name, expected, words = ""] =
    /^too many arguments for '([^']*)'\. Expected (\d+) .*?: (.*?)\.?$/s.exec(message) ?? [];
  const word = words.split(", ")[Number(expected)];
  if (word === undefined) return message;
  const names =
    program.commands.find((command) => command.name() === name)?.commands.map((command) => command.name()) ?? [];
  if (names.length === 0) return `unexpected argument '${word}'`;
  const question = suggestName(word, names);
  return `unknown command '${word}'${question && `\n(${question})`}`;
}

async function showHelp(kay: Kay, text: string): Promise<void> {
  if (text === "") return;
  const { fitHelpPage } = await import("./help/narrow.ts");
  await kay.out.writeText(fitHelpPage(text.replace(/\n$/, ""), kay.terminal.stdout.columns()));
}

/** Returns the document of the parser's own answer, before `--jq` is known. */
async function showDocument(kay: Kay, argv: string[], document: unknown): Promise<number> {
  const index = argv.findIndex((word) => word === "--jq" || word.startsWith("--jq="));
  const expression = argv[index]?.startsWith("--jq=") ? argv[index].slice("--jq=".length) : argv[index + 1];
  try {
    if (index >= 0) await (await import("./output/jq/filter.ts")).applyJqFilter(kay, expression ?? "");
    kay.out.writeJson(document);
  } catch (error) {
    return wordError(error, kay);
  }
  return settle(kay, EXIT.ok);
}

/** The one place that formats errors and chooses the exit code. */
async function wordError(error: unknown, kay: Kay): Promise<number> {
  if (error instanceof Problem) {
    // Receipts from before the failure are part of the answer; with --json they are in the document.
    if (!kay.flags.json && error.details.receipts) {
      const { showReceipts } = await import("./ask/show-answer.ts");
      showReceipts(kay, error.details.receipts);
    }
    kay.out.writeError(withServices(error));
    return error.exit;
  }
  return reportCrash(error, kay);
}

/** Reports an error that is a bug, including an uncaught one. @returns the exit code */
export function reportCrash(error: unknown, kay: Kay): number {
  // It may quote what a backend sent.
  const message = clean(error instanceof Error ? error.message : String(error));
  kay.out.writeError(new Problem("INTERNAL", `Internal error: ${message}`));
  if (kay.flags.debug || kay.env.KAY_DEBUG)
    kay.terminal.stderr.write(`${clean(String(error instanceof Error ? error.stack : error))}\n`);
  return ERRORS.INTERNAL.exit;
}

/** Names the services to connect if the error has them and no better hint. */
function withServices(problem: Problem): Problem {
  const { integrations } = problem.details;
  const services = (Array.isArray(integrations) ? integrations : []).filter((command) => typeof command === "string");
  if (services.length === 0 || problem.hint !== ERRORS[problem.code].hint) return problem;
  const hint = `Run \`kay connect ${services.map(quoteShellWord).join(" ")}\`, then ask again.`;
  return new Problem(problem.code, problem.message, { details: problem.details, cause: problem.cause, hint });
}

function signalExit(kay: Kay): number {
  return SIGNAL_EXITS[String(kay.signal.reason)] ?? 130;
}
