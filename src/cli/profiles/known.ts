import { parseProfileName } from "#client/settings/profile-name";
import type { Settings } from "#client/settings/settings";
import { Problem } from "#protocol/errors";
import { formatKnownProfiles } from "../backend/profile-flag.ts";

/** A profile that is there. @throws Problem NOT_FOUND with those there are, USAGE for what can be no name */
export function findProfile({ profiles }: Settings, typed: string): string {
  const name = parseProfileName(typed);
  const known = profiles.list();
  if (known.includes(name)) return name;
  throw new Problem("NOT_FOUND", `There is no profile ${name}. ${formatKnownProfiles(name, known)}`, {
    hint: `\`kay profile create ${name}\` makes it.`,
  });
}
