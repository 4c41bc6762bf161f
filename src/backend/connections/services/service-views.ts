import type { ServiceConfiguration } from "#connectors/service";
import type { Connection } from "#protocol/connections";
import type { ServicesResponse, ServiceView } from "#protocol/tools";
import type { BackendPorts } from "../../ports.ts";
import { loadConnections } from "../../store/connections.ts";
import type { Grant } from "../../store/grants.ts";
import { getRedirectUri } from "../consent/authorize.ts";
import { getClientSettings, type ServicePorts, toServices } from "./catalog.ts";
import { toConnectionView } from "./overview.ts";

type Ports = ServicePorts & Pick<BackendPorts, "publicUrl">;

/** Describes each service, connected or not (`GET /services`). */
export async function describeServices(ports: Ports, installationId: string): Promise<ServicesResponse> {
  const stored = await loadConnections(ports.db, installationId);
  const grants = new Map(stored.grants.map((grant) => [grant.service, grant]));
  const services = await toServices(ports, stored);
  return {
    services: services.map((configuration) => {
      const grant = grants.get(configuration.service.name);
      return toServiceView(ports, configuration, toConnectionView(ports, configuration, grant), grant);
    }),
  };
}

/** Describes a service and its connection. */
export function toServiceView(
  ports: Pick<BackendPorts, "publicUrl">,
  configuration: ServiceConfiguration,
  { connected, ...connection }: Connection = { connected: false },
  grant?: Grant,
): ServiceView {
  const { service, endpoints, client, described, discovers } = configuration;
  const { provider, scopes } = service.oauth;
  const state = connected ? "connected" : client ? "not_connected" : "not_configured";
  return {
    name: service.name,
    title: service.title,
    state,
    connected,
    ...(client ? { target: endpoints.api === service.endpoints.api ? "real" : "sandbox" } : {}),
    ...connection,
    scopes: { wanted: scopes, granted: connected && grant ? listGrantedScopes(grant) : [] },
    ...(described || service.credential ? { sign_in: getSignIn(service) } : {}),
    ...(described || configuration.binding !== undefined ? { base_url: endpoints.api } : {}),
    ...(described ? { described: true } : {}),
    ...(described?.mcp ? { mcp: described.mcp } : {}),
    ...(service.credential || (discovers && !discovers.client)
      ? {}
      : {
          client: {
            provider,
            configured: client !== null && endpoints.api === service.endpoints.api && !described?.lacksSecret,
            ...(described
              ? { variables: getClientSettings(service).variables.slice(1), settings: [] }
              : getClientSettings(service)),
            redirect_uri: getRedirectUri(ports, configuration),
            ...(client && endpoints.authorize !== "" ? { authorize_url: endpoints.authorize } : {}),
          },
        }),
    tools: service.tools.map(({ name }) => name),
  };
}

/** Describes how to sign in to a custom service, according to its description. */
function getSignIn({ credential }: ServiceConfiguration["service"]): string {
  if (!credential) return "oauth2";
  if (credential.kind !== "header") return credential.kind === "query" ? "api_key" : credential.kind;
  return credential.name === "authorization" && credential.prefix === "Bearer " ? "bearer" : "api_key";
}

/** Lists the granted scopes. Providers separate them by spaces or commas. */
function listGrantedScopes({ scopes }: Grant): string[] {
  return scopes.split(/[\s,]+/).filter(Boolean);
}
