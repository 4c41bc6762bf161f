import type { Connection, ConnectResponse, StatusResponse } from "#protocol/connections";
import type { Api } from "../api/api.ts";
import type { Credentials, SignIn } from "../credentials/credentials.ts";
import { isToken } from "../credentials/envelope.ts";
import { waitForConfirmation } from "./confirm.ts";
import { pollAuthorization, type WaitOptions } from "./poll.ts";

/** Lifetime of an authorization link, in ms. */
export const AUTHORIZATION_LIFETIME_MS = 600_000;

/** Options for completing a connection, from the answer of `connect` to the account's name. */
export type CompletionOptions = WaitOptions & {
  api: Pick<Api, "status" | "connections" | "clockOffsetMs">;
  credentials: Credentials;
  /** Origin that the sign-in is stored for. */
  origin: string;
  /** The answer of `connect`. */
  response: ConnectResponse;
  verifier?: string;
  /** The service before connecting; undefined without a sign-in, so that the status call must return tokens. */
  before?: Connection;
};

/**
 * Waits for the consent, stores the tokens, and waits until the backend confirms the connection. Before the consent is
 * complete, only the ID of the installation is stored, so an aborted or denied one changes nothing else.
 */
export async function completeConnection(options: CompletionOptions): Promise<Connection> {
  const { api, response: attempt, before } = options;
  // The status call hands out the tokens once.
  await options.credentials.withRoom(async () => {
    const status = await pollAuthorization({
      ...options,
      service: attempt.service,
      state: attempt.state,
      ...(before && !attempt.session_reset ? { later: detectLaterConnection(options, before) } : {}),
    });
    await saveCompletedConsent(options.credentials, options.origin, attempt, status, api.clockOffsetMs());
  });
  return waitForConfirmation({ ...options, service: attempt.service, session_id: attempt.session_id });
}

/**
 * Returns how to detect a connection after the first. Some backends report only first connections in the status call;
 * later ones show up in `GET /connections`. kay's backends report all, with an expiry time.
 */
function detectLaterConnection({ api, response: attempt, signal }: CompletionOptions, before: Connection) {
  const isConnected = async (statusKnown: boolean): Promise<boolean> => {
    const { connections } = await api.connections({ session_id: attempt.session_id, signal });
    // A service that was connected before shows no change, so it counts only if the status call cannot tell.
    return connections[attempt.service]?.connected === true && (!before.connected || !statusKnown);
  };
  return { guideOnly: attempt.expires_at === undefined, connected: isConnected };
}

/**
 * Stores the result of a completed consent:
 *
 * - The installation is always the one that `connect` returned.
 * - If it differs from the stored one, the old tokens and account are dropped, because the backend no longer knows
 * their installation.
 * - Tokens of the status call replace the stored ones, unless they are missing, "", "null" or "undefined".
 *
 * @param clockOffsetMs server's clock minus this machine's, for the expiry of the first token
 */
async function saveCompletedConsent(
  credentials: Credentials,
  origin: string,
  attempt: ConnectResponse,
  status: StatusResponse,
  clockOffsetMs?: number,
): Promise<void> {
  await credentials.update(origin, (current) => mergeConsent(current, attempt, status, clockOffsetMs));
}

function mergeConsent(
  current: SignIn,
  attempt: ConnectResponse,
  status: StatusResponse,
  clockOffsetMs?: number,
): SignIn {
  const base: SignIn = current.session_id === attempt.session_id ? current : {};
  const { first: _first, ...rest } = base;
  const isSignedIn = isToken(status.token) || isToken(base.token);
  return {
    ...(isSignedIn ? rest : base),
    session_id: attempt.session_id,
    ...(isToken(status.token) ? { token: status.token } : {}),
    ...(isToken(status.refresh_token) ? { refresh_token: status.refresh_token } : {}),
    ...(status.account_id ? { account_id: status.account_id } : {}),
    ...(clockOffsetMs === undefined ? {} : { clock_offset_ms: clockOffsetMs }),
  };
}
