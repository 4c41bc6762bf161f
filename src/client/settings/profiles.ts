import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "#protocol/errors";
import type { SettingsContent } from "./file.ts";

/** Name of the profile that always exists. */
export const DEFAULT_PROFILE = "default";

/** Device names that Windows reserves, with any extension. Files are named after profiles. */
const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** Whether a text can be a profile name: unambiguous on every file system, and neither a path nor a flag. */
function isProfileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,31}$/.test(name) && !DEVICES.test(name);
}

/** Returns a valid profile name. @throws Problem USAGE that says what is valid */
export function parseProfileName(name: string): string {
  if (isProfileName(name)) return name;
  const label = JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
  const hint = DEVICES.test(name) ? "Windows reserves that name. Choose another." : NAME_RULE;
  throw new Problem("USAGE", `${label} is not a valid profile name.`, { hint: hint });
}

const NAME_RULE = "Use up to 32 lowercase letters, digits and hyphens, starting with a letter or digit.";

/** The chosen profile and its source: `--profile`, KAY_PROFILE, `kay profile use`, or the default. */
export type ProfileChoice = { name: string; source: "flag" | "environment" | "current" | "default" };

/** The profiles of this machine. */
export type Profiles = {
  /** Lists existing profiles: `default` first, then by name those with settings or a sign-in. */
  list(): string[];
  /** Returns the profile chosen with `kay profile use`, or `default`. */
  current(): string;
  /** Makes a profile the current one. */
  use(name: string): Promise<void>;
  /** Creates an empty profile. */
  create(name: string): Promise<void>;
  /**
   * Removes a profile's settings. If it was the current one, `default` becomes current. Changes by other processes are
   * kept.
   */
  forget(name: string): Promise<void>;
};

/** Ports of the profiles. `change` reads the settings file and writes the result, while no other process does. */
export type ProfilesPorts = {
  folder(): string;
  read(): SettingsContent;
  change(make: (stored: SettingsContent) => SettingsContent): Promise<void>;
};

/** Creates the profiles; see {@link Profiles}. */
export function createProfiles({ folder, read, change }: ProfilesPorts): Profiles {
  return {
    list: () => {
      const names = new Set(
        [...Object.keys(read().profiles ?? {}), ...listSignedInProfiles(folder())].filter(isProfileName),
      );
      names.delete(DEFAULT_PROFILE);
      return [DEFAULT_PROFILE, ...[...names].sort()];
    },
    current: () => getCurrent(read()) ?? DEFAULT_PROFILE,
    use: (name) =>
      change((content) => (name === DEFAULT_PROFILE ? withoutCurrent(content) : { ...content, profile: name })),
    create: (name) =>
      change((content) => ({ ...content, profiles: { ...content.profiles, [parseProfileName(name)]: {} } })),
    forget: (name) =>
      change((content) => {
        const { [name]: _, ...profiles } = content.profiles ?? {};
        const rest = { ...content, profiles };
        return getCurrent(content) === name ? withoutCurrent(rest) : rest;
      }),
  };
}

/** Chooses the profile. The file is read only if neither a flag nor the environment names one. */
export function chooseProfile(
  flag: string | undefined,
  variable: string | undefined,
  read: () => SettingsContent,
): ProfileChoice {
  if (flag !== undefined) return { name: parseProfileName(flag), source: "flag" };
  if (variable) return { name: parseProfileName(variable), source: "environment" };
  const content = read();
  const name = getCurrent(content);
  if (name !== undefined) return { name, source: content.profile === undefined ? "default" : "current" };
  throw new Problem("BROKEN_SETTINGS", 'In the settings file, "profile" is not a valid profile name.', {
    hint: "Choose one with `kay profile use default`.",
  });
}

/** Returns undefined for an invalid name. */
function getCurrent({ profile = DEFAULT_PROFILE }: SettingsContent): string | undefined {
  return typeof profile === "string" && isProfileName(profile) ? profile : undefined;
}

function withoutCurrent({ profile: _, ...stored }: SettingsContent): SettingsContent {
  return stored;
}

/** Lists profiles with a credentials file. */
function listSignedInProfiles(folder: string): string[] {
  try {
    const files = readdirSync(join(folder, "credentials"));
    return files.filter((file) => file.endsWith(".json")).map((file) => file.slice(0, -".json".length));
  } catch {
    return [];
  }
}
