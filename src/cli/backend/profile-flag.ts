import type { ProfileChoice } from "#client/settings/profiles";
import { DEFAULT_PROFILE } from "#client/settings/profiles";
import type { Settings } from "#client/settings/settings";
import { suggestName } from "#protocol/closest-name";

/** Returns the flag that makes a printed command use this profile in another terminal. Empty if it would anyway. */
export function formatProfileFlag({ name, source }: ProfileChoice): string {
  return source === "flag" || source === "environment" ? ` --profile ${name}` : "";
}

/** A profile that does not exist counts as empty. kay says so, because it may be a typo. */
export function warnIfNew(settings: Settings, warn: (message: string) => void): void {
  const { name } = settings.getChoice();
  if (name === DEFAULT_PROFILE) return;
  const known = settings.profiles.list();
  if (!known.includes(name)) warn(`Profile ${name} is new. ${formatKnownProfiles(name, known)}`);
}

/** Returns the existing profiles, and the one that may be meant. */
export function formatKnownProfiles(typed: string, known: string[]): string {
  const guess = suggestName(typed, known);
  const list = known.length > 1 ? `${known.slice(0, -1).join(", ")} and ${known.at(-1)}` : `only ${known[0]}`;
  return `You have ${list}.${guess && ` ${guess}`}`;
}
