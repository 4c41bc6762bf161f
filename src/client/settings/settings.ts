import { dirname, join } from "node:path";
import { ensurePrivateFolder, unusableProblem } from "#files/folders";
import type { Timer, Warn } from "#net/ports";
import { suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import type { Paths } from "../paths.ts";
import { readSettings, type SettingsContent, writeSettings } from "./file.ts";
import { chooseProfile, createProfiles, type ProfileChoice, type Profiles } from "./profiles.ts";
import { resolveSetting, type Setting, withSettingName } from "./resolve.ts";
import { isSettingKey, SETTINGS, type SettingKey } from "./table.ts";

/** Settings of one profile: a flag overrides the environment, then the profile, then the default. */
export type Settings = {
  /** Name of the profile. */
  readonly profile: string;
  /** Returns the profile and its source. */
  getChoice(): ProfileChoice;
  /** All profiles of the file. */
  profiles: Profiles;
  /** Returns the path of the settings file, even if it does not exist. */
  path(): string;
  get(key: SettingKey): Setting;
  /** Returns a text setting; undefined if not set. */
  text(key: SettingKey): string | undefined;
  /** Returns a boolean setting. */
  isOn(key: SettingKey): boolean;
  /** Returns all settings in the order of the table. */
  list(): Setting[];
  set(key: SettingKey, text: string): Promise<Setting>;
  /** Removes the profile's own value; returns false if it had none. */
  unset(key: SettingKey): Promise<boolean>;
};

/** Ports of the settings. `flags` come from the command line, `profile` from `--profile`. */
export type SettingsPorts = {
  paths: Pick<Paths, "config">;
  env: Record<string, string | undefined>;
  clock: Pick<Timer, "now">;
  warn: Warn;
  flags?: Partial<Record<SettingKey, string>>;
  profile?: string;
  /** ID of this user, who must own the settings; undefined on Windows. */
  uid?: number | undefined;
  /** Runs work while no other process of this machine does so with this lock file. */
  exclusively<T>(lock: string, work: () => Promise<T>): Promise<T>;
};

/**
 * Creates the settings of the chosen profile (`--profile`, KAY_PROFILE, `kay profile use`, or `default`). Reads the
 * file only for a value that neither a flag nor the environment sets, so `--version` and `--help` need no folder.
 *
 * @throws Problem USAGE for an invalid profile name or value, BROKEN_SETTINGS for an unusable file
 */
export function createSettings(ports: SettingsPorts): Settings {
  const { folder, path, known, change } = openSettingsFile(ports);
  let choice: ProfileChoice | undefined;
  const getChoice = () => {
    choice ??= chooseProfile(ports.profile, ports.env.KAY_PROFILE?.trim(), known);
    return choice;
  };
  // An invalid name is reported at once, whatever is requested.
  if (ports.profile !== undefined || ports.env.KAY_PROFILE?.trim()) getChoice();
  const getOwnValues = () => getValues(known(), getChoice().name);
  const get = (key: SettingKey) =>
    resolveSetting(key, { env: ports.env, flags: ports.flags, profile: () => getChoice().name, own: getOwnValues });
  const write = (edit: (values: Record<string, unknown>) => void) =>
    change((latest) => {
      const values = { ...getValues(latest, getChoice().name) };
      edit(values);
      return { ...latest, profiles: { ...latest.profiles, [getChoice().name]: values } };
    });
  return {
    get profile() {
      return getChoice().name;
    },
    getChoice: getChoice,
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
      await write((values) => {
        values[key] = value;
      });
      return get(key);
    },
    async unset(key) {
      if (!Object.hasOwn(getOwnValues(), key)) return false;
      await write((values) => {
        delete values[key];
      });
      return true;
    },
  };
}

/** Parses the name of a setting. @throws Problem USAGE that suggests the closest one */
export function parseSettingKey(name: string): SettingKey {
  if (isSettingKey(name)) return name;
  if (/^(?:atlassian|jira|confluence|bitbucket)\.url$/.test(name))
    throw new Problem("USAGE", `The built-in service speaks the API of Atlassian Cloud, so there is no ${name}.`, {
      hint: "A Data Center has another API: describe it in a file (`kay services add`), or add its MCP server.",
    });
  throw new Problem("USAGE", `Unknown setting ${JSON.stringify(name)}.`, {
    hint: suggestName(name, Object.keys(SETTINGS)) || "Run `kay config list` to list every setting.",
  });
}

/** Reads the file once per process, and changes it. */
function openSettingsFile(ports: SettingsPorts) {
  const getFolder = () => ports.paths.config();
  const getPath = () => join(getFolder(), "config.json");
  const read = () => readSettings(getPath(), { warn: ports.warn, now: ports.clock.now, uid: ports.uid });
  let content: SettingsContent | undefined;
  const readOnce = () => {
    content ??= read();
    return content;
  };
  const change = (make: (stored: SettingsContent) => SettingsContent) =>
    withFileLock(ports, getPath(), () =>
      writeSettings(getPath(), () => {
        // Read again, to keep what another process set in between.
        content = make(read());
        return content;
      }),
    );
  return { folder: getFolder, path: getPath, known: readOnce, change };
}

/** Runs work while no other process changes the file. */
async function withFileLock(ports: SettingsPorts, path: string, work: () => Promise<void>): Promise<void> {
  ensurePrivateFolder(dirname(path));
  try {
    await ports.exclusively(`${path.replace(/json$/, "")}lock`, work);
  } catch (error) {
    const errno = error instanceof Problem && error.code === "STORE_UNREADABLE" ? error.details.errno : undefined;
    // The error for a folder of another user has no system code, and is already worded.
    throw typeof errno === "string" ? unusableProblem(path, errno, "KAY_CONFIG_DIR", error) : error;
  }
}

function getValues(content: SettingsContent, profile: string): Record<string, unknown> {
  const profiles = content.profiles ?? {};
  return Object.hasOwn(profiles, profile) ? (profiles[profile] ?? {}) : {};
}
