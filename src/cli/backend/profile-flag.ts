import type { ProfileChoice } from "#client/settings/profiles";
import { DEFAULT_PROFILE } from "#client/settings/profiles";
import type { Settings } from "#client/settings/settings";
import { suggestName } from "#protocol/closest-name";

/** Returns the flag that makes a printed command use this profile in another terminal, or "". */
export function formatProfileFlag({ name, source }: ProfileChoice): string {
  return source === "flag" || source === "environment" ? ` --profile ${name}` : "";
}

/** Warns about a profile that does not exist, which counts as empty but may be a typo. */
export function warnIfNew(settings: Settings, warn: (message: string) => void): void {
  const { name } = settings.getChoice();
  if (name === DEFAULT_PROFILE) return;
  const names = settings.profiles.list();
  if (!names.includes(name)) warn(`Profile ${name} is new. ${formatKnownProfiles(name, names)}`);
}

/** Formats the existing profiles, and suggests the closest one. */
export function formatKnownProfiles(name: string, names: string[]): string {
  const guess = suggestName(name, names);
  const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : `only ${names[0]}`;
  return `You have ${list}.${guess && ` ${guess}`}`;
}
