import { join } from "node:path";
import { distance } from "fastest-levenshtein";
import { Problem } from "#protocol/errors";
import type { Paths } from "./paths.ts";
import type { Clock, Warn } from "./ports.ts";
import { readSettings, type Stored, writeProfiles } from "./settings/file.ts";
import { type Entry, isSettingKey, SETTINGS, type SettingKey } from "./settings/table.ts";

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

/** The settings of one profile: a flag beats the environment, which beats the profile, which beats the default. */
export type Settings = {
  profile: string;
  /** The settings file, whether it exists or not. */
  path(): string;
  get(key: SettingKey): Setting;
  /** Value of a setting that is a text; undefined when nothing is set. */
  text(key: SettingKey): string | undefined;
  /** Value of a setting that is on or off. */
  isOn(key: SettingKey): boolean;
  /** Every setting of the table, in its order. */
  list(): Setting[];
  set(key: SettingKey, text: string): Promise<Setting>;
  /** Forget the profile's own value; false when it had none. */
  unset(key: SettingKey): Promise<boolean>;
};

/** What settings are made of. `flags` are those given on the command line, `profile` the one of `--profile`. */
export type SettingsPorts = {
  paths: Pick<Paths, "config">;
  env: Record<string, string | undefined>;
  clock: Pick<Clock, "now">;
  warn: Warn;
  flags?: Partial<Record<SettingKey, string>>;
  profile?: string;
};

/**
 * The settings of the profile that is asked for (`--profile`, KAY_PROFILE, else `default`). The file is read when a setting is first
 * needed that neither a flag nor the environment gives, so `--version` and `--help` need no folder at all (case S14).
 *
 * @throws Problem USAGE for a profile's name or a value that is not accepted, BROKEN_SETTINGS for a file that cannot be used
 */
export function createSettings(ports: SettingsPorts): Settings {
  const profile = checkProfile(ports.profile ?? (ports.env.KAY_PROFILE || "default"));
  const path = () => join(ports.paths.config(), "config.json");
  const read = () => readSettings(path(), { warn: ports.warn, now: ports.clock.now });
  let stored: Stored | undefined;
  const values = () => {
    stored ??= read();
    return valuesOf(stored, profile);
  };
  const get = (key: SettingKey) => resolve(key, ports, profile, values);
  const write = async (change: (own: Record<string, unknown>) => void) => {
    await writeProfiles(path(), () => {
      // Read again, so that what another process set in between is kept.
      const latest = read();
      const own = { ...valuesOf(latest, profile) };
      change(own);
      const profiles = { ...latest.profiles, [profile]: own };
      stored = { ...latest, profiles };
      return profiles;
    });
  };
  return {
    profile,
    path,
    get,
    text: (key) => {
      const { value } = get(key);
      return value === undefined ? undefined : String(value);
    },
    isOn: (key) => get(key).value === true,
    list: () => Object.keys(SETTINGS).filter(isSettingKey).map(get),
    async set(key, text) {
      const value = named(key, () => SETTINGS[key].parse(text));
      await write((own) => {
        own[key] = value;
      });
      return get(key);
    },
    async unset(key) {
      if (!Object.hasOwn(values(), key)) return false;
      await write((own) => {
        delete own[key];
      });
      return true;
    },
  };
}

/** The setting that was typed, or a Problem USAGE that names the nearest one. */
export function settingKey(typed: string): SettingKey {
  if (isSettingKey(typed)) return typed;
  const ranked = Object.keys(SETTINGS).sort(
    (a, b) => distance(typed.toLowerCase(), a) - distance(typed.toLowerCase(), b),
  );
  const nearest = ranked[0] ?? "";
  const isNear = distance(typed.toLowerCase(), nearest) <= Math.max(3, nearest.length / 3);
  throw new Problem("USAGE", `There is no setting ${JSON.stringify(typed)}.`, {
    hint: isNear ? `Did you mean ${nearest}?` : "Run `kay config list` to see every setting.",
  });
}

function checkProfile(name: string): string {
  if (/^[a-z0-9-]{1,32}$/.test(name)) return name;
  throw new Problem("USAGE", `${JSON.stringify(name)} is no name for a profile.`, {
    hint: "Use up to 32 lower-case letters, digits and hyphens.",
  });
}

function valuesOf(stored: Stored, profile: string): Record<string, unknown> {
  const profiles = stored.profiles ?? {};
  return Object.hasOwn(profiles, profile) ? (profiles[profile] ?? {}) : {};
}

function resolve(
  key: SettingKey,
  ports: SettingsPorts,
  profile: string,
  values: () => Record<string, unknown>,
): Setting {
  const entry: Entry = SETTINGS[key];
  const found = (source: Setting["source"], where: string, text: unknown): Setting => {
    const value = source === "default" ? entry.default : named(where, () => parseStored(entry, text));
    const shown = value === undefined ? "" : entry.secret ? "********" : String(value);
    return { key, value, shown, source, where, describe: entry.describe, secret: entry.secret === true };
  };
  const flag = ports.flags?.[key];
  if (flag !== undefined) return found("flag", `--${key}`, flag);
  const variable = entry.env ? ports.env[entry.env] : undefined;
  if (entry.env && variable?.trim()) return found("environment", entry.env, variable);
  const own = values();
  if (Object.hasOwn(own, key)) return found("profile", `${key} of profile ${profile}`, own[key]);
  return found("default", "default", undefined);
}

/** A value written by hand may be of any type; only texts, numbers and switches can mean something. */
function parseStored(entry: Entry, value: unknown): string | boolean {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return entry.parse(String(value));
  throw new Problem("USAGE", "The value must be a text.");
}

/** Let a refusal say which setting, flag or variable it is about. */
function named<T>(where: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, `${where}: ${error.message}`, { hint: error.hint, details: { setting: where } });
  }
}
