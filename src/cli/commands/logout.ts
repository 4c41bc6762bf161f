import { Problem } from "#protocol/errors";
import { Command } from "../command.ts";
import type { Kay } from "../kay.ts";
import { withDeadline } from "../time-limit.ts";

/**
 * Creates `kay logout`, which revokes the sign-in and deletes its tokens. Keeps the session ID, never prompts, and
 * succeeds even if the backend cannot be reached.
 */
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
    if (fault) kay.out.warn(`${fault.message} The sign-in may remain valid at the backend until it expires.`);
    if (kay.flags.json) return kay.out.writeJson({ signed_out: true, revoked: !fault });
    kay.out.writeLine("Signed out.");
  });
}

/** Time limit in ms for signing out, including the start of the local backend. */
const LIMIT_MS = 5_000;

/**
 * Revokes the stored sign-in at the backend, never the token in KAY_TOKEN. Returns the error if that failed, or null.
 */
async function revoke(kay: Kay): Promise<Problem | null> {
  try {
    await (await kay.openBackend({ stored: true })).api.logout();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
