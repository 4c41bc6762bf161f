import type { Connection, ConnectResponse, StatusResponse } from "#protocol/connections";
import type { Api } from "../api/api.ts";
import type { Credentials, SignIn } from "../credentials/credentials.ts";
import { isToken } from "../credentials/envelope.ts";
import { waitForConfirmation } from "./confirm.ts";
import { pollAuthorization, type WaitOptions } from "./poll.ts";

/** How long an authorization link lives, in milliseconds (guide: 10 minutes). */
export const AUTHORIZATION_LIFETIME_MS = 600_000;

/** What is needed to see a connection through, from the answer of connect to the account's name. */
export type CompletionOptions = WaitOptions & {
  api: Pick<Api, "status" | "connections" | "clockOffsetMs">;
  credentials: Credentials;
  /** What the sign-in is stored under. */
  origin: string;
  /** The answer of `connect`. */
  begun: ConnectResponse;
  verifier?: string;
  /** The service as it was before; undefined when nobody was signed in, so that tokens must come from the status call. */
  before?: Connection;
};

/**
 * Wait for the consent, store what came of it, and have the backend confirm the connection. Nothing is stored before the consent is
 * finished, so an interrupted or refused one leaves everything as it was (case A28).
 */
export async function completeConnection(options: CompletionOptions): Promise<Connection> {
  const { api, begun, before } = options;
  const status = await pollAuthorization({
    ...options,
    service: begun.service,
    state: begun.state,
    ...(before && !begun.session_reset ? { later: laterConnection(options, before) } : {}),
  });
  await saveCompletedConsent(options.credentials, options.origin, begun, status, api.clockOffsetMs());
  return waitForConfirmation({ ...options, service: begun.service, session_id: begun.session_id });
}

/**
 * The guide's backend has the status call for first connections only. What later ones come to is then seen in `GET /connections`. kay's
 * own backends answer for every state, and say when it expires.
 */
function laterConnection({ api, begun, signal }: CompletionOptions, before: Connection) {
  const connected = async (statusKnown: boolean): Promise<boolean> => {
    const { connections } = await api.connections({ session_id: begun.session_id, signal });
    // A service that was connected before cannot be seen to become so: it counts when the status call will never tell.
    return connections[begun.service]?.connected === true && (!before.connected || !statusKnown);
  };
  return { guideOnly: begun.expires_at === undefined, connected };
}

/**
 * Store what a finished consent brought. The rule:
 *
 * - Nothing is stored before the consent is finished. An abandoned one leaves the old installation and its tokens as they were.
 * - The installation is the one that `connect` answered, always (guide: "Always update session_id").
 * - When it is another one than before (`session_reset`, or none before), tokens and account of the old one are dropped: they belong to an
 *   installation that the backend no longer knows.
 * - Tokens of the status call replace the stored ones; one that it leaves out, or names by "", "null" or "undefined", does not.
 *
 * @param clockOffsetMs server's clock minus this machine's, so that the first token's expiry is judged by the server's clock (case A07)
 */
async function saveCompletedConsent(
  credentials: Credentials,
  origin: string,
  begun: ConnectResponse,
  status: StatusResponse,
  clockOffsetMs?: number,
): Promise<void> {
  await credentials.update(origin, (current) => merge(current, begun, status, clockOffsetMs));
}

function merge(current: SignIn, begun: ConnectResponse, status: StatusResponse, clockOffsetMs?: number): SignIn {
  const kept: SignIn = current.session_id === begun.session_id ? current : {};
  return {
    ...kept,
    session_id: begun.session_id,
    ...(isToken(status.token) ? { token: status.token } : {}),
    ...(isToken(status.refresh_token) ? { refresh_token: status.refresh_token } : {}),
    ...(status.account_id ? { account_id: status.account_id } : {}),
    ...(clockOffsetMs === undefined ? {} : { clock_offset_ms: clockOffsetMs }),
  };
}
