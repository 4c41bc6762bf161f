import { dirname, join } from "node:path";
import { ensurePrivateFolder, unusableProblem } from "#files/folders";
import type { Timer, Warn } from "#net/ports";
import { suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import type { Paths } from "../paths.ts";
import { readSettings, type Stored, writeSettings } from "./file.ts";
import { chooseProfile, createProfiles, type ProfileChoice, type Profiles } from "./profiles.ts";
import { resolveSetting, type Setting, withSettingName } from "./resolve.ts";
import { isSettingKey, SETTINGS, type SettingKey } from "./table.ts";

/** The settings of one profile: a flag beats the environment, which beats the profile, which beats the default. */
export type Settings = {
  /** The profile they are of. */
  readonly profile: string;
  /** The same, and who chose it. */
  chosen(): ProfileChoice;
  /** All profiles of the file. */
  profiles: Profiles;
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
  clock: Pick<Timer, "now">;
  warn: Warn;
  flags?: Partial<Record<SettingKey, string>>;
  profile?: string;
  /** Run work while no other process of this machine runs such work with this lock file. */
  exclusively<T>(lock: string, work: () => Promise<T>): Promise<T>;
};

/**
 * The settings of the profile that is asked for (`--profile`, KAY_PROFILE, the one of `kay profile use`, else `default`). The file is read
 * when a setting or a profile is first needed that neither a flag nor the environment gives, so `--version` and `--help` need no folder at
 * all (case S14).
 *
 * @throws Problem USAGE for a profile's name or a value that is not accepted, BROKEN_SETTINGS for a file that cannot be used
 */
export function createSettings(ports: SettingsPorts): Settings {
  const { folder, path, known, change } = settingsFile(ports);
  let choice: ProfileChoice | undefined;
  const chosen = () => {
    choice ??= chooseProfile(ports.profile, ports.env.KAY_PROFILE?.trim(), known);
    return choice;
  };
  // A name that cannot be one is told at once, whatever is asked for.
  if (ports.profile !== undefined || ports.env.KAY_PROFILE?.trim()) chosen();
  const values = () => getValues(known(), chosen().name);
  const get = (key: SettingKey) =>
    resolveSetting(key, { env: ports.env, flags: ports.flags, profile: () => chosen().name, own: values });
  const write = (edit: (own: Record<string, unknown>) => void) =>
    change((latest) => {
      const own = { ...getValues(latest, chosen().name) };
      edit(own);
      return { ...latest, profiles: { ...latest.profiles, [chosen().name]: own } };
    });
  return {
    get profile() {
      return chosen().name;
    },
    chosen,
    profiles: createProfiles({ folder, read: known, change }),
    path,
    get,
    text: (key) => {
      const { value } = get(key);
      return value === undefined ? undefined : String(value);
    },
    isOn: (key) => get(key).value === true,
    list: () => Object.keys(SETTINGS).filter(isSettingKey).map(get),
    async set(key, text) {
      const value = withSettingName(key, () => SETTINGS[key].parse(text));
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
export function parseSettingKey(typed: string): SettingKey {
  if (isSettingKey(typed)) return typed;
  throw new Problem("USAGE", `Unknown setting ${JSON.stringify(typed)}.`, {
    hint: suggestName(typed, Object.keys(SETTINGS)) || "Run `kay config list` to see every setting.",
  });
}

/** The file as this process knows it, and the way to change it. */
function settingsFile(ports: SettingsPorts) {
  const folder = () => ports.paths.config();
  const path = () => join(folder(), "config.json");
  const read = () => readSettings(path(), { warn: ports.warn, now: ports.clock.now });
  let stored: Stored | undefined;
  const known = () => {
    stored ??= read();
    return stored;
  };
  const change = (make: (stored: Stored) => Stored) =>
    alone(ports, path(), () =>
      writeSettings(path(), () => {
        // Read again, so that what another process set in between is kept.
        stored = make(read());
        return stored;
      }),
    );
  return { folder, path, known, change };
}

/** One process at a time changes the file. */
async function alone(ports: SettingsPorts, path: string, work: () => Promise<void>): Promise<void> {
  ensurePrivateFolder(dirname(path));
  try {
    await ports.exclusively(`${path.replace(/json$/, "")}lock`, work);
  } catch (error) {
    const errno = error instanceof Problem && error.code === "STORE_UNREADABLE" ? String(error.details.errno) : null;
    throw errno === null ? error : unusableProblem(path, errno, "KAY_CONFIG_DIR", error);
  }
}

function getValues(stored: Stored, profile: string): Record<string, unknown> {
  const profiles = stored.profiles ?? {};
  return Object.hasOwn(profiles, profile) ? (profiles[profile] ?? {}) : {};
}
