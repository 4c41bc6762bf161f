import type { LogoutResponse } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import { tryParseJson } from "#protocol/json";
import { isToken } from "../credentials/envelope.ts";
import type { BackendConnection } from "./backend-connection.ts";
import { type TokenSource, withAuthorization } from "./bearer.ts";
import { type Call, readAnswer, sendCall, toAnswerContext } from "./send-call.ts";

/**
 * Result of one refresh: new tokens; a used, revoked or expired refresh token; or a temporary fault, after which the
 * stored tokens are still valid.
 */
type RefreshAnswer =
  | { kind: "ok"; token: string; refresh_token?: string /** Server's clock, in ms since 1970. */; serverNow?: number }
  | { kind: "invalid"; code: string; message: string }
  | { kind: "passing"; problem: Problem };

/** `POST /auth/refresh` with one refresh token, sent once. The same key and token get the same new pair. */
export type RefreshCall = (refreshToken: string, idempotencyKey: string) => Promise<RefreshAnswer>;

/** Time limit of a refresh, in ms. */
const REFRESH_LIMIT_MS = 10_000;

/** Creates the refresh call of a backend. Never throws a Problem, but returns one of the three kinds. */
export function createRefreshCall(backend: BackendConnection, timeoutMs: number): RefreshCall {
  return async (refreshToken, key) => {
    const call: Call = {
      method: "POST",
      path: "/auth/refresh",
      route: "refresh",
      body: { refresh_token: refreshToken },
      headers: { "Idempotency-Key": key },
      timeoutMs: Math.min(timeoutMs, REFRESH_LIMIT_MS),
    };
    try {
      const answer = await sendCall(backend, call);
      const { RefreshResponse } = await import("#protocol/connections");
      const { token, refresh_token } = readAnswer(
        RefreshResponse,
        answer,
        toAnswerContext(backend, call),
        "the answer of POST /auth/refresh",
      );
      if (!isToken(token)) throw new Problem("BAD_ANSWER", "The backend's answer to the refresh has no token.");
      const serverNow = Date.parse(answer.headers.date ?? "");
      return {
        kind: "ok",
        token,
        ...(isToken(refresh_token) ? { refresh_token } : {}),
        ...(Number.isNaN(serverNow) ? {} : { serverNow }),
      };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return isFinal(error)
        ? { kind: "invalid", code: error.code, message: error.message }
        : { kind: "passing", problem: error };
    }
  };
}

/**
 * Whether an error ends the sign-in. Only 400, 401 and 403 of the backend itself do: a web page comes from a gateway,
 * and a rejected address or local secret says nothing about the token.
 */
function isFinal({ code, details }: Problem): boolean {
  const elsewhere = ["BAD_ANSWER", "HOST_REFUSED", "ORIGIN_REFUSED", "LOCAL_SECRET_REQUIRED"];
  return [400, 401, 403].includes(Number(details.http_status)) && !elsewhere.includes(code);
}

const LOGOUT_LIMIT_MS = 5_000;

/** The result of the revocation, by service. */
export type Revocations = NonNullable<LogoutResponse["revocations"]>;

/** `POST /auth/logout` with the given or the current token; see `Api.logout`. */
export async function sendLogout(
  backend: BackendConnection,
  tokens: TokenSource,
  key?: string,
  { disconnect = false }: { disconnect?: boolean } = {},
): Promise<Revocations> {
  const timeout = new AbortController();
  const limit = backend.clock.sleep(LOGOUT_LIMIT_MS, timeout.signal).then(() => {
    if (!timeout.signal.aborted) throw new Problem("TIMED_OUT", "The backend did not answer the logout within 5 s.");
  });
  const work = async () => {
    const token = key ?? (await tokens.accessToken());
    if (token === null) return {};
    const call: Call = {
      method: "POST",
      path: "/auth/logout",
      ...(disconnect ? { body: { disconnect } } : {}),
      timeoutMs: LOGOUT_LIMIT_MS,
      signal: timeout.signal,
    };
    const answer = await sendCall(backend, withAuthorization(call, token));
    const { LogoutResponse } = await import("#protocol/connections");
    return LogoutResponse.safeParse(tryParseJson(answer.body)).data?.revocations ?? {};
  };
  try {
    return (await Promise.race([work(), limit])) ?? {};
  } catch (error) {
    if (!(error instanceof Problem) || !isSignedOut(error)) throw error;
    return {};
  } finally {
    timeout.abort();
  }
}

/** Whether the sign-in has ended already, so that nothing is left to revoke. */
function isSignedOut({ code, details }: Problem): boolean {
  return details.http_status === 401 || code === "REFRESH_INVALID" || code === "REFRESH_REUSED";
}
