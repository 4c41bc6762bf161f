import type { Revocations } from "#client/api/refresh-call";
import { Problem } from "#protocol/errors";
import { Command } from "../command.ts";
import type { Kay } from "../kay.ts";
import { withDeadline } from "../time-limit.ts";
import { warnAboutAccess } from "./disconnect.ts";

/**
 * Creates `kay logout`, which revokes the sign-in, disconnects all services and deletes the tokens. Keeps the session
 * ID, never prompts, and succeeds even if the backend cannot be reached.
 */
export function createLogoutCommand(kay: Kay): Command {
  return new Command("logout").description("Sign out, disconnect services and revoke your tokens").action(async () => {
    const { credentials, origin, completions } = await kay.resolveTarget();
    completions.forget();
    const { signIn } = await credentials.read(origin);
    if (!signIn.token && !signIn.refresh_token) {
      if (kay.flags.json)
        return kay.out.writeJson({ signed_out: true, revoked: false, message: "You were not signed in." });
      return kay.out.writeLine("You were not signed in.");
    }
    let revocations: Revocations = {};
    const work = revoke(kay, (result) => {
      revocations = result;
    });
    const fault = await withDeadline(kay.clock, LIMIT_MS, work);
    await credentials.update(origin, ({ session_id }) => ({ session_id }));
    if (fault) kay.out.warn(`${fault.message} The sign-in may remain valid at the backend until it expires.`);
    if (kay.flags.json)
      return kay.out.writeJson({ signed_out: true, revoked: !fault, ...(fault ? {} : { revocations }) });
    kay.out.writeLine("Signed out.");
    for (const report of Object.values(revocations)) warnAboutAccess(kay, report);
  });
}

/** Time limit in ms for signing out, including the start of the local backend. */
const LIMIT_MS = 5_000;

/**
 * Revokes the stored sign-in at the backend, never the token in KAY_TOKEN. Returns the error if that failed, or null.
 */
async function revoke(kay: Kay, report: (revocations: Revocations) => void): Promise<Problem | null> {
  try {
    const { api } = await kay.openBackend({ stored: true });
    report(await api.logout(undefined, { disconnect: true }));
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
