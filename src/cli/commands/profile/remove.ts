import type { Credentials, SignIn } from "#client/credentials/credentials";
import { DEFAULT_PROFILE } from "#client/settings/profiles";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { Kay, OtherProfile } from "../../kay.ts";
import { confirmOrThrow } from "../../prompt/question.ts";
import { withDeadline } from "../../time-limit.ts";
import { warnAboutAccess } from "../disconnect.ts";
import { findProfile } from "./use.ts";

/** Time limit for ending the sign-in at one backend, in ms, including the start of the local one. */
const LIMIT_MS = 10_000;

/** The stored data of a profile; `signIns` is null if it cannot be decrypted. */
type ProfileData = { profile: OtherProfile; credentials: Credentials; signIns: Record<string, SignIn> | null };

/**
 * Runs `kay profile remove`: asks, ends the sign-in at each reachable backend, and then deletes the profile's data. The
 * settings are deleted last, so that an unfinished removal can be repeated.
 *
 * @throws Problem KEYCHAIN_LOCKED before anything is removed, CANCELLED if the user declines
 */
export async function removeProfile(kay: Kay, argument: string): Promise<void> {
  const settings = await kay.settings();
  const name = findProfile(settings, argument);
  const contents = await getKept(kay, name);
  const isCurrent = settings.profiles.current() === name && name !== DEFAULT_PROFILE;
  if (!(await confirmOrThrow(kay, getQuestion(name, contents, isCurrent), "Use --yes.")))
    throw new Problem("CANCELLED", "Nothing was removed.");
  const signedOut = [];
  for (const [origin, signIn] of Object.entries(contents.signIns ?? {}))
    if (signIn.token || signIn.refresh_token) signedOut.push(await signOut(kay, contents.profile, origin));
  const problem = await contents.credentials.remove();
  if (problem) kay.out.warn(`${problem.message} Its key may still be there, but it can no longer decrypt anything.`);
  await contents.profile.history.remove();
  await settings.profiles.forget(name);
  const current = settings.profiles.current();
  if (kay.env.KAY_PROFILE?.trim() === name) kay.out.warn(`KAY_PROFILE still names profile ${name}.`);
  if (kay.flags.json) return kay.out.writeJson({ profile: name, removed: true, current, signed_out: signedOut });
  kay.out.writeLine(name === DEFAULT_PROFILE ? "Profile default is now empty." : `Removed profile ${name}.`);
  if (isCurrent) kay.out.writeProgress(`Profile ${current} is now the current one.`);
}

async function getKept(kay: Kay, name: string): Promise<ProfileData> {
  const profile = await kay.openProfile(name);
  const { credentials } = profile.account("embedded");
  try {
    return { profile, credentials, signIns: await credentials.origins() };
  } catch (error) {
    // The keychain with its key is gone, so the sign-in cannot be decrypted or ended.
    if (!(error instanceof Problem) || error.code !== "KEYCHAIN_UNAVAILABLE") throw error;
    kay.out.warn(`${error.message} The sign-in of profile ${name} could not be ended at its backend.`);
    return { profile, credentials, signIns: null };
  }
}

function getQuestion(name: string, { profile, signIns }: ProfileData, isCurrent: boolean): string {
  const keys = profile.settings.list().filter(({ source }) => source === "profile");
  const parts = [
    ...(keys.length > 0 ? [`its settings (${keys.map(({ key }) => key).join(", ")})`] : []),
    ...Object.entries(signIns ?? {}).map(([origin, signIn]) => signInWords(origin, signIn)),
    "what was typed in its sessions",
  ];
  const next = isCurrent ? ` Profile ${DEFAULT_PROFILE} becomes the current one.` : "";
  const list = `${parts.slice(0, -1).join(", ")}${parts.length > 1 ? " and " : ""}${parts.at(-1)}`;
  const hasSignIn = Object.keys(signIns ?? {}).length > 0;
  const stays = hasSignIn ? " Its conversations stay at the backend and can no longer be opened." : "";
  return `Remove profile ${name}, with ${list}?${stays}${next}`;
}

function signInWords(origin: string, { accounts = {} }: SignIn): string {
  const backendName = origin === "embedded" ? "the local backend" : origin;
  const people = Object.entries(accounts).map(([service, account]) =>
    clean(`${service} as ${account}`, { lines: false }),
  );
  return `its sign-in at ${backendName}${people.length > 0 ? `, which connects ${people.join(", ")},` : ""}`;
}

/**
 * Disconnects every service, because that is impossible later, and revokes the sign-in. Reports failures and continues.
 */
async function signOut(
  kay: Kay,
  profile: OtherProfile,
  origin: string,
): Promise<{ backend: string; revoked: boolean }> {
  const fault = await withDeadline(kay.clock, LIMIT_MS, revoke(kay, profile, origin));
  if (fault)
    kay.out.warn(`${fault.message} The sign-in and its connections may remain valid at the backend until they expire.`);
  return { backend: origin, revoked: !fault };
}

async function revoke(kay: Kay, profile: OtherProfile, origin: string): Promise<Problem | null> {
  try {
    const account = profile.account(origin);
    const { session_id } = (await account.credentials.read(origin)).signIn;
    const { api } = await profile.link(account);
    const { connections } = await api.connections({ session_id, signal: kay.signal });
    for (const [service, { connected }] of Object.entries(connections))
      if (connected)
        warnAboutAccess(kay, (await api.disconnect(service, { session_id, signal: kay.signal })).revocation);
    await api.logout();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
