import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "#protocol/errors";
import type { Stored } from "./file.ts";
import { DEFAULT_PROFILE, isProfileName, parseProfileName } from "./profile-name.ts";

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
