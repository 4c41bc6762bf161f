import { closest, distance } from "fastest-levenshtein";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import { cleanText } from "../services/clean.ts";
import type { OAuthClient, ServiceConfiguration } from "../services/service.ts";

/** A service that can be connected here: it has a client registered at its provider. */
export type ConnectableService = ServiceConfiguration & { client: OAuthClient };

/**
 * The service of a `?service=` parameter.
 *
 * @throws Problem INVALID_REQUEST without one, UNKNOWN_SERVICE with the services there are and the nearest name
 */
export function findService(
  ports: Pick<BackendPorts, "services">,
  name: string | null | undefined,
): ServiceConfiguration {
  const names = ports.services.map((configuration) => configuration.service.name);
  if (!name) {
    throw new Problem("INVALID_REQUEST", `Name the service in ?service=, one of ${names.join(", ")}.`);
  }
  const wanted = name.trim().toLowerCase();
  const found = ports.services.find((configuration) => configuration.service.name === wanted);
  if (found) return found;
  const nearest = nearestName(wanted, names);
  const guess = nearest ? ` Did you mean ${nearest}?` : "";
  const shown = cleanText(name).replace(/\s+/g, " ").slice(0, 60);
  throw new Problem(
    "UNKNOWN_SERVICE",
    `There is no service "${shown}".${guess} The services are ${names.join(", ")}.`,
    {
      details: { services: names, ...(nearest ? { nearest } : {}) },
    },
  );
}

/** @throws Problem SERVICE_NOT_CONFIGURED, which says how to configure it */
export function connectable(configuration: ServiceConfiguration): ConnectableService {
  const { service, client } = configuration;
  if (client) return { ...configuration, client };
  const provider = service.oauth.provider.toUpperCase();
  const variables = [`KAY_CLIENT_${provider}_ID`, `KAY_CLIENT_${provider}_SECRET`];
  const places = ["AUTHORIZE", "TOKEN", "API"].map((place) => `KAY_${provider}_${place}_URL`);
  const needed = service.endpoints.api === "" ? [...variables, ...places] : variables;
  throw new Problem(
    "SERVICE_NOT_CONFIGURED",
    `${service.name} is not configured on this backend. Whoever runs it sets ${needed.join(", ")}.`,
    { details: { service: service.name } },
  );
}

function nearestName(wanted: string, names: string[]): string | undefined {
  if (names.length === 0 || wanted.length > 60) return undefined;
  const nearest = closest(wanted, names);
  return distance(wanted, nearest) <= Math.max(2, Math.floor(nearest.length / 2)) ? nearest : undefined;
}
