import type { Argument, Command, Option } from "commander";
import { type Entry, SETTINGS } from "#client/settings/table";
import { TOPICS } from "../help/topics.ts";
import { findSlot } from "./kinds.ts";
import type { ArgumentEntry, CommandEntry, CompletionTable, CompletionValue, OptionEntry } from "./table.ts";

/**
 * Builds the table that completion reads from the program itself.
 *
 * @param known built-in services and tools, used until a backend has reported its own, and the MCP servers that can be
 * connected by name (`connectable`)
 */
export function buildCompletionTable(
  program: Command,
  known: Pick<CompletionTable["values"], "services" | "tools" | "connectable">,
): CompletionTable {
  const entries = Object.entries(SETTINGS as Record<string, Entry>);
  const listed = entries.flatMap(([key, { values }]): [string, string[]][] => (values ? [[key, values]] : []));
  return {
    program: toCommandEntry(program, []),
    values: {
      ...known,
      names: listHelpNames(program),
      settings: entries.map(([key, { describe }]): CompletionValue => [key, describe]),
    },
    settings: Object.fromEntries(listed),
  };
}

function listHelpNames(program: Command): CompletionValue[] {
  const topics = Object.entries(TOPICS).map(
    ([name, text]): CompletionValue => [name, text.trim().split("\n")[0] ?? ""],
  );
  return [...topics, ...format(program).map((command): CompletionValue => [command.name(), command.description()])];
}

function toCommandEntry(command: Command, above: string[]): CommandEntry {
  const words = command.parent ? [...above, command.name()] : [];
  const help = command.createHelp();
  return {
    name: command.name(),
    aliases: command.aliases(),
    about: command.description(),
    options: help.visibleOptions(command).map(toOptionEntry),
    arguments: command.registeredArguments.map((argument) => toArgumentEntry(words.join(" "), argument)),
    commands: format(command).map((child) => toCommandEntry(child, words)),
  };
}

/** Commands that help shows too. */
function format(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

function toOptionEntry(option: Option): OptionEntry {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const takes = option.required || option.optional;
  const slot = findSlot(option.long ?? "", getPlaceholder(option), option.argChoices);
  return {
    names,
    about: option.description,
    repeats: option.variadic || Array.isArray(option.defaultValue),
    ...(takes ? { value: { ...slot, optional: option.optional } } : {}),
  };
}

/** `file` of `-o, --output <file>`. */
export function getPlaceholder({ flags }: Pick<Option, "flags">): string {
  return /^[^<[]*[<[](.+?)(?:\.{3})?[>\]]$/.exec(flags)?.[1] ?? "";
}

function toArgumentEntry(words: string, argument: Argument): ArgumentEntry {
  return { ...findSlot(words, argument.name(), argument.argChoices), many: argument.variadic };
}
