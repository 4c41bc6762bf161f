import { Problem } from "#protocol/errors";
import type { Call } from "./send-call.ts";

/** Where access tokens come from: `refresh.ts` for what is stored, or one fixed token. */
export type TokenSource = {
  /** The token to send, refreshed before it expires; null when nobody is signed in. */
  accessToken(): Promise<string | null>;
  /** Another token after the backend refused this one; null when no refresh can cure it. */
  afterRejection(token: string): Promise<string | null>;
};

/** KAY_TOKEN: used as it is, never stored, never refreshed. */
export function createFixedTokenSource(token: string): TokenSource {
  return {
    accessToken: async () => token,
    afterRejection: async () => {
      throw new Problem("TOKEN_INVALID", "The backend refuses the token of KAY_TOKEN.", {
        hint: "Set KAY_TOKEN to a token that is valid, or unset it.",
      });
    },
  };
}

/**
 * Carry out a call with the access token. A 401 means that it was not executed, so after a refresh it is sent once more, also a POST; a
 * second 401 is final. Calls that meet an expired token together share one refresh (the token source sees to that).
 *
 * @param send what carries it out: `exchange`, or what opens a stream
 * @param fallback what to do when nobody is signed in, or no longer; without it that is NOT_SIGNED_IN
 */
export async function withBearer<T>(
  tokens: TokenSource,
  call: Call,
  send: (call: Call) => Promise<T>,
  fallback?: () => Promise<T>,
): Promise<T> {
  const token = await tokens.accessToken();
  if (token === null) return fallback ? fallback() : rejectSignedOut();
  try {
    return await send(withAuthorization(call, token));
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    const fresh = await tokens.afterRejection(token);
    if (fresh === null) throw signedOut(error);
    return send(withAuthorization(call, fresh)).catch((again: unknown) => {
      throw isUnauthorized(again) ? signedOut(again) : again;
    });
  }
}

/** The call with the token in its header. A token that cannot be in a header is refused here rather than by the HTTP library. */
export function withAuthorization(call: Call, token: string): Call {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Problem("TOKEN_INVALID", "The access token has characters that no token has.", {
      hint: "Check KAY_TOKEN for spaces and line breaks.",
    });
  }
  return { ...call, headers: { ...call.headers, Authorization: `Bearer ${token}` } };
}

function isUnauthorized(error: unknown): error is Problem {
  return error instanceof Problem && error.details.http_status === 401;
}

async function rejectSignedOut(): Promise<never> {
  throw new Problem("NOT_SIGNED_IN", "You are not signed in.");
}

/** The backend refuses the token and no refresh helps. Its own reason travels in the details. */
function signedOut(refusal: Problem): Problem {
  return new Problem("NOT_SIGNED_IN", "You are not signed in any more: the backend refuses the access token.", {
    details: { http_status: 401, reason: refusal.code },
    cause: refusal,
  });
}
