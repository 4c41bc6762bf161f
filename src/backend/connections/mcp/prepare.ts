import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import { findGrant, type Grant } from "../../store/grants.ts";
import { putClientIssuer } from "../../store/mcp.ts";
import { type AuthorizationState, listLatestStates } from "../../store/states.ts";
import type { ConnectableService } from "../services/catalog.ts";
import { toGrantAddress } from "../tokens/sealing.ts";
import {
  type McpAuthorization,
  openGrantAuthorization,
  openStateAuthorization,
  type RegisteredClient,
  withAuthorization,
} from "./authorization.ts";
import { checkClientDocument, getClientDocument } from "./client-document.ts";
import { type DiscoveredAuth, discoverAuth } from "./discover.ts";
import { createFetchPolicy } from "./fetch-policy.ts";
import { chooseAuthMethod, forgetClient, getRegisteredClient } from "./register.ts";

/** A service that can be connected now, with the data that its callback needs. */
export type PreparedConsent = { service: ConnectableService; authorization?: McpAuthorization };

/**
 * Discovers where to sign in to an MCP server and becomes a client there. Returns any other service unchanged.
 *
 * @param installationId the installation whose earlier scopes are requested again, with those that the server asked for
 * since
 * @throws Problem SERVICE_FAILED, ADDRESS_REFUSED
 */
export async function prepareConsent(
  ports: BackendPorts,
  service: ConnectableService,
  { redirectUri, installationId }: { redirectUri: string; installationId: string | undefined },
): Promise<PreparedConsent> {
  if (!service.discovers) return { service };
  const { server } = service.discovers;
  const { title } = service.service;
  const policy = await createFetchPolicy(ports, server);
  const auth = await discoverAuth(policy, server, title);
  const { client, registered } = await findClient(ports, service, auth, { redirectUri, installationId });
  if (service.discovers.client && installationId !== undefined)
    await bindOwnClient(ports, { service, installationId }, auth.issuer);
  const grant =
    installationId === undefined ? undefined : await findGrant(ports.db, installationId, service.service.name);
  const { issuer, authorize, token, revocation, resource, namesItself } = auth;
  const authorization: McpAuthorization = {
    issuer,
    authorize,
    token,
    ...(revocation ? { revocation } : {}),
    resource,
    namesItself,
    scopes: [...new Set([...auth.scopes, ...listWantedScopes(grant)])],
    client: { id: client.id, ...(client.secret === undefined ? {} : { secret: client.secret }) },
    clientAuth: client.auth,
    registered,
  };
  return { service: await withAuthorization(ports, service, authorization), authorization };
}

/**
 * Checks whether users can consent at a server without a client that they register. A server that publishes nothing
 * says so by registering kay, if it does.
 *
 * @returns also why not, if the server describes a sign-in
 */
export async function checkConsent(
  ports: BackendPorts,
  server: string,
  redirectUri: string,
): Promise<{ consents: boolean; why?: string }> {
  const title = new URL(server).host;
  let assumed = false;
  try {
    const policy = await createFetchPolicy(ports, server);
    const serverAuth = await discoverAuth(policy, server, title);
    assumed = serverAuth.assumed === true;
    if (assumed) await getRegisteredClient(ports, policy, serverAuth, { redirectUri, title, doubted: undefined });
    if (serverAuth.registration !== undefined || getClientDocument(ports, serverAuth) !== undefined)
      return { consents: true };
    return { consents: false, why: `${title} has a consent for clients that you register: use \`--client-id\`.` };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { consents: false, ...(assumed ? {} : { why: error.message }) };
  }
}

/** Returns the service as it was prepared for this state. @throws Problem STORE_UNREADABLE */
export async function restoreConsent(
  ports: BackendPorts,
  service: ConnectableService,
  state: AuthorizationState,
): Promise<PreparedConsent> {
  const authorization = getStateAuthorization(ports, state);
  if (!authorization) return { service };
  return { service: await withAuthorization(ports, service, authorization), authorization };
}

/** Returns the authorization server that must answer this state. */
export function getStateAuthorization(
  { keys }: Pick<BackendPorts, "keys">,
  state: AuthorizationState,
): McpAuthorization | undefined {
  return state.authorization ? openStateAuthorization(keys, state.hash, state.authorization) : undefined;
}

