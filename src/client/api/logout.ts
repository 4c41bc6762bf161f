import { Problem } from "#protocol/errors";
import type { BackendConnection } from "./backend-connection.ts";
import { type TokenSource, withAuthorization } from "./bearer.ts";
import { type Call, sendCall } from "./send-call.ts";

const LOGOUT_LIMIT_MS = 5_000;

/** `POST /auth/logout` with the token that is given, else with the current one; see `Api.logout`. */
export async function sendLogout(backend: BackendConnection, tokens: TokenSource, given?: string): Promise<void> {
  const over = new AbortController();
  const limit = backend.clock.sleep(LOGOUT_LIMIT_MS, over.signal).then(() => {
    if (!over.signal.aborted) throw new Problem("TIMED_OUT", "The backend did not answer the logout within 5 s.");
  });
  const work = async () => {
    const token = given ?? (await tokens.accessToken());
    if (token === null) return;
    const call: Call = { method: "POST", path: "/auth/logout", timeoutMs: LOGOUT_LIMIT_MS, signal: over.signal };
    await sendCall(backend, withAuthorization(call, token));
  };
  try {
    await Promise.race([work(), limit]);
  } catch (error) {
    if (!(error instanceof Problem) || !isSignedOut(error)) throw error;
  } finally {
    over.abort();
  }
}

/** The backend knows the token no more, or ended the sign-in before: there is nothing left to revoke. */
function isSignedOut({ code, details }: Problem): boolean {
  return details.http_status === 401 || code === "REFRESH_INVALID" || code === "REFRESH_REUSED";
}
