import { Problem } from "#protocol/errors";

/** The profile that is always there. */
export const DEFAULT_PROFILE = "default";

/** Names that Windows keeps for devices, with any ending: a profile's files have its name. */
const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** Whether a text can be the name of a profile: one spelling on every file system, no path, no flag. */
export function isProfileName(name: string): boolean {
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
