import type { Command } from "commander";
import type { HelpPage, HelpTable } from "./page.ts";

/**
 * Builds the pages of a tree of commands, each with the command lines that show it: `kay connect --help`, `kay help
 * connect`, and their aliases.
 *
 * @param topics names that `kay help` uses for topics
 */
export function buildHelpTable(program: Command, topics: readonly string[]): HelpTable {
  const table: HelpTable = { pages: [], lines: { "": 0, help: 0 } };
  const add = (command: Command, ways: string[]) => {
    const index = table.pages.push(getPage(command)) - 1;
    for (const way of ways) {
      table.lines[`${way} --help`.trim()] = index;
      if (!topics.includes(way)) table.lines[`help ${way}`.trim()] = index;
    }
    for (const child of command.commands) {
      const names = [child.name(), ...child.aliases()];
      add(
        child,
        ways.flatMap((way) => names.map((name) => `${way} ${name}`.trim())),
      );
    }
  };
  add(program, [""]);
  return table;
}

function getPage(command: Command): HelpPage {
  const help = command.createHelp();
  const listOptions = (from: ReturnType<typeof help.visibleOptions>) =>
    from.map((option): [string, string] => [help.optionTerm(option), help.optionDescription(option)]);
  const namedArguments = help.visibleArguments(command);
  const below = help.visibleCommands(command);
  const sections: HelpPage["sections"] = [
    ["Arguments:", namedArguments.map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)])],
    ["Options:", listOptions(help.visibleOptions(command))],
    ["Commands:", below.map((subcommand) => [help.subcommandTerm(subcommand), help.subcommandDescription(subcommand)])],
  ];
  return {
    usage: help.commandUsage(command),
    about: help.commandDescription(command),
    sections: sections.filter(([, items]) => items.length > 0),
    after: format(command).slice(command.helpInformation().length),
  };
}

/** Returns what the command prints for `--help`. */
function format(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (more) => {
      text += more;
    },
  });
  command.outputHelp();
  return text;
}
