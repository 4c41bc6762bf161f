/**
 * What completion knows of the commands: made from commander's tree when kay is built (`describe.ts`), and read at each TAB instead of the
 * program, which takes too long to load.
 */
export type CompletionTable = {
  program: CommandEntry;
  /** Values that kay knows without a backend, by their kind. */
  values: Partial<Record<ValueKind, CompletionValue[]>>;
  /** What settings accept, where that is a list. */
  settings: Record<string, string[]>;
};

/** A completion and its description; "" for none. */
export type CompletionValue = [value: string, about: string];

export type CommandEntry = {
  name: string;
  aliases: string[];
  about: string;
  options: OptionEntry[];
  arguments: ArgumentEntry[];
  commands: CommandEntry[];
};

/** An option. `value` is absent for a switch. */
export type OptionEntry = {
  names: string[];
  about: string;
  value?: Slot & { optional: boolean };
  /** It may be given several times. */
  repeats: boolean;
};

export type ArgumentEntry = Slot & { many: boolean };

/** Where a value goes: what may be there, as a list of choices, as a kind, or neither for free text. */
export type Slot = { choices?: string[]; kind?: ValueKind };

/** Kinds of values: those that kay reads from its cache, those of the table, and those that the shell itself completes. */
export type ValueKind =
  | CachedKind
  | "connectable"
  | "names"
  | "settings"
  | "setting-value"
  | "profiles"
  | "aliases"
  | "targets"
  | "files"
  | "folders";

/** What commands learn from the backend and keep for completion (`known.ts`). */
export const CACHED_KINDS = ["services", "tools", "sessions", "pending", "approvals", "schedules", "models"] as const;
export type CachedKind = (typeof CACHED_KINDS)[number];
