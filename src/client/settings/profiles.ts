import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "#protocol/errors";
import type { Stored } from "./file.ts";

/** The profile that is always there. */
export const DEFAULT_PROFILE = "default";

/** Names that Windows keeps for devices, with any ending: a profile's files have its name. */
const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** Whether a text can be the name of a profile: one spelling on every file system, no path, no flag. */
function isProfileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,31}$/.test(name) && !DEVICES.test(name);
}

/** The name, if it can be one. @throws Problem USAGE that says what can */
export function parseProfileName(name: string): string {
  if (isProfileName(name)) return name;
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
  const why = DEVICES.test(name) ? "Windows keeps that name for itself; take another." : RULE;
  throw new Problem("USAGE", `${shown} is no name for a profile.`, { hint: why });
}

const RULE = "Use up to 32 lower-case letters, digits and hyphens, a letter or digit first.";

/** Which profile is meant, and who said so: `--profile`, KAY_PROFILE, `kay profile use`, or nobody. */
export type ProfileChoice = { name: string; source: "flag" | "environment" | "current" | "default" };

/** The profiles of this machine. */
export type Profiles = {
  /** Those that are there: `default`, and each that has settings or a sign-in; `default` first, then by name. */
  list(): string[];
  /** The one that `kay profile use` chose, `default` where it chose none. */
  current(): string;
  /** Make it the current one. */
  use(name: string): Promise<void>;
  /** Make an empty one. */
  create(name: string): Promise<void>;
  /** Forget its settings. The current one may be forgotten, then `default` is. Another process's changes are kept. */
  forget(name: string): Promise<void>;
};

/** What the profiles are made of: `change` reads the settings file and writes what it makes of it, while no other process does. */
export type ProfilesPorts = {
  folder(): string;
  read(): Stored;
  change(make: (stored: Stored) => Stored): Promise<void>;
};

/** See {@link Profiles}. */
export function createProfiles({ folder, read, change }: ProfilesPorts): Profiles {
  return {
    list: () => {
      const names = new Set([...Object.keys(read().profiles ?? {}), ...signedIn(folder())].filter(isProfileName));
      names.delete(DEFAULT_PROFILE);
      return [DEFAULT_PROFILE, ...[...names].sort()];
    },
    current: () => getCurrent(read()) ?? DEFAULT_PROFILE,
    use: (name) =>
      change((stored) => (name === DEFAULT_PROFILE ? withoutCurrent(stored) : { ...stored, profile: name })),
    create: (name) =>
      change((stored) => ({ ...stored, profiles: { ...stored.profiles, [parseProfileName(name)]: {} } })),
    forget: (name) =>
      change((stored) => {
        const { [name]: _, ...profiles } = stored.profiles ?? {};
        const rest = { ...stored, profiles };
        return getCurrent(stored) === name ? withoutCurrent(rest) : rest;
      }),
  };
}

/** The profile that is meant. The file is read only where neither a flag nor the environment names one. */
export function chooseProfile(
  flag: string | undefined,
  variable: string | undefined,
  read: () => Stored,
): ProfileChoice {
  if (flag !== undefined) return { name: parseProfileName(flag), source: "flag" };
  if (variable) return { name: parseProfileName(variable), source: "environment" };
  const stored = read();
  const name = getCurrent(stored);
  if (name !== undefined) return { name, source: stored.profile === undefined ? "default" : "current" };
  throw new Problem("BROKEN_SETTINGS", 'In the settings file, "profile" is no name of a profile.', {
    hint: "Choose one with `kay profile use default`.",
  });
}

/** Undefined for what is no name of a profile. */
function getCurrent({ profile = DEFAULT_PROFILE }: Stored): string | undefined {
  return typeof profile === "string" && isProfileName(profile) ? profile : undefined;
}

function withoutCurrent({ profile: _, ...stored }: Stored): Stored {
  return stored;
}

/** Profiles with a file of credentials. */
function signedIn(folder: string): string[] {
  try {
    const files = readdirSync(join(folder, "credentials"));
    return files.filter((file) => file.endsWith(".json")).map((file) => file.slice(0, -".json".length));
  } catch {
    return [];
  }
}
