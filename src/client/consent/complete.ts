import { sleepOrThrow, throwIfCancelled } from "#net/retry-after";
import type { Connection, ConnectResponse, StatusResponse } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { Api } from "../api/api.ts";
import type { Credentials, SignIn } from "../credentials/credentials.ts";
import { isToken } from "../credentials/envelope.ts";
import { formatServiceName, isTransientError, POLL_INTERVAL_MS, pollAuthorization, type WaitOptions } from "./poll.ts";

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
 * complete, only the ID of the installation is stored, so that a cancellation or denial changes nothing else.
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
function detectLaterConnection({ api, response: attempt, signal }: CompletionOptions, previous: Connection) {
  const isConnected = async (statusKnown: boolean): Promise<boolean> => {
    const { connections } = await api.connections({ session_id: attempt.session_id, signal });
    // A service that was connected before shows no change, so it counts only if the status call cannot tell.
    return connections[attempt.service]?.connected === true && (!previous.connected || !statusKnown);
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

/** How long the backend may take to show a completed connection, in ms. */
const CONFIRM_LIMIT_MS = 15_000;

/**
 * Waits until the backend confirms that a service is connected, and returns the connection with its account. Retries
 * after temporary faults.
 *
 * @param options.session_id for a backend that returned no tokens
 * @throws Problem AUTHORIZATION_FAILED when it is not connected after 15 s
 */
async function waitForConfirmation(
  options: Pick<WaitOptions, "clock" | "signal"> & {
    api: Pick<Api, "connections">;
    service: string;
    session_id?: string;
  },
): Promise<Connection> {
  const { api, clock, service, session_id, signal } = options;
  const deadline = clock.now() + CONFIRM_LIMIT_MS;
  let fault: Problem | undefined;
  throwIfCancelled(signal);
  for (;;) {
    try {
      const { connections } = await api.connections({ session_id, signal });
      const connection = connections[service];
      if (connection?.connected) return connection;
      fault = undefined;
    } catch (error) {
      if (!isTransientError(error)) throw error;
      fault = error;
    }
    if (clock.now() >= deadline) throw fault ?? unconfirmedProblem(service);
    await sleepOrThrow(clock, POLL_INTERVAL_MS, signal);
  }
}

function unconfirmedProblem(connected: string): Problem {
  const service = formatServiceName(connected);
  return new Problem(
    "AUTHORIZATION_FAILED",
    `Consent was given, but the backend does not show ${service} as connected.`,
    {
      hint: `Run \`kay connections\` to check again, or \`kay connect ${quoteShellWord(connected)}\` to try again.`,
    },
  );
}