/** Returns the service that issued the tokens of a connection. @throws Problem STORE_UNREADABLE */
export async function toGrantedService(
  ports: Pick<BackendPorts, "keys" | "fetch"> & Partial<Pick<BackendPorts, "guarded" | "localSecret">>,
  service: ConnectableService,
  grant: Grant,
): Promise<PreparedConsent> {
  if (!grant.authorization) return { service };
  const address = toGrantAddress(grant.installation_id, service);
  const authorization = openGrantAuthorization(ports.keys, address, grant.authorization);
  return { service: await withAuthorization(ports, service, authorization), authorization };
}

/** Handles an authorization server that does not know the client: kay registers again the next time. */
export async function handleUnknownClient(
  ports: BackendPorts,
  authorization: McpAuthorization | undefined,
  { codes, redirectUri }: { codes: string[]; redirectUri: string },
): Promise<void> {
  if (!authorization?.registered || !codes.some((code) => UNKNOWN_CLIENT.has(code))) return;
  await forgetClient(ports, { issuer: authorization.issuer, redirectUri }, authorization.client.id);
}

const UNKNOWN_CLIENT = new Set(["invalid_client", "unauthorized_client"]);

/** Returns a client that was registered by hand, otherwise the URL of kay's document, otherwise a registration. */
async function findClient(
  ports: BackendPorts,
  { discovers, service }: ConnectableService,
  serverAuth: DiscoveredAuth,
  { redirectUri, installationId }: { redirectUri: string; installationId: string | undefined },
): Promise<{ client: RegisteredClient; registered: boolean }> {
  const ownClient = discovers?.client;
  if (ownClient) {
    const methods = serverAuth.clientAuth.filter((method) => method !== "none");
    const auth = ownClient.secret === undefined ? "none" : (chooseAuthMethod(methods) ?? "client_secret_post");
    return { client: { ...ownClient, auth }, registered: false };
  }
  const document = getClientDocument(ports, serverAuth);
  if (document !== undefined) {
    if (document === ports.clientDocument) await checkClientDocument(ports, document, redirectUri);
    return { client: { id: document, auth: "none" }, registered: false };
  }
  const policy = await createFetchPolicy(ports, discovers?.server ?? serverAuth.token);
  const doubted =
    installationId === undefined ? undefined : await findDoubtedClient(ports, installationId, service.name);
  const client = await getRegisteredClient(ports, policy, serverAuth, { redirectUri, title: service.title, doubted });
  return { client, registered: true };
}

/**
 * Binds a client that was registered by hand to the first authorization server that it was used at (MCP, "Authorization
 * Server Binding"). It is never sent to another one.
 *
 * @throws Problem SERVICE_FAILED when the server names another one now
 */
async function bindOwnClient(
  { db }: Pick<BackendPorts, "db">,
  { service: { service, discovers }, installationId }: { service: ConnectableService; installationId: string },
  issuer: string,
): Promise<void> {
  const { name, title } = service;
  if (discovers?.issuer === undefined) return await putClientIssuer(db, { installationId, name }, issuer);
  if (discovers.issuer === issuer) return;
  const [previousHost, currentHost] = [discovers.issuer, issuer].map((url) => new URL(url).host);
  throw new Problem(
    "SERVICE_FAILED",
    `${title} signs in at ${currentHost} now, and your client ID was registered at ${previousHost}. Nothing was sent.`,
    { hint: `Register a client there, then remove ${name} and add it again with that client ID.` },
  );
}

/**
 * Returns a client that its server may have forgotten. Such a server shows an error page and does not tell kay. So if
 * no user returned from the last links, the client is registered again.
 */
async function findDoubtedClient(
  ports: BackendPorts,
  installationId: string,
  service: string,
): Promise<string | undefined> {
  const states = await listLatestStates(ports.db, installationId, service, MOST_UNANSWERED);
  const open = states.filter(({ status }) => status === "pending");
  if (open.length < MOST_UNANSWERED) return undefined;
  const ids = new Set(open.map((state) => getStateAuthorization(ports, state)?.client.id));
  return ids.size === 1 ? [...ids][0] : undefined;
}

const MOST_UNANSWERED = 2;

/** Returns the scopes of a connection, and those that the server asked for besides. */
function listWantedScopes(grant: Grant | undefined): string[] {
  if (grant?.wanted_scopes == null) return [];
  return `${grant.scopes} ${grant.wanted_scopes}`.split(/\s+/).filter(Boolean);
}
