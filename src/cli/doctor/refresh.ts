import { createRefresher } from "#client/credentials/refresh";
import { Problem } from "#protocol/errors";
import { type Finding, fail, ok, warn } from "../commands/doctor/check.ts";
import type { CheckContext } from "../commands/doctor/context.ts";
import type { BackendHandle } from "../kay.ts";

/** An answer that was lost is asked for again as often, well within the minute in which a backend repeats it. */
const TRIES = 3;
const PAUSE_MS = 500;

/**
 * Rotate the tokens now, by the refresher that every command uses: under the lock of this machine, stored before anybody uses them. A fault
 * that passes leaves what is stored as it was.
 */
export async function testRefresh(facts: CheckContext, { api, credentials, origin }: BackendHandle): Promise<Finding> {
  const { clock, out } = facts.kay;
  const { generation, signIn } = await credentials.read(origin);
  if (!signIn.refresh_token)
    return warn("There is no refresh token to rehearse with.", "Run `kay connect <service>` to sign in again.");
  const refresher = createRefresher({ origin, credentials, clock, call: api.refresh, warn: out.warn });
  for (let tried = 1; ; tried++) {
    try {
      await refresher.afterRejection(signIn.token ?? "");
      break;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.exit !== 6 || tried === TRIES) return fail(`The refresh failed: ${error.message}`, error.hint);
      await clock.sleep(PAUSE_MS, facts.signal);
    }
  }
  const after = await credentials.read(origin);
  facts.scrub.hide(after.signIn.token, after.signIn.refresh_token);
  if (after.generation === generation)
    return fail("The refreshed token was not stored.", "Run `kay connect <service>` to sign in again.");
  return ok("The tokens were refreshed, and stored before they were used.");
}
