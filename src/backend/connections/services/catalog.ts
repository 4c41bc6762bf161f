import { findAccountService } from "#connectors/account-service";
import type { OAuthClient } from "#connectors/oauth";
import type { Service, ServiceConfiguration } from "#connectors/service";
import { clean } from "#protocol/clean";
import { findClosestName, suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import { findKnownService } from "#protocol/known-services";
import { TOKEN_PROVIDERS } from "#protocol/providers";
import { getBaseName } from "#protocol/tool-names";
import type { BackendPorts } from "../../ports.ts";
import { loadConnections, type StoredConnections } from "../../store/connections.ts";
import type { StoredMcp } from "../../store/mcp.ts";
import { toCustomService } from "./custom-service.ts";

/** A service that can be connected here: it has a client registered at its provider. */
export type ConnectableService = ServiceConfiguration & { client: OAuthClient };

/** The sources of an installation's services. */
export type ServicePorts = Pick<BackendPorts, "db" | "services" | "keys" | "fetch"> &
  Partial<Pick<BackendPorts, "guarded" | "localSecret" | "clientSecret" | "links">>;

/**
 * Lists the services of an installation: the built-in ones and those that its user described, each followed by its further
 * accounts (`jira@work`), and the MCP servers. All callers list services here. A built-in name wins over a custom one.
 */
export async function listServices(ports: ServicePorts, installationId: string): Promise<ServiceConfiguration[]> {
  return await toServices(ports, await loadConnections(ports.db, installationId));
}

/** Converts stored rows to the services of {@link listServices}. */
export async function toServices(
  ports: ServicePorts,
  { descriptions, mcp: servers, grants }: StoredConnections,
): Promise<ServiceConfiguration[]> {
  const names = new Set(ports.services.map(({ service }) => service.name));
  const mcp = await toMcpServices(ports, servers, names);
  const accounts = grants.map(({ service }) => service).filter((name) => name.includes("@"));
  const described = descriptions.filter(({ name }) => !names.has(name)).map((row) => toCustomService(ports, row));
  const single = [...ports.services, ...described].flatMap((configuration) => [
    configuration,
    ...accounts
      .filter((name) => getBaseName(name) === configuration.service.name)
      .flatMap((name) => findAccountService([configuration], name) ?? []),
  ]);
  return [...single, ...mcp];
}

async function toMcpServices(
  { links, ...ports }: ServicePorts,
  stored: StoredMcp[],
  builtinNames: Set<string>,
): Promise<ServiceConfiguration[]> {
  const rows = stored.filter(({ name }) => !builtinNames.has(name));
  if (!links || rows.length === 0) return [];
  const { toMcpService } = await import("../mcp/service.ts");
  return rows.map((row) => toMcpService({ ...ports, links }, row));
}

/** Finds the service of a name. `jira@work` counts even before it is connected. */
export function lookUpService(services: ServiceConfiguration[], name: string): ServiceConfiguration | undefined {
  return services.find(({ service }) => service.name === name) ?? findAccountService(services, name);
}

/**
 * Finds the service of a `?service=` parameter.
 *
 * @throws Problem INVALID_REQUEST without one, UNKNOWN_SERVICE with the services there are and the nearest name
 */
export function findService(services: ServiceConfiguration[], name: string | null | undefined): ServiceConfiguration {
  const names = services.map((configuration) => configuration.service.name);
  if (!name) {
    throw new Problem("INVALID_REQUEST", `Name the service in ?service=, one of ${names.join(", ")}.`);
  }
  const normalized = name.trim().toLowerCase();
  const service = lookUpService(services, normalized);
  if (service) return service;
  const nearest = findClosestName(normalized, names);
  const guess = nearest ? ` ${suggestName(normalized, names)}` : "";
  const label = clean(name).replace(/\s+/g, " ").slice(0, 60);
  throw new Problem("UNKNOWN_SERVICE", `Unknown service "${label}".${guess} The services are ${names.join(", ")}.`, {
    ...(findKnownService(getBaseName(normalized))
      ? { hint: `It is an MCP server that kay knows. Add it with \`kay connect ${normalized}\`, outside of a session.` }
      : {}),
    details: { services: names, ...(nearest ? { nearest } : {}) },
  });
}

/** @throws Problem SERVICE_NOT_CONFIGURED, which says how to configure it */
export function requireClient(configuration: ServiceConfiguration): ConnectableService {
  const { service, client } = configuration;
  if (client) return { ...configuration, client };
  const { variables, settings } = getClientSettings(service);
  const { provider } = service.oauth;
  const isPasted = TOKEN_PROVIDERS.some((name) => name === provider);
  const tokenHint = isPasted ? `, or paste a token after \`kay config set ${provider}.sign-in token\`` : "";
  throw new Problem(
    "SERVICE_NOT_CONFIGURED",
    `${service.name} is not configured on this backend. Its administrator must set ${variables.join(", ")}.`,
    {
      hint: `With the local backend, set ${settings.join(", ")} with \`kay config set\`${tokenHint}.`,
      details: { service: service.name },
    },
  );
}

/**
 * Returns where an operator sets the OAuth client of a service: environment variables of the backend, or settings of a
 * local backend. An in-house service without an address needs that too.
 */
export function getClientSettings({ oauth, endpoints }: Service): { variables: string[]; settings: string[] } {
  const { provider } = oauth;
  const name = provider.toUpperCase().replaceAll("-", "_");
  const variables = [`KAY_CLIENT_${name}_ID`, `KAY_CLIENT_${name}_SECRET`];
  const settings = [`${provider}.client-id`, `${provider}.client-secret`];
  if (endpoints.api !== "") return { variables, settings };
  return {
    variables: [...variables, ...["AUTHORIZE", "TOKEN", "API"].map((place) => `KAY_${name}_${place}_URL`)],
    settings: [...settings, ...["authorize", "token", "api"].map((place) => `${provider}.${place}-url`)],
  };
}
