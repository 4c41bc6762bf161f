import { readTokenTimes } from "#client/credentials/expiry";
import { testRefresh } from "../../doctor/refresh.ts";
import { type Check, type Finding, ok, warn } from "./check.ts";
import type { CheckContext } from "./context.ts";

/** Whether the backend knows who is asking, by a call that only reads; with `--refresh` the tokens are rotated first. */
export const signInCheck: Check = {
  id: "sign-in",
  title: "Sign-in",
  async look(facts) {
    const link = await facts.reached();
    if (link.usesEnvironmentToken) {
      await link.api.connections({ signal: facts.signal });
      return ok("The backend accepts the token of KAY_TOKEN.");
    }
    const { token, refresh_token } = await facts.signIn();
    if (!token && !refresh_token) return warn("Nobody is signed in.", "Run `kay connect <service>`.");
    const refreshed = facts.refresh ? await testRefresh(facts, link) : null;
    if (refreshed !== null && refreshed.state !== "ok") return refreshed;
    await link.credentials.exclusively(async () => {}, facts.signal);
    await link.api.connections({ signal: facts.signal });
    return accept(facts, refreshed);
  },
};

async function accept(facts: CheckContext, refreshed: Finding | null): Promise<Finding> {
  const before = await facts.signIn();
  const { credentials, origin } = await facts.account();
  const { signIn: now } = await credentials.read(origin);
  facts.scrub.hide(now.token, now.refresh_token);
  if (refreshed) return ok(`${refreshed.detail} The backend accepts the new one.`);
  if (now.token !== before.token)
    return ok("The access token was due and was refreshed; the backend accepts the new one.");
  const { expires } = readTokenTimes(now.token ?? "");
  if (!now.refresh_token) return ok("The backend accepts the access token; there is none to refresh it with.");
  if (expires === undefined)
    return ok("The backend accepts the access token. `kay doctor --refresh` rehearses its refresh.");
  const minutes = Math.round((expires - facts.kay.clock.now() - (now.clock_offset_ms ?? 0)) / 60_000);
  return ok(
    `The backend accepts the access token, good for ${minutes} min. \`kay doctor --refresh\` rehearses its refresh.`,
  );
}
