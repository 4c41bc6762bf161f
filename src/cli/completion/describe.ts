import type { Argument, Command, Option } from "commander";
import { type Entry, SETTINGS } from "#client/settings/table";
import { TOPICS } from "../help/topics.ts";
import type {
  ArgumentEntry,
  CommandEntry,
  CompletionTable,
  CompletionValue,
  OptionEntry,
  Slot,
  ValueKind,
} from "./table.ts";

/**
 * Builds the table that completion reads from the program itself.
 *
 * @param tableValues built-in services and tools, used until a backend has reported its own, and the MCP servers that can be
 * connected by name (`connectable`)
 */
export function buildCompletionTable(
  program: Command,
  tableValues: Pick<CompletionTable["values"], "services" | "tools" | "connectable">,
): CompletionTable {
  const entries = Object.entries(SETTINGS as Record<string, Entry>);
  const settings = entries.flatMap(([key, { values }]): [string, string[]][] => (values ? [[key, values]] : []));
  return {
    program: toCommandEntry(program, []),
    values: {
      ...tableValues,
      names: listHelpNames(program),
      settings: entries.map(([key, { describe }]): CompletionValue => [key, describe]),
    },
    settings: Object.fromEntries(settings),
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

/** Lists the commands that help shows. */
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

/** Returns the placeholder: `file` of `-o, --output <file>`. */
export function getPlaceholder({ flags }: Pick<Option, "flags">): string {
  return /^[^<[]*[<[](.+?)(?:\.{3})?[>\]]$/.exec(flags)?.[1] ?? "";
}

function toArgumentEntry(words: string, argument: Argument): ArgumentEntry {
  return { ...findSlot(words, argument.name(), argument.argChoices), many: argument.variadic };
}

/**
 * Kinds of values by their name in usage lines, such as `<service>`. Names are the same in all commands, so a new
 * command needs no entry here. A test fails for a name that is neither here nor in {@link FREE_TEXT_SLOT}.
 */
const KINDS: Record<string, ValueKind> = {
  service: "services",
  conversation: "sessions",
  schedule: "schedules",
  tool: "tools",
  target: "targets",
  key: "settings",
  profile: "profiles",
  file: "files",
  folder: "folders",
};

const CHOICES: Record<string, string[]> = {
  scope: ["once", "session", "always"],
  format: ["md", "json"],
  mode: ["ask", "reads", "everything", "unset"],
};

/** Names that mean something else with one command or option. */
const OWN: Record<string, ValueKind> = {
  "help name": "names",
  "connect service": "connectable",
  "answer id": "pending",
  "approvals revoke id": "approvals",
  "config set value": "setting-value",
  "alias remove name": "aliases",
  "--profile name": "profiles",
  "--allow tool[:place]": "tools",
};

/** Names whose values cannot be completed. */
export const FREE_TEXT_SLOT = [
  [
    "address",
    "code",
    "columns",
    "count",
    "duration",
    "expr",
    "header",
    "id",
    "input",
    "jq",
    "json",
    "key=value",
    "list",
    "name",
    "number",
    "object",
    "program",
    "prompt",
  ],
  ["reason", "seconds", "state", "text", "time", "title", "token", "url", "value", "when", "zone"],
].flat();

/**
 * Returns the kind of value of an argument or option.
 *
 * @param commandPath words of the command, or the long name of the option
 * @param name as in the usage, without brackets
 */
export function findSlot(commandPath: string, name: string, choices?: readonly string[]): Slot {
  if (choices) return { choices: [...choices] };
  const kind = OWN[`${commandPath} ${name}`];
  if (kind) return { kind: kind };
  const choiceValues = Object.hasOwn(CHOICES, name) ? CHOICES[name] : undefined;
  if (choiceValues) return { choices: choiceValues };
  return Object.hasOwn(KINDS, name) ? { kind: KINDS[name] } : {};
}
