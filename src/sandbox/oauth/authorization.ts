import { isLoopbackHost } from "#net/addresses";
import type { OAuthTraits, RefreshTokenRule } from "../provider.ts";

/** An authorization request that may be shown to the user. */
export type AuthorizationRequest = {
  client: string;
  redirectUri: string;
  state: string | undefined;
  scopes: string[];
  challenge?: string;
  asksRefresh?: RefreshTokenRule;
};

/**
 * Result of validating an authorization request: `ask` the user; `redirect` the error to the client; or `refuse` on a
 * local page, because an invalid client or redirect address must never be redirected to (RFC 6749 section 4.1.2.1).
 */
export type ParsedAuthorization =
  | { outcome: "ask"; authorization: AuthorizationRequest }
  | { outcome: "redirect"; location: string }
  | { outcome: "refuse"; reason: string };

/** Validates the query of an authorization request. */
export function parseAuthorization(query: URLSearchParams, traits: OAuthTraits, clientId: string): ParsedAuthorization {
  const repeatedName = [...new Set(query.keys())].find((name) => query.getAll(name).length > 1);
  if (repeatedName) return { outcome: "refuse", reason: `The parameter ${repeatedName} occurs more than once.` };
  if (query.get("client_id") !== clientId)
    return { outcome: "refuse", reason: "This client_id is not registered with the sandbox." };
  const redirectUri = query.get("redirect_uri") ?? "";
  if (!isLoopbackUrl(redirectUri)) {
    return {
      outcome: "refuse",
      reason:
        "redirect_uri must be an http: or https: address of this machine (127.0.0.1, [::1] or localhost), without a fragment.",
    };
  }
  const state = query.get("state") ?? undefined;
  const fault = getFault(query, traits);
  if (fault)
    return {
      outcome: "redirect",
      location: buildRedirect(redirectUri, { error: fault[0], error_description: fault[1], state }),
    };
  const challenge = query.get("code_challenge");
  return {
    outcome: "ask",
    authorization: {
      client: clientId,
      redirectUri,
      state,
      scopes: getScopes(query, traits),
      ...(challenge ? { challenge } : {}),
      ...(traits.asksRefresh ? { asksRefresh: traits.asksRefresh(query) } : {}),
    },
  };
}

/** Adds the answer to the query of the redirect address. */
export function buildRedirect(redirectUri: string, answer: Record<string, string | undefined>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** The error for a denied consent. The words are Atlassian's; Bitbucket's differ slightly. */
export function buildDenialRedirect(authorization: AuthorizationRequest): string {
  return buildRedirect(authorization.redirectUri, {
    error: "access_denied",
    error_description: "User did not authorize the request",
    state: authorization.state,
  });
}

function getFault(query: URLSearchParams, traits: OAuthTraits): [string, string] | undefined {
  if (query.get("response_type") !== "code") return ["unsupported_response_type", "response_type must be code"];
  for (const [name, value] of Object.entries(traits.fixed ?? {})) {
    if (query.get(name) !== value) return ["invalid_request", `${name} must be ${value}`];
  }
  const unknown = getScopes(query, traits).find((scope) => !Object.hasOwn(traits.scopes, scope));
  if (unknown !== undefined) return ["invalid_scope", `unknown scope: ${unknown}`];
  const method = query.get("code_challenge_method");
  const challenge = query.get("code_challenge");
  if (challenge === null && traits.needsChallenge) return ["invalid_request", "code_challenge is required"];
  if (challenge !== null && (method !== "S256" || !/^[A-Za-z0-9_-]{43}$/.test(challenge))) {
    return ["invalid_request", "code_challenge must be an S256 challenge"];
  }
  return undefined;
}

/** Without a scope parameter, the client gets all its registered scopes, as at Bitbucket. */
function getScopes(query: URLSearchParams, traits: OAuthTraits): string[] {
  const scopes = (query.get(traits.scopeParameter ?? "scope") ?? "").split(/[\s,]+/).filter(Boolean);
  return scopes.length > 0 ? [...new Set(scopes)] : Object.keys(traits.scopes);
}

function isLoopbackUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, hash, username } = new URL(address);
  const isLocal = isLoopbackHost(hostname);
  return (
    isLocal &&
    (protocol === "http:" || protocol === "https:") &&
    hash === "" &&
    username === "" &&
    !address.includes("#")
  );
}
