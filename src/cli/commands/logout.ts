import { Problem } from "#protocol/errors";
import { Command } from "../command.ts";
import type { Kay } from "../kay.ts";
import { withDeadline } from "../time-limit.ts";

/** `kay logout`: revoke the sign-in at the backend and forget the tokens; the session id stays (guide). It never asks and never fails for the backend's sake. */
export function createLogoutCommand(kay: Kay): Command {
  return new Command("logout").description("Sign out and delete tokens from this machine").action(async () => {
    const { credentials, origin, known } = await kay.resolveTarget();
    known.forget();
    const { signIn } = await credentials.read(origin);
    if (!signIn.token && !signIn.refresh_token) {
      if (kay.flags.json)
        return kay.out.writeJson({ signed_out: true, revoked: false, message: "You were not signed in." });
      return kay.out.writeLine("You were not signed in.");
    }
    const fault = await withDeadline(kay.clock, LIMIT_MS, revoke(kay));
    await credentials.update(origin, ({ session_id }) => ({ session_id }));
    if (fault) kay.out.warn(`${fault.message} The sign-in may live on at the backend until it expires.`);
    if (kay.flags.json) return kay.out.writeJson({ signed_out: true, revoked: !fault });
    kay.out.writeLine("Signed out.");
  });
}

/** How long signing out may take in all, in ms: the start of kay's own backend included. */
const LIMIT_MS = 5_000;

/** Revoke at the backend what is stored here, never the token of KAY_TOKEN; why that was not possible, or null. */
async function revoke(kay: Kay): Promise<Problem | null> {
  try {
    await (await kay.openBackend({ stored: true })).api.logout();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
