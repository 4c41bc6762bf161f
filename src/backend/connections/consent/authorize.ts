import { randomBytes } from "node:crypto";
import * as oauth from "oauth4webapi";
import type { ServiceConfiguration } from "#connectors/service";
import type { ConnectRequest, ConnectResponse } from "#protocol/connections";
import { createSession, findInstallation, type Session } from "../../accounts/sessions.ts";
import type { BackendPorts } from "../../ports.ts";
import type { DbConnection } from "../../store/schema.ts";
import { hashSecret } from "../../store/secrets.ts";
import { deleteStatesBefore, insertState } from "../../store/states.ts";
import { sealStateAuthorization } from "../mcp/authorization.ts";
import { prepareConsent } from "../mcp/prepare.ts";
import { type ConnectableService, findService, listServices, requireClient } from "../services/catalog.ts";
import { sealVerifier } from "../tokens/sealing.ts";
import { createUserCode, needsBeginPage } from "./browsers.ts";

/** Lifetime of a state, in ms: 10 minutes (docs/protocol.md). */
const STATE_LIFETIME = 10 * 60 * 1000;
/** How long ended states are kept, in ms, so that a late client still learns the outcome. */
const STATE_MEMORY = 24 * 60 * 60 * 1000;

/**
 * Starts the connection of a service: finds or creates the installation, creates a state that is valid for 10 minutes,
 * and returns the URL where the user consents, with the service that it found.
 *
 * @param requester the installation of a valid access token that came with the request, and the address that sent it
 * @throws Problem UNKNOWN_SERVICE, SERVICE_NOT_CONFIGURED, SERVICE_FAILED when a server does not say how to sign in
 */
export async function beginConnect(
  ports: BackendPorts,
  serviceName: string | null | undefined,
  request: ConnectRequest,
  requester: { signedInAs?: string | undefined; address?: string | undefined } = {},
): Promise<{ response: ConnectResponse; service: ConnectableService }> {
  const installationId = await findInstallation(ports.db, request.session_id);
  // A client without an installation has the built-in services.
  const services = installationId ? await listServices(ports, installationId) : ports.services;
  const configuration = requireClient(findService(services, serviceName));
  const { service, authorization } = await prepareConsent(ports, configuration, {
    redirectUri: getRedirectUri(ports),
    installationId: installationId,
  });
  const { name, oauth: provider } = service.service;
  const now = ports.clock.now();
  const state = randomBytes(32).toString("hex");
  const hash = hashSecret(state);
  const verifier = provider.pkce ? oauth.generateRandomCodeVerifier() : undefined;
  const expiresAt = new Date(now + STATE_LIFETIME);
  const userCode = needsBeginPage(ports, service) ? createUserCode() : undefined;
  const session = await ports.db.transaction().execute(async (db) => {
    const session = await recoverSession(db, request.session_id, now);
    await deleteStatesBefore(db, new Date(now - STATE_MEMORY));
    await insertState(db, {
      hash,
      installation_id: session.installationId,
      service: name,
      verifier: verifier === undefined ? null : sealVerifier(ports.keys, hash, verifier),
      code_challenge: request.code_challenge ?? null,
      needs_tokens: request.needs_tokens ?? false,
      signed_in: session.installationId === requester.signedInAs,
      site: request.site?.trim() || null,
      authorization: authorization ? sealStateAuthorization(ports.keys, hash, authorization) : null,
      user_code: userCode ?? null,
      requested_from: requester.address ?? null,
      created_at: new Date(now),
      expires_at: expiresAt,
    });
    return session;
  });
  const message = `Please visit the authorization URL to connect ${name}`;
  const response = {
    service: name,
    session_id: session.sessionId,
    authorization_url: await getLink(ports, service, { state, verifier, userCode }),
    state,
    ...(userCode ? { user_code: userCode } : {}),
    expires_at: expiresAt.toISOString(),
    ...(needsSecretPage(service) && service.service.credential?.kind !== "none" ? { pasted: true } : {}),
    ...(session.reset ? { message: `New session created. ${message}`, session_reset: true } : { message: message }),
  };
  return { response, service };
}

/**
 * Returns the first page for the user: the page for a key, the page that explains the request, or the service itself.
 */
async function getLink(
  ports: BackendPorts,
  service: ConnectableService,
  { userCode, ...values }: { state: string; verifier: string | undefined; userCode: string | undefined },
): Promise<string> {
  if (needsSecretPage(service)) return `${ports.publicUrl}${KEY_PAGE}?state=${values.state}`;
  if (userCode) return `${ports.publicUrl}${BEGIN_PAGE}?state=${values.state}`;
  return buildAuthorizationUrl(ports, service, values);
}

/** Path of the page that explains the request. */
const BEGIN_PAGE = "/auth/begin";

/** Path of the page where the user pastes a key that no OAuth flow provides. */
const KEY_PAGE = "/auth/key";

/** Whether a connection begins on that page: the service has no OAuth, or its client no secret yet. */
export function needsSecretPage({ service, described }: ServiceConfiguration): boolean {
  return service.credential !== undefined || described?.lacksSecret === true;
}

/**
 * Returns the address where providers redirect browsers. It is registered with the provider byte for byte. Each custom
 * service has its own.
 */
export function getRedirectUri(
  ports: Pick<BackendPorts, "publicUrl">,
  configuration?: Pick<ServiceConfiguration, "described">,
): string {
  const callback = configuration?.described?.callback;
  return `${ports.publicUrl}/auth/callback${callback === undefined ? "" : `/${callback}`}`;
}

async function recoverSession(
  db: DbConnection,
  sessionId: string | null | undefined,
  now: number,
): Promise<Session & { reset: boolean }> {
  const installationId = await findInstallation(db, sessionId);
  if (sessionId && installationId) return { sessionId, installationId, reset: false };
  return { ...(await createSession(db, now)), reset: Boolean(sessionId) };
}

/**
 * Builds the authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3). Spaces are `%20`, because not every
 * provider reads `+`.
 */
export async function buildAuthorizationUrl(
  ports: Pick<BackendPorts, "publicUrl">,
  configuration: ConnectableService,
  values: { state: string; verifier: string | undefined },
): Promise<string> {
  const { service, endpoints, client } = configuration;
  const { scopes, scopeParameter = "scope", scopeSeparator = " ", authorizeParams } = service.oauth;
  const parameters: Record<string, string> = {
    ...authorizeParams,
    response_type: "code",
    client_id: client.id,
    redirect_uri: getRedirectUri(ports, configuration),
    ...(scopes.length > 0 ? { [scopeParameter]: scopes.join(scopeSeparator) } : {}),
    state: values.state,
    ...(values.verifier === undefined
      ? {}
      : { code_challenge: await oauth.calculatePKCECodeChallenge(values.verifier), code_challenge_method: "S256" }),
  };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const separator = endpoints.authorize.includes("?") ? "&" : "?";
  return `${endpoints.authorize}${separator}${query.join("&")}`;
}
