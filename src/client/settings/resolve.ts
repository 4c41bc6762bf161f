import { Problem } from "#protocol/errors";
import { type Entry, SETTINGS, type SettingKey } from "./table.ts";

/** The effective value of a setting, and its source. */
export type Setting = {
  key: SettingKey;
  value: string | boolean | undefined;
  /** Value for display, with secrets masked; empty if not set. */
  shown: string;
  source: "flag" | "environment" | "profile" | "default";
  /** The flag, the variable, or the profile by name. */
  where: string;
  describe: string;
  secret: boolean;
};

/** Sources of a setting. `profile` and `own` are called only if neither a flag nor the environment sets it. */
export type Sources = {
  env: Record<string, string | undefined>;
  flags?: Partial<Record<SettingKey, string>>;
  profile(): string;
  /** Returns the profile's own values. */
  own(): Record<string, unknown>;
};

/** Resolves a setting: a flag overrides the environment, then the profile, then the default. */
export function resolveSetting(key: SettingKey, { env, flags, profile, own }: Sources): Setting {
  const entry: Entry = SETTINGS[key];
  const toSetting = (source: Setting["source"], sourceName: string, text: unknown): Setting => {
    const value = source === "default" ? entry.default : withSettingName(sourceName, () => parseStored(entry, text));
    const display = value === undefined ? "" : entry.secret ? "********" : String(value);
    return {
      key,
      value,
      shown: display,
      source,
      where: sourceName,
      describe: entry.describe,
      secret: entry.secret === true,
    };
  };
  const flag = flags?.[key];
  if (flag !== undefined) return toSetting("flag", `--${key}`, flag);
  const variable = entry.env ? env[entry.env] : undefined;
  if (entry.env && variable?.trim()) return toSetting("environment", entry.env, variable);
  const values = own();
  if (Object.hasOwn(values, key)) return toSetting("profile", `${key} of profile ${profile()}`, values[key]);
  return toSetting("default", "default", undefined);
}

/** Parses a value that was edited by hand and may have any type. Only text, numbers and booleans are valid. */
function parseStored(entry: Entry, value: unknown): string | boolean {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return entry.parse(String(value));
  throw new Problem("USAGE", "The value must be text.");
}

/** Adds the setting, flag or variable to the error of an invalid value. */
export function withSettingName<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, `${name}: ${error.message}`, { hint: error.hint, details: { setting: name } });
  }
}
