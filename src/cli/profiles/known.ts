import type { Settings } from "#client/settings";
import { checkProfile } from "#client/settings/profile-name";
import { Problem } from "#protocol/errors";
import { youHave } from "../profile.ts";

/** A profile that is there. @throws Problem NOT_FOUND with those there are, USAGE for what can be no name */
export function knownProfile({ profiles }: Settings, typed: string): string {
  const name = checkProfile(typed);
  const known = profiles.list();
  if (known.includes(name)) return name;
  throw new Problem("NOT_FOUND", `There is no profile ${name}. ${youHave(name, known)}`, {
    hint: `\`kay profile create ${name}\` makes it.`,
  });
}
