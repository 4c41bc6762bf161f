import { createIdShortener } from "#protocol/short-id";
import type { CommandEntry, CompletionTable, CompletionValue, OptionEntry, Slot, ValueKind } from "./table.ts";

/** Suggestions for a shell. */
export type Suggestions = {
  values: CompletionValue[];
  /** Kind of paths that the shell completes, after `prefix` of the word. */
  paths?: "files" | "folders";
  /** The text before the value in the same word: `--output=`. */
  prefix: string;
};

/** Values that are not in the table: those that commands stored for a profile, and the names of profiles and aliases. */
export type ValueLookup = {
  listKnown(kind: ValueKind, profile: string | undefined): CompletionValue[] | null;
  profiles(): CompletionValue[];
  aliases(): CompletionValue[];
};

/**
 * Lists completions at the cursor.
 *
 * @param words after `kay`, without quotes; the last one is completed and may be empty
 */
export function suggestCompletions(table: CompletionTable, words: string[], look: ValueLookup): Suggestions {
  const current = words.at(-1) ?? "";
  const line = readLine(table.program, words.slice(0, -1));
  const offerValues = (slot: Slot, prefix = "") => offer(slot, { table, line, look, current, prefix });
  if (line.waiting && !(line.waiting.optional && current.startsWith("-"))) return offerValues(line.waiting);
  if (line.onlyArguments || !current.startsWith("-")) return suggestPositional(line, current, offerValues);
  const [name = "", ...rest] = current.split("=");
  const valued = rest.length > 0 ? findOption(line.chain, name)?.value : undefined;
  if (valued) return offerValues(valued, `${name}=`);
  const options = getOptions(line).filter((option) => isOpen(option, line.usedOptions));
  return { prefix: "", values: filterByStart(options.flatMap(toOptionValues), current) };
}

/** The meaning of the words before the cursor. */
type Line = {
  /** The named commands, innermost first, up to the program. */
  chain: [CommandEntry, ...CommandEntry[]];
  args: string[];
  usedOptions: Set<string>;
  profile?: string;
  /** The option whose value comes next. */
  waiting?: OptionEntry["value"];
  /** `--` was typed. */
  onlyArguments: boolean;
};

function readLine(program: CommandEntry, words: string[]): Line {
  const line: Line = { chain: [program], args: [], usedOptions: new Set(), onlyArguments: false };
  let pending: OptionEntry | undefined;
  for (const word of words) {
    if (pending && !(pending.value?.optional && /^-./.test(word))) {
      if (pending.names.includes("--profile")) line.profile = word;
      pending = undefined;
      continue;
    }
    pending = undefined;
    if (!line.onlyArguments && word === "--") line.onlyArguments = true;
    else if (!line.onlyArguments && /^-./.test(word)) pending = readOption(line, word);
    else readArgument(line, word);
  }
  if (pending?.value) line.waiting = pending.value;
  return line;
}

/** Reads an option, and returns it if its value is the next word. */
function readOption(line: Line, word: string): OptionEntry | undefined {
  const [name = "", ...rest] = word.startsWith("--") ? word.split("=") : [word.slice(0, 2), word.slice(2)];
  const value = rest.join("=");
  const option = findOption(line.chain, name);
  for (const optionWord of option?.names ?? []) line.usedOptions.add(optionWord);
  if (option?.names.includes("--profile") && value) line.profile = value;
  if (!word.startsWith("--") && !option?.value && value) return readOption(line, `-${value}`);
  const isWhole = word.startsWith("--") ? rest.length > 0 : value !== "";
  return option?.value && !isWhole ? option : undefined;
}

function readArgument(line: Line, word: string): void {
  const [command] = line.chain;
  const child = command.commands.find(({ name, aliases }) => name === word || aliases.includes(word));
  if (child && line.args.length === 0 && !line.onlyArguments) line.chain = [child, ...line.chain];
  else line.args.push(word);
}

function findOption(chain: CommandEntry[], name: string): OptionEntry | undefined {
  return chain.flatMap(({ options }) => options).find(({ names }) => names.includes(name));
}

/** Returns the options of the command, and global ones. */
function getOptions({ chain: [command, ...above] }: Line): OptionEntry[] {
  const common = above.at(-1)?.options ?? [];
  return [
    ...command.options,
    ...common.filter(({ names }) => !names.includes("--help") && !names.includes("--version")),
  ];
}

