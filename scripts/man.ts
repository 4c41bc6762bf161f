import type { EventEmitter } from "node:events";
import type { Command, Option } from "commander";
import { TOPICS } from "#cli/help/topics";
import { definitions, example, formatTerm, literal, page, paragraph, prose } from "./man/roff.ts";

/** kay's files on Linux, according to `src/client/paths.ts`. */
const FILES: [path: string, about: string][] = [
  [
    "~/.config/kay/config.json",
    "Settings by profile (`kay config path`). `KAY_CONFIG_DIR` and `XDG_CONFIG_HOME` move the folder.",
  ],
  ["~/.config/kay/credentials/", "Sign-ins, encrypted with a key from the keychain."],
  [
    "~/.local/state/kay/",
    "What was sent in sessions, values for completion, the log of kay's own backend (`XDG_STATE_HOME`).",
  ],
  ["~/.local/share/kay/", "Data of kay's own backend (`XDG_DATA_HOME`)."],
  ["~/.cache/kay/", "Compiled code (`XDG_CACHE_HOME`)."],
];

/**
 * Manual pages of section 1: `kay.1`, and one for each command. Two builds of one version are the same.
 *
 * @param program the tree of commands; only its texts are used
 * @returns names of files and their texts, in roff with the macros of man(7)
 */
export function manPages(program: Command, version: string): [file: string, text: string][] {
  const commands = listCommands(program);
  return [["kay.1", mainPage(program, version)], ...commands.map((command) => commandPage(command, program, version))];
}

function mainPage(program: Command, version: string): string {
  const commands = listCommands(program);
  const { text, examples } = afterHelp(program);
  return page([
    ...head("kay", program.description(), version),
    ".SH SYNOPSIS",
    `.B kay\n${prose("[common options] <command> [options]")}`,
    ".SH DESCRIPTION",
    paragraph(program.description()),
    ...text,
    ".SH COMMANDS",
    ...commands.map((command) => formatTerm(`\\fBkay\\-${literal(command.name())}\\fR(1)`, command.description())),
    ".SH OPTIONS",
    ...options(program),
    ...examples,
    ".SH EXIT STATUS",
    definitions(TOPICS["exit-codes"] ?? ""),
    ".SH ENVIRONMENT",
    definitions(TOPICS.environment ?? ""),
    ".SH FILES",
    paragraph("On Linux; `kay help environment` tells what moves them."),
    ...FILES.map(([path, about]) => formatTerm(`\\fI${literal(path)}\\fR`, about)),
    ".SH EXAMPLES",
    example([
      "kay try",
      "kay connect jira",
      'kay ask "what is open in project KAY?"',
      'kay ask --confirm "close KAY-3"',
    ]),
    ...seeAlso(commands),
  ]);
}

function commandPage(command: Command, program: Command, version: string): [string, string] {
  const name = `kay-${command.name()}`;
  const { text, examples } = afterHelp(command);
  const others = command.commands.length > 0 ? listCommands(command) : [];
  const lines = [
    ...head(name, command.description(), version),
    ".SH SYNOPSIS",
    ...[...(runs(command) ? [command] : []), ...others].map(synopsis),
    ".SH DESCRIPTION",
    paragraph(`${command.description()}.`),
    ...aliases(command),
    ...formatArguments(command),
    ...text,
    ...(others.length > 0 ? [".SH COMMANDS", ...others.flatMap(subcommand)] : []),
    ".SH OPTIONS",
    ...options(command),
    ".SH COMMON OPTIONS",
    ...options(program, ["--version", "--help"]),
    ...examples,
    ...seeAlso([]),
  ];
  return [`${name}.1`, page(lines)];
}

function head(name: string, about: string, version: string): string[] {
  const title = literal(name.toUpperCase());
  return [
    '.\\" Made from the commands of kay by its build.',
    `.TH "${title}" 1 "" "kay ${literal(version)}" "kay"`,
    ".nh\n.ad l",
    `.SH NAME\n${literal(name)} \\- ${prose(about.replace(/\.$/, ""))}`,
  ];
}

/** A group that also runs by itself. */
function runs(command: Command): boolean {
  return command.commands.length === 0 || command.options.length > 0;
}

function synopsis(command: Command): string {
  return `.B ${literal(buildPath(command).join(" "))}\n${prose(command.usage() || "[options]")}\n.br`;
}

function subcommand(command: Command): string[] {
  const { text, examples } = afterHelp(command);
  const about = command.description();
  return [
    `.SS "${literal(buildPath(command).join(" "))}"`,
    paragraph(`${about.charAt(0).toUpperCase()}${about.slice(1)}.`),
    ...formatArguments(command),
    ...options(command, ["--help"]),
    ...text,
    ...examples.slice(1),
  ];
}

function aliases(command: Command): string[] {
  const [alias] = command.aliases();
  return alias ? [paragraph(`\`kay ${alias}\` is the same.`)] : [];
}

function formatArguments(command: Command): string[] {
  const told = command.registeredArguments.filter(({ description }) => description);
  return told.map((argument) => formatTerm(`\\fI${literal(argument.name())}\\fR`, argument.description));
}

function options(command: Command, without: string[] = []): string[] {
  const all = command.createHelp().visibleOptions(command);
  return all.filter(({ long }) => !without.includes(long ?? "")).map(option);
}

function option(one: Option): string {
  const flags = one.flags.replace(/[A-Za-z0-9-]+|[<[].+[>\]]/g, (part) =>
    part.startsWith("-") ? `\\fB${literal(part)}\\fR` : `\\fI${literal(part)}\\fR`,
  );
  const choices = one.argChoices ? ` (${one.argChoices.join(", ")})` : "";
  const standard = typeof one.defaultValue === "string" || typeof one.defaultValue === "number";
  return formatTerm(flags, `${one.description}${choices}${standard ? ` (default: ${one.defaultValue})` : ""}`);
}

/** The help text below the options: its paragraphs and examples. */
function afterHelp(command: Command): { text: string[]; examples: string[] } {
  let said = "";
  const write = (text: string) => {
    said += text;
  };
  (command as unknown as EventEmitter).emit("afterHelp", { error: false, command, write });
  const blocks = said.trim() === "" ? [] : said.trim().split(/\n{2,}/);
  const isExample = (at: number) => /^Example/.test(blocks[at] ?? "") || /^ {2}/.test(blocks[at] ?? "");
  const text = blocks.filter((_, at) => !isExample(at)).map((block) => paragraph(block.replace(/\s+/g, " ")));
  const examples = blocks.filter((_, at) => isExample(at)).flatMap(exampleBlock);
  return { text, examples: examples.length > 0 ? [".SH EXAMPLES", ...examples] : [] };
}

/** `Examples:` is the section's own heading; any other words before an example are kept. */
function exampleBlock(block: string): string[] {
  const lines = block.split("\n");
  const code = lines.filter((line) => line.startsWith("  "));
  const words = lines.filter((line) => !line.startsWith("  ") && line !== "Examples:").join(" ");
  return [...(words ? [paragraph(words)] : []), ...(code.length > 0 ? [example(code)] : [])];
}

function seeAlso(commands: Command[]): string[] {
  const pages = ["kay", ...commands.map((command) => `kay-${command.name()}`)].slice(commands.length > 0 ? 1 : 0);
  return [".SH SEE ALSO", `${pages.map((page) => `\\fB${literal(page)}\\fR(1)`).join(",\n")}`];
}

function buildPath(command: Command): string[] {
  return command.parent ? [...buildPath(command.parent), command.name()] : [command.name()];
}

function listCommands(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}
