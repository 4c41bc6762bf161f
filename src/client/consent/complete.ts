import type { Connection, ConnectResponse } from "#protocol/connections";
import type { Api } from "../api/api.ts";
import { saveCompletedConsent } from "../connect/store.ts";
import type { Credentials } from "../credentials/credentials.ts";
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
