import { parseProfileName } from "#client/settings/profiles";
import type { Settings } from "#client/settings/settings";
import { Problem } from "#protocol/errors";
import { formatKnownProfiles } from "../../backend/profile-flag.ts";
import type { Kay } from "../../kay.ts";

/** Runs `kay profile use`: sets the default profile. */
export async function useProfile(kay: Kay, argument: string): Promise<void> {
  const settings = await kay.settings();
  const name = findProfile(settings, argument);
  const previous = settings.profiles.current();
  await settings.profiles.use(name);
  warnOverridden(kay, name);
  if (kay.flags.json) return kay.out.writeJson({ profile: name, previous });
  kay.out.writeLine(
    previous === name ? `Profile ${name} is already the current one.` : `Profile ${name} is now the current one.`,
  );
}

/** Runs `kay profile create`: creates an empty profile, which is not used yet. */
export async function createProfile(kay: Kay, argument: string): Promise<void> {
  const name = parseProfileName(argument);
  const { profiles } = await kay.settings();
  if (profiles.list().includes(name))
    throw new Problem("USAGE", `Profile ${name} already exists.`, { hint: `\`kay profile use ${name}\` uses it.` });
  await profiles.create(name);
  if (kay.flags.json) return kay.out.writeJson({ profile: name, created: true });
  kay.out.writeLine(`Created profile ${name}.`);
  kay.out.writeProgress(`\`kay profile use ${name}\` makes it the current one, \`--profile ${name}\` uses it once.`);
}

/** The variable overrides the choice in every terminal where it is set. */
function warnOverridden(kay: Kay, name: string): void {
  const variable = kay.env.KAY_PROFILE?.trim();
  if (variable && variable !== name)
    kay.out.warn(`KAY_PROFILE is set to ${variable} here and overrides it. Unset it to use profile ${name}.`);
}

/** Checks that a profile exists. @throws Problem NOT_FOUND with the existing ones, USAGE for an invalid name */
export function findProfile({ profiles }: Settings, argument: string): string {
  const name = parseProfileName(argument);
  const names = profiles.list();
  if (names.includes(name)) return name;
  throw new Problem("NOT_FOUND", `Profile ${name} does not exist. ${formatKnownProfiles(name, names)}`, {
    hint: `Run \`kay profile create ${name}\` to create it.`,
  });
}
