import type { Argument, Command, Option } from "commander";
import { type Entry, SETTINGS } from "#client/settings/table";
import { TOPICS } from "../topics.ts";
import { slotOf } from "./kinds.ts";
import type { ArgumentEntry, CommandEntry, OptionEntry, Table, Value } from "./table.ts";

/**
 * The table that completion reads, made from the program itself.
 *
 * @param known services and tools of this kay, for when no backend has said yet which there are
 */
export function describeProgram(program: Command, known: Pick<Table["values"], "services" | "tools">): Table {
  const entries = Object.entries(SETTINGS as Record<string, Entry>);
  const listed = entries.flatMap(([key, { values }]): [string, string[]][] => (values ? [[key, values]] : []));
  return {
    program: commandEntry(program, []),
    values: {
      ...known,
      names: names(program),
      settings: entries.map(([key, { describe }]): Value => [key, describe]),
    },
    settings: Object.fromEntries(listed),
  };
}

function names(program: Command): Value[] {
  const topics = Object.entries(TOPICS).map(([name, text]): Value => [name, text.trim().split("\n")[0] ?? ""]);
  return [...topics, ...shown(program).map((command): Value => [command.name(), command.description()])];
}

function commandEntry(command: Command, above: string[]): CommandEntry {
  const words = command.parent ? [...above, command.name()] : [];
  const help = command.createHelp();
  return {
    name: command.name(),
    aliases: command.aliases(),
    about: command.description(),
    options: help.visibleOptions(command).map(optionEntry),
    arguments: command.registeredArguments.map((argument) => argumentEntry(words.join(" "), argument)),
    commands: shown(command).map((child) => commandEntry(child, words)),
  };
}

/** Commands that help shows too. */
function shown(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

function optionEntry(option: Option): OptionEntry {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const takes = option.required || option.optional;
  const slot = slotOf(option.long ?? "", placeholder(option), option.argChoices);
  return {
    names,
    about: option.description,
    repeats: option.variadic || Array.isArray(option.defaultValue),
    ...(takes ? { value: { ...slot, optional: option.optional } } : {}),
  };
}

/** `file` of `-o, --output <file>`. */
export function placeholder({ flags }: Pick<Option, "flags">): string {
  return /[<[](.+?)(?:\.{3})?[>\]]$/.exec(flags)?.[1] ?? "";
}

function argumentEntry(words: string, argument: Argument): ArgumentEntry {
  return { ...slotOf(words, argument.name(), argument.argChoices), many: argument.variadic };
}
