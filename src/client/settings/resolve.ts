import { Problem } from "#protocol/errors";
import { type Entry, SETTINGS, type SettingKey } from "./table.ts";

/** One setting as it counts now, and where it comes from. */
export type Setting = {
  key: SettingKey;
  value: string | boolean | undefined;
  /** The value for people; a secret is masked. Empty when nothing is set. */
  shown: string;
  source: "flag" | "environment" | "profile" | "default";
  /** The flag, the variable, or the profile by name. */
  where: string;
  describe: string;
  secret: boolean;
};

/** What a setting is resolved from. `profile` and `own` are asked for only when neither a flag nor the environment says. */
export type Sources = {
  env: Record<string, string | undefined>;
  flags?: Partial<Record<SettingKey, string>>;
  profile(): string;
  /** The profile's own values. */
  own(): Record<string, unknown>;
};

/** A setting as it counts now: a flag beats the environment, which beats the profile, which beats the default. */
export function resolveSetting(key: SettingKey, { env, flags, profile, own }: Sources): Setting {
  const entry: Entry = SETTINGS[key];
  const found = (source: Setting["source"], where: string, text: unknown): Setting => {
    const value = source === "default" ? entry.default : withSettingName(where, () => parseStored(entry, text));
    const shown = value === undefined ? "" : entry.secret ? "********" : String(value);
    return { key, value, shown, source, where, describe: entry.describe, secret: entry.secret === true };
  };
  const flag = flags?.[key];
  if (flag !== undefined) return found("flag", `--${key}`, flag);
  const variable = entry.env ? env[entry.env] : undefined;
  if (entry.env && variable?.trim()) return found("environment", entry.env, variable);
  const values = own();
  if (Object.hasOwn(values, key)) return found("profile", `${key} of profile ${profile()}`, values[key]);
  return found("default", "default", undefined);
}

/** A value written by hand may be of any type; only texts, numbers and switches can mean something. */
function parseStored(entry: Entry, value: unknown): string | boolean {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return entry.parse(String(value));
  throw new Problem("USAGE", "The value must be a text.");
}

/** Let a refusal say which setting, flag or variable it is about. */
export function withSettingName<T>(where: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, `${where}: ${error.message}`, { hint: error.hint, details: { setting: where } });
  }
}
