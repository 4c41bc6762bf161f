import { Problem } from "#protocol/errors";
import { isScriptToken } from "#protocol/script-token";
import type { Call } from "./send-call.ts";

/** Source of access tokens: stored ones from `refresh.ts`, or one fixed token. */
export type TokenSource = {
  /** Returns the token to send, refreshed before it expires; null without a sign-in. */
  accessToken(): Promise<string | null>;
  /** Returns a new token after the backend rejected this one; null if a refresh does not help. */
  afterRejection(token: string, refusal?: Problem): Promise<string | null>;
};

/** Creates a source for KAY_TOKEN, which is never stored or refreshed. */
export function createFixedTokenSource(token: string): TokenSource {
  return {
    accessToken: async () => token,
    afterRejection: async (_, refusal) => {
      if (isScriptToken(token)) throw scriptTokenProblem(refusal);
      throw new Problem("TOKEN_INVALID", "The backend rejected the token in KAY_TOKEN.", {
        hint: "Set KAY_TOKEN to a valid token, or unset it.",
      });
    },
  };
}

/**
 * Sends a call with the access token. A 401 means that nothing was executed, so the call is sent once more after a
 * refresh, even a POST; a second 401 is final. Concurrent calls with an expired token share one refresh.
 *
 * @param send sends the call, or opens a stream
 * @param fallback used without a sign-in, instead of NOT_SIGNED_IN
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
    const fresh = await tokens.afterRejection(token, error);
    if (fresh === null) throw signedOutProblem(error);
    return send(withAuthorization(call, fresh)).catch((repeated: unknown) => {
      throw isUnauthorized(repeated) ? signedOutProblem(repeated) : repeated;
    });
  }
}

/** Adds the token to a call's headers, and rejects a token that cannot be sent in a header. */
export function withAuthorization(call: Call, token: string): Call {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Problem("TOKEN_INVALID", "The access token contains invalid characters.", {
      hint: "Check KAY_TOKEN for spaces and line breaks.",
    });
  }
  return { ...call, headers: { ...call.headers, Authorization: `Bearer ${token}` } };
}

function isUnauthorized(error: unknown): error is Problem {
  return error instanceof Problem && error.details.http_status === 401;
}

/** Creates the error for a script token that has ended. The backend's sentence names the token and says why. */
function scriptTokenProblem(refusal: Problem | undefined): Problem {
  const code = refusal?.code === "TOKEN_EXPIRED" ? refusal.code : "TOKEN_INVALID";
  return new Problem(code, refusal?.message ?? "The backend rejected the token in KAY_TOKEN.", {
    hint: "Create a token with `kay token create` in a signed-in terminal, and set KAY_TOKEN to it.",
    cause: refusal,
  });
}

async function rejectSignedOut(): Promise<never> {
  throw new Problem("NOT_SIGNED_IN", "You are not signed in.");
}

/** Creates the error for a token that no refresh can replace. The backend's reason is in the details. */
function signedOutProblem(refusal: Problem): Problem {
  return new Problem("NOT_SIGNED_IN", "You are no longer signed in: the backend rejected the access token.", {
    details: { http_status: 401, reason: refusal.code },
    cause: refusal,
  });
}
