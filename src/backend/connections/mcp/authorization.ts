import { hash } from "node:crypto";
import type { OAuth, OAuthClient } from "#connectors/oauth";
import type { BackendPorts } from "../../ports.ts";
import type { Keys } from "../../store/keys.ts";
import { seal, unseal } from "../../store/seal.ts";
import type { ConnectableService } from "../services/catalog.ts";
import type { GrantAddress } from "../tokens/sealing.ts";
import { type DiscoveredAuth, OFFLINE_SCOPE } from "./discover.ts";
import { createFetchPolicy, type FetchPolicyPorts } from "./fetch-policy.ts";

/** The authorization server and client of one consent at an MCP server, and of the tokens from it. */
export type McpAuthorization = Pick<
  DiscoveredAuth,
  "issuer" | "authorize" | "token" | "revocation" | "resource" | "scopes" | "namesItself"
> & {
  client: OAuthClient;
  clientAuth: OAuth["clientAuth"];
  /** kay registered itself, and registers again if the server does not know the client. */
  registered: boolean;
};

/** Returns the service with the endpoints and client of this authorization, as for any other service. */
export async function withAuthorization(
  ports: FetchPolicyPorts,
  configuration: ConnectableService,
  { authorize, token, resource, scopes, client, clientAuth }: McpAuthorization,
): Promise<ConnectableService> {
  const { service, endpoints, described, discovers } = configuration;
  const { fetch } = await createFetchPolicy(ports, discovers?.server ?? token);
  return {
    ...configuration,
    client,
    endpoints: { ...endpoints, authorize, token },
    service: {
      ...service,
      oauth: {
        ...service.oauth,
        scopes,
        pkce: true,
        clientAuth,
        refresh: "rotating",
        authorizeParams: { resource, ...(scopes.includes(OFFLINE_SCOPE) ? { prompt: "consent" } : {}) },
        tokenParams: { resource },
        goneErrors: ["invalid_client", "unauthorized_client"],
      },
    },
    ...(described ? { described: { ...described, fetch } } : {}),
  };
}

/** Seals it to the state that it was discovered for. */
export function sealStateAuthorization(keys: Keys, state: Buffer, authorization: McpAuthorization): Buffer {
  return seal(keys.sealing, getStateContext(state), JSON.stringify(authorization));
}

/** @throws Problem STORE_UNREADABLE when the key it was sealed with is gone */
export function openStateAuthorization(keys: Keys, state: Buffer, sealed: Uint8Array): McpAuthorization {
  return JSON.parse(unseal(keys.sealing, getStateContext(state), sealed).toString("utf8")) as McpAuthorization;
}

/** Seals it to the connection whose tokens it belongs to. */
export function sealGrantAuthorization(keys: Keys, address: GrantAddress, authorization: McpAuthorization): Buffer {
  return seal(keys.sealing, grantContext(address), JSON.stringify(authorization));
}

/** @throws Problem STORE_UNREADABLE when the key it was sealed with is gone */
export function openGrantAuthorization(keys: Keys, address: GrantAddress, sealed: Uint8Array): McpAuthorization {
  return JSON.parse(unseal(keys.sealing, grantContext(address), sealed).toString("utf8")) as McpAuthorization;
}

/** Seals a registration of this backend to its authorization server and redirect address. */
export function sealClient(ports: Pick<BackendPorts, "keys">, place: ClientPlace, client: RegisteredClient): Buffer {
  return seal(ports.keys.sealing, getClientContext(place), JSON.stringify(client));
}

/** @throws Problem STORE_UNREADABLE when the key it was sealed with is gone */
export function openClient(
  ports: Pick<BackendPorts, "keys">,
  place: ClientPlace,
  sealed: Uint8Array,
): RegisteredClient {
  return JSON.parse(unseal(ports.keys.sealing, getClientContext(place), sealed).toString("utf8")) as RegisteredClient;
}

/** A client, how it authenticates, and when its secret expires (ms). */
export type RegisteredClient = OAuthClient & { auth: OAuth["clientAuth"]; expiresAt?: number };
export type ClientPlace = { issuer: string; redirectUri: string };

function getStateContext(state: Buffer): string {
  return `states/${state.toString("hex")}/authorization`;
}

function grantContext({ installationId, service, binding = "" }: GrantAddress): string {
  return `grants/${installationId}/${service}/authorization/${binding}`;
}

function getClientContext({ issuer, redirectUri }: ClientPlace): string {
  return `mcp_clients/${hash("sha256", JSON.stringify([issuer, redirectUri]), "hex")}`;
}