function isOpen({ names, repeats }: OptionEntry, flags: Set<string>): boolean {
  return repeats || !names.some((name) => flags.has(name));
}

/** Offers the long name, or the short one without it. */
function toOptionValues({ names, about }: OptionEntry): CompletionValue[] {
  return names.slice(-1).map((name): CompletionValue => [name, about]);
}

/** Completes a subcommand or an argument; otherwise, the command's own options. */
function suggestPositional(line: Line, current: string, values: (slot: Slot) => Suggestions): Suggestions {
  const [command] = line.chain;
  const commands = line.args.length > 0 || line.onlyArguments ? [] : command.commands.flatMap(toCommandValues);
  const last = command.arguments.at(-1);
  const isFirst = line.chain.length === 1 && line.args.length === 0 && !line.onlyArguments;
  const first: Slot | undefined = isFirst ? { kind: "aliases" } : undefined;
  const slot = command.arguments[line.args.length] ?? (last?.many ? last : first);
  const completions = slot ? values(slot) : { prefix: "", values: [] };
  const all = [
    ...filterByStart(commands, current),
    ...completions.values.filter(([value]) => !line.args.includes(value)),
  ];
  const isUnknown = command.commands.length > 0 && line.args.length > 0 && !slot;
  if (all.length > 0 || completions.paths || current !== "" || line.onlyArguments || isUnknown)
    return { ...completions, values: all };
  const options = command.options.filter(
    (option) => isOpen(option, line.usedOptions) && !option.names.includes("--help"),
  );
  return { prefix: "", values: options.flatMap(toOptionValues) };
}

function toCommandValues({ name, aliases, about }: CommandEntry): CompletionValue[] {
  return [[name, about], ...aliases.map((alias): CompletionValue => [alias, `the same as ${name}`])];
}

const ID_KINDS: readonly ValueKind[] = ["sessions", "pending", "approvals", "schedules"];

/** Offers short IDs, unless the typed text is longer. */
function shortenIds(values: CompletionValue[], kind: ValueKind, current: string): CompletionValue[] {
  if (!ID_KINDS.includes(kind) || current.includes("_")) return values;
  const shorten = createIdShortener(values.map(([id]) => id));
  return values.map(([id, description]): CompletionValue => [shorten(id), description]);
}

type Place = { table: CompletionTable; line: Line; look: ValueLookup; current: string; prefix: string };

function offer(slot: Slot, position: Place): Suggestions {
  const { prefix, current } = position;
  if (slot.kind === "files" || slot.kind === "folders") return { values: [], paths: slot.kind, prefix };
  const values = slot.choices
    ? slot.choices.map((choice): CompletionValue => [choice, ""])
    : slot.kind
      ? shortenIds(listValues(slot.kind, position), slot.kind, current)
      : [];
  return {
    prefix,
    values: filterByStart(
      values.map(([value, description]): CompletionValue => [prefix + value, description]),
      current,
    ),
  };
}

function listValues(kind: ValueKind, position: Place): CompletionValue[] {
  const { table, line, look } = position;
  if (kind === "profiles") return look.profiles();
  if (kind === "connectable") {
    const services = listValues("services", position);
    const names = new Set(services.map(([name]) => name));
    return [...services, ...(table.values.connectable ?? []).filter(([name]) => !names.has(name))];
  }
  if (kind === "aliases") return look.aliases();
  if (kind === "targets")
    return [...listValues("services", position), ...listValues("tools", position), ["*", "everything"]];
  if (kind === "setting-value") {
    const [key = ""] = line.args;
    if (key === "model") return listValues("models", position);
    const values = Object.hasOwn(table.settings, key) ? table.settings[key] : undefined;
    return (values ?? []).map((value): CompletionValue => [value, ""]);
  }
  const tableValues = table.values[kind] ?? [];
  const cachedValues = look.listKnown(kind, line.profile);
  if (kind === "sessions") return [...(cachedValues ?? []), ["latest", "the newest"]];
  // The backend's description replaces kay's.
  return (
    cachedValues?.map(
      ([value, description]): CompletionValue => [
        value,
        description || (tableValues.find(([name]) => name === value)?.[1] ?? ""),
      ],
    ) ?? tableValues
  );
}

function filterByStart(values: CompletionValue[], current: string): CompletionValue[] {
  return values.filter(([value]) => value.startsWith(current));
}
