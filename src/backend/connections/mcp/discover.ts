import * as oauth from "oauth4webapi";
import { type AuthChallenge, parseChallenge, parseScopes } from "#connectors/mcp/transport/challenge";
import { getRedirectTarget, isFollowable } from "#connectors/mcp/transport/redirect";
import { Problem } from "#protocol/errors";
import { sanitizeSentence } from "../tokens/token-answer.ts";
import { discoveryProblem, type FetchPolicy, fetchUnder, parseSafeUrl, readDocument } from "./fetch-policy.ts";

/** How to sign in to an MCP server, according to its documents and as far as kay supports it. */
export type DiscoveredAuth = {
  /** The authorization server's issuer, byte for byte. */
  issuer: string;
  authorize: string;
  token: string;
  registration?: string;
  revocation?: string;
  /** The resource that tokens are requested for (RFC 8707). */
  resource: string;
  /** Scopes to request. */
  scopes: string[];
  /** Ways of a client to authenticate at the token endpoint. */
  clientAuth: string[];
  /** Its answers name it (RFC 9207). */
  namesItself: boolean;
  /** It accepts the URL of a metadata document as a client ID. */
  takesDocuments: boolean;
  /** It publishes nothing about itself: these are the default endpoints, which may not exist. */
  assumed?: true;
};

/**
 * Discovers how to sign in to an MCP server (MCP authorization, 2025-06-18 and later): its answer to a request without
 * a token, the metadata of the protected resource (RFC 9728), and the metadata of the authorization server (RFC 8414 or
 * OpenID Connect Discovery). All of it is untrusted: kay follows only addresses that `reach` allows, over https,
 * without redirects, and names must match. A server with neither document has the default endpoints of 2025-03-26.
 *
 * @throws Problem SERVICE_FAILED with what is wrong, ADDRESS_REFUSED
 */
export async function discoverAuth(policy: FetchPolicy, server: string, title: string): Promise<DiscoveredAuth> {
  const challenge = await fetchChallenge(policy, server, title);
  const resource = await fetchResourceMetadata(policy, server, challenge, title);
  const issuer = chooseIssuer(resource?.authorization_servers, policy, server, title);
  const metadata = await fetchServerMetadata(policy, issuer, title);
  if (!metadata && resource) throw noMetadataProblem(title, issuer.host);
  if (!metadata) return assumeEndpoints(server, challenge);
  return {
    ...getEndpoints(metadata, policy, title),
    issuer: metadata.issuer,
    resource: typeof resource?.resource === "string" ? resource.resource : toCanonicalUrl(server),
    scopes: withOffline(
      challenge.scopes.length > 0 ? challenge.scopes : parseScopes(resource?.scopes_supported),
      metadata,
    ),
    clientAuth: toTexts(metadata.token_endpoint_auth_methods_supported) ?? ["client_secret_basic"],
    namesItself: metadata.authorization_response_iss_parameter_supported === true,
    takesDocuments: (metadata as Record<string, unknown>).client_id_metadata_document_supported === true,
  };
}

/** Returns the default endpoints of a server without metadata (MCP authorization, 2025-03-26, 2.3.3). */
function assumeEndpoints(server: string, { scopes }: AuthChallenge): DiscoveredAuth {
  const { origin } = new URL(server);
  return {
    issuer: origin,
    authorize: `${origin}/authorize`,
    token: `${origin}/token`,
    registration: `${origin}/register`,
    resource: toCanonicalUrl(server),
    scopes,
    clientAuth: ["none", "client_secret_post"],
    namesItself: false,
    takesDocuments: false,
    assumed: true,
  };
}

/** @param host of the authorization server */
export function noMetadataProblem(title: string, host: string): Problem {
  return discoveryProblem(title, `${host} does not publish authorization server metadata`);
}

/** Returns the server's answer to a request without a token. */
async function fetchChallenge(policy: FetchPolicy, server: string, title: string): Promise<AuthChallenge> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: HELLO }),
  };
  const asked = new URL(server);
  let response = await fetchUnder(policy, asked, init, title);
  await response.body?.cancel().catch(() => {});
  const target = getRedirectTarget(response, asked);
  if (target && isFollowable(response, target, { asked, method: "POST" })) {
    response = await fetchUnder(policy, target, init, title);
    await response.body?.cancel().catch(() => {});
  }
  return response.status === 401 || response.status === 403 ? parseChallenge(response.headers) : { scopes: [] };
}

const HELLO = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "kay", version: "1" } };

/** @throws Problem SERVICE_FAILED when the metadata belongs to another resource */
async function fetchResourceMetadata(
  policy: FetchPolicy,
  server: string,
  { resourceMetadata: advertised }: AuthChallenge,
  title: string,
): Promise<Record<string, unknown> | undefined> {
  const { origin, pathname } = new URL(server);
  const advertisedUrl = parseSafeUrl(advertised, policy);
  const path = pathname.replace(/(?<!\/)\/+$/, "");
  const urls = [
    ...(advertisedUrl ? [advertisedUrl.href] : []),
    ...(path === "" ? [] : [`${origin}/.well-known/oauth-protected-resource${path}`]),
    `${origin}/.well-known/oauth-protected-resource`,
  ];
  const document = await readFirstDocument(policy, urls, title, ["resource", "authorization_servers"]);
  if (!document || speaksFor(document.resource, server)) return document;
  throw discoveryProblem(title, "its metadata describes another resource");
}

