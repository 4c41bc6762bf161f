import { readTokenTimes } from "#client/credentials/credentials";
import { createRefresher } from "#client/credentials/refresh";
import { Problem } from "#protocol/errors";
import type { ScriptTokenView } from "#protocol/script-tokens";
import { quoteShellWord } from "#protocol/shell";
import { formatLocalDay } from "#ui/text/local-time";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../../backend/handle.ts";
import { findScriptToken } from "../../backend/script-token.ts";
import { listLostServices } from "../connections.ts";
import { type Check, type Finding, fail, ok, warn } from "./check.ts";
import type { CheckContext } from "./context.ts";

/** Checks the sign-in with a call that only reads. `--refresh` rotates the tokens first. */
export const signInCheck: Check = {
  id: "sign-in",
  title: "Sign-in",
  async look(facts) {
    const link = await facts.connect();
    if (link.usesEnvironmentToken) {
      await link.api.connections({ signal: facts.signal });
      return describeToken(facts, await findScriptToken(facts.kay, link));
    }
    const { token, refresh_token } = await facts.signIn();
    if (!token && !refresh_token) return warn("Not signed in.", "Run `kay connect <service>`.");
    const refreshed = facts.refresh ? await testRefresh(facts, link) : null;
    if (refreshed !== null && refreshed.state !== "ok") return refreshed;
    await link.credentials.exclusively(async () => {}, facts.signal);
    await link.api.connections({ signal: facts.signal }).catch((error: unknown) => {
      throw error instanceof Problem && error.code === "NOT_SIGNED_IN" ? signInEndedProblem() : error;
    });
    return accept(facts, refreshed);
  },
};

/** How long before its end a script token is worth a warning, in ms. */
const TOKEN_WARNING_MS = 7 * 24 * 60 * 60 * 1000;

function describeToken({ kay }: CheckContext, token: ScriptTokenView | undefined): Finding {
  if (!token) return ok("The backend accepts the token of KAY_TOKEN.");
  const text = `The backend accepts the token “${toLine(token.name)}” until ${formatLocalDay(token.expires_at)}.`;
  if (Date.parse(token.expires_at) - kay.clock.now() > TOKEN_WARNING_MS) return ok(text);
  return warn(text, "Create the next one with `kay token create` in a signed-in terminal.");
}

/** The sign-in existed when the checks began. A concurrent check found that it has ended and removed it. */
function signInEndedProblem(): Problem {
  return new Problem("REFRESH_INVALID", "Your sign-in has ended.");
}

async function accept(facts: CheckContext, refreshed: Finding | null): Promise<Finding> {
  const signIn = await facts.signIn();
  const { credentials, origin } = await facts.account();
  const { signIn: now } = await credentials.read(origin);
  facts.scrub.hide(now.token, now.refresh_token);
  if (refreshed) return ok(`${refreshed.detail} The backend accepts the new one.`);
  if (now.token !== signIn.token) return ok("The access token had expired and was refreshed successfully.");
  const { expires } = readTokenTimes(now.token ?? "");
  if (!now.refresh_token) return ok("The backend accepts the access token; there is none to refresh it with.");
  if (expires === undefined)
    return ok("The backend accepts the access token. `kay doctor --refresh` tests the refresh.");
  const minutes = Math.round((expires - facts.kay.clock.now() - (now.clock_offset_ms ?? 0)) / 60_000);
  return ok(
    `The backend accepts the access token, valid for ${minutes} min. \`kay doctor --refresh\` tests the refresh.`,
  );
}

/** Checks how many services are connected, and which connections were lost. */
export const connectionsCheck: Check = {
  id: "connections",
  title: "Connections",
  async look(facts) {
    const { api } = await facts.signedIn();
    const answer = await api.connections({ signal: facts.signal });
    const connections = Object.entries(answer.connections);
    const lost = listLostServices(answer);
    const connected = connections.filter(([, connection]) => connection.connected).map(([name]) => toLine(name));
    if (lost.length > 0) {
      const reasons = lost.map(([name, reason]) => `${name}: ${toLine(reason).replace(/\.$/, "")}`);
      return warn(
        `Lost: ${reasons.join("; ")}.`,
        `Run \`kay connect ${lost.map(([name]) => quoteShellWord(name)).join(" ")}\`.`,
      );
    }
    if (connected.length === 0) return warn("No service is connected.", "Run `kay connect <service>`.");
    return ok(`${connected.length} of ${connections.length} services are connected: ${connected.join(", ")}.`);
  },
};

/** Number of retries after a lost response, well within the minute in which a backend repeats it. */
const TRIES = 3;
const PAUSE_MS = 500;

/**
 * Rotates the tokens like every command: under this machine's lock, and stored before use. A temporary fault leaves the
 * stored tokens unchanged.
 */
async function testRefresh(facts: CheckContext, { api, credentials, origin }: BackendHandle): Promise<Finding> {
  const { clock, out } = facts.kay;
  const { generation, signIn } = await credentials.read(origin);
  if (!signIn.refresh_token) return warn("No refresh token to test.", "Run `kay connect <service>` to sign in again.");
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
  const stored = await credentials.read(origin);
  facts.scrub.hide(stored.signIn.token, stored.signIn.refresh_token);
  if (stored.generation === generation)
    return fail("The refreshed token was not stored.", "Run `kay connect <service>` to sign in again.");
  return ok("The tokens were refreshed, and stored before they were used.");
}
