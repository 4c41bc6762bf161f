import { suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import { Command } from "../command.ts";
import { TOPICS } from "../help/topics.ts";
import type { Kay } from "../kay.ts";

/** Creates `kay help [command or topic]` and `kay help json <command>`, which prints the JSON Schema of its output. */
export function createHelpCommand(kay: Kay): Command {
  const names = Object.keys(TOPICS);
  const command = new Command("help")
    .description(`Show help for a command, or for a topic: ${names.join(", ")}`)
    .argument("[name...]", "Command or topic; `json <command>` prints the JSON Schema of its output");
  return command.action(async ([name = "", ...subcommands]: string[]) => {
    const program = command.parent;
    if (!program) return;
    if (name === "json" && subcommands.length > 0) {
      const target = getCommand(program, subcommands);
      return showSchema(kay, target ? getName(target).split(" ").slice(1) : subcommands);
    }
    const topic = subcommands.length === 0 && Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
    if (topic && kay.flags.json) return kay.out.writeJson({ topic: name, text: topic.trim() });
    if (topic) return showTopic(kay, topic.trim());
    const words = name === "" ? [] : [name, ...subcommands];
    const match = getCommand(program, words);
    if (match) return kay.flags.json ? kay.out.writeJson(getDocument(match)) : match.outputHelp();
    const knownNames = [...names, ...program.commands.map((command) => command.name())];
    throw new Problem("USAGE", `Unknown command or topic ${JSON.stringify(words.join(" "))}.`, {
      hint:
        suggestName(name, knownNames, (close) => `\`kay help ${close}\``) ||
        "Run `kay help` to list commands and topics.",
    });
  });
}

/** Wraps the topic to the terminal's width; prints it unchanged elsewhere. */
async function showTopic(kay: Kay, text: string): Promise<void> {
  const { stdout } = kay.terminal;
  if (!stdout.isTerminal) return kay.out.writeLine(text);
  const { formatTopic } = await import("../help/format-topic.ts");
  await kay.out.writeText(formatTopic(text, Math.min(stdout.columns(), 100)));
}

/**
 * Returns the help page of the command that the words name as one document. Ignores words after the last known command.
 */
export function toHelpDocument(program: Command, words: string[]): Record<string, unknown> {
  const findCommand = (from: Command, [word, ...rest]: string[]): Command => {
    const command = from.commands.find((command) => command.name() === word || command.aliases().includes(word ?? ""));
    return command ? findCommand(command, rest) : from;
  };
  return getDocument(
    findCommand(
      program,
      words.filter((word) => !word.startsWith("-")),
    ),
  );
}

function getCommand(from: Command, [word, ...rest]: string[]): Command | undefined {
  if (word === undefined) return from;
  const command = from.commands.find((command) => command.name() === word || command.aliases().includes(word));
  return command && getCommand(command, rest);
}

async function showSchema(kay: Kay, words: string[]): Promise<void> {
  const name = words.join(" ");
  const file = /^[\w -]+$/.test(name) ? await kay.readPackageFile(`dist/schemas/${words.join("-")}.json`) : "";
  if (file) return kay.out.writeJson(JSON.parse(file));
  const names = Object.keys(JSON.parse((await kay.readPackageFile("dist/schemas/index.json")) || "{}"));
  throw new Problem("USAGE", `No JSON Schema for ${JSON.stringify(name)}.`, {
    hint: suggestName(name, names, (close) => `\`kay help json ${close}\``) || `Schemas exist for ${names.join(", ")}.`,
  });
}

/** Converts a help page to one document. */
function getDocument(command: Command): Record<string, unknown> {
  const help = command.createHelp();
  const toEntry = (command: Command) => ({ name: getName(command), description: command.description() });
  return {
    name: getName(command),
    description: command.description(),
    usage: help.commandUsage(command),
    arguments: command.registeredArguments.map((argument) => ({
      flags: argument.name(),
      description: argument.description,
    })),
    options: help.visibleOptions(command).map(({ flags, description }) => ({ flags, description })),
    commands: help.visibleCommands(command).map(toEntry),
    text: command.helpInformation(),
  };
}

function getName(command: Command): string {
  return command.parent ? `${getName(command.parent)} ${command.name()}` : command.name();
}
