import type { ConnectResponse, StatusResponse } from "#protocol/connections";
import type { Credentials, SignIn } from "../credentials/credentials.ts";
import { isToken } from "../credentials/envelope.ts";

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
export async function saveCompletedConsent(
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