/**
 * Reads the first document with one of the fields. Servers answer for addresses that they do not know with errors of any
 * kind, and with documents about something else. Only if no address has a document, an error counts.
 */
async function readFirstDocument(
  policy: FetchPolicy,
  urls: string[],
  title: string,
  fields: string[],
): Promise<Record<string, unknown> | undefined> {
  let failure: Problem | undefined;
  for (const url of new Set(urls)) {
    try {
      const document = await readDocument(policy, new URL(url), title);
      if (document && fields.some((field) => document[field] !== undefined)) return document;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "SERVICE_FAILED") throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  return undefined;
}

/** Whether a resource is this server: of its origin, and its path or one above it. */
function speaksFor(resource: unknown, server: string): boolean {
  if (typeof resource !== "string" || !URL.canParse(resource)) return false;
  const [url, serverUrl] = [new URL(resource), new URL(server)];
  if (url.origin !== serverUrl.origin || url.hash !== "" || url.username !== "" || url.password !== "") return false;
  const endWithSlash = (path: string) => `${path.replace(/(?<!\/)\/+$/, "")}/`;
  return endWithSlash(serverUrl.pathname).startsWith(endWithSlash(url.pathname));
}

/** Returns the first usable authorization server. A server that names none is its own (2025-03-26). */
function chooseIssuer(candidates: unknown, policy: FetchPolicy, server: string, title: string): URL {
  if (candidates === undefined) return new URL(new URL(server).origin);
  for (const candidate of toTexts(candidates) ?? []) {
    const issuer = parseSafeUrl(candidate, policy);
    if (issuer && issuer.search === "") return issuer;
  }
  throw discoveryProblem(title, "it names no authorization server that kay trusts");
}

async function fetchServerMetadata(
  policy: FetchPolicy,
  issuer: URL,
  title: string,
): Promise<oauth.AuthorizationServer | undefined> {
  const urls = listMetadataUrls(issuer);
  const document = await readFirstDocument(policy, urls, title, ["issuer", "authorization_endpoint"]);
  if (!document) return undefined;
  try {
    const expected = isSameIssuer(document.issuer, issuer.href) ? new URL(String(document.issuer)) : issuer;
    return await oauth.processDiscoveryResponse(expected, Response.json(document));
  } catch (cause) {
    throw discoveryProblem(title, `the metadata at ${issuer.host} belongs to another authorization server`, { cause });
  }
}

/** Whether two texts name one issuer. A final slash makes no difference, as for the metadata URL (RFC 8414, 3.1). */
export function isSameIssuer(issuer: unknown, other: string): boolean {
  const [left, right] = [issuer, other].map((text) => String(text).replace(/(?<!\/)\/$/, ""));
  return left === right && URL.canParse(other);
}

/** Lists the metadata URLs of an issuer, in the order of the MCP specification. */
function listMetadataUrls({ origin, pathname }: URL): string[] {
  const path = pathname.replace(/(?<!\/)\/+$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

type Endpoints = Pick<DiscoveredAuth, "authorize" | "token" | "registration" | "revocation">;

function getEndpoints(metadata: oauth.AuthorizationServer, policy: FetchPolicy, title: string): Endpoints {
  const [authorize, token] = [metadata.authorization_endpoint, metadata.token_endpoint].map(
    (one) => parseSafeUrl(one, policy)?.href,
  );
  if (!authorize || !token)
    throw discoveryProblem(title, "its authorization server names endpoints that kay does not trust");
  if (!toTexts(metadata.code_challenge_methods_supported)?.includes("S256"))
    throw discoveryProblem(title, "its authorization server does not announce PKCE with S256", {
      hint: "MCP requires it. Ask the server's administrator to publish `code_challenge_methods_supported`.",
    });
  const grants = toTexts(metadata.grant_types_supported);
  if (grants && !grants.includes("authorization_code"))
    throw discoveryProblem(title, `its authorization server accepts only ${sanitizeSentence(grants.join(", "))}`);
  const [registration, revocation] = [metadata.registration_endpoint, metadata.revocation_endpoint].map(
    (one) => parseSafeUrl(one, policy)?.href,
  );
  return { authorize, token, ...(registration ? { registration } : {}), ...(revocation ? { revocation } : {}) };
}

/** Adds the scope that requests refresh tokens if the server supports it (OpenID Connect Core, section 11). */
function withOffline(scopes: string[], metadata: oauth.AuthorizationServer): string[] {
  const isSupported = toTexts(metadata.scopes_supported)?.includes(OFFLINE_SCOPE) === true;
  return isSupported && !scopes.includes(OFFLINE_SCOPE) ? [...scopes, OFFLINE_SCOPE] : scopes;
}

export const OFFLINE_SCOPE = "offline_access";

/** Returns the server's address as a resource: without a fragment, and without a slash if it has no path. */
function toCanonicalUrl(server: string): string {
  const { origin, pathname, search } = new URL(server);
  return `${origin}${pathname === "/" ? "" : pathname}${search}`;
}

function toTexts(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((text): text is string => typeof text === "string").slice(0, 100);
}
