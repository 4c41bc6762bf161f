/**
 * The data about commands that completion uses. `describe.ts` builds it from commander's tree at build time. Each Tab
 * reads it instead of the program, which takes too long to load.
 */
export type CompletionTable = {
  program: CommandEntry;
  /** Values that are known without a backend, by kind. */
  values: Partial<Record<ValueKind, CompletionValue[]>>;
  /** Values of settings that accept a fixed list. */
  settings: Record<string, string[]>;
};

/** A completion and its description, which may be empty. */
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
  /** Whether it can be repeated. */
  repeats: boolean;
};

export type ArgumentEntry = Slot & { many: boolean };

/** A value: its choices, its kind, or neither for free text. */
export type Slot = { choices?: string[]; kind?: ValueKind };

/** Kinds of values: from kay's cache, from the table, or completed by the shell. */
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

/** Kinds that commands learn from the backend and store for completion. */
export const CACHED_KINDS = ["services", "tools", "sessions", "pending", "approvals", "schedules", "models"] as const;
export type CachedKind = (typeof CACHED_KINDS)[number];
