import { createServiceHttp } from "#connectors/http/client";
import type { Identity } from "#connectors/oauth";
import type { ServiceConfiguration } from "#connectors/service";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";

/** Longest wait for the account of a token, in ms. */
const TIME_LIMIT = 10_000;

/** The user of a connection that needs no sign-in. */
export const GUEST = { name: "a guest, without sign-in" };

/** Returns the account of a token or secret. @throws Problem AUTH_REQUIRED when the service refuses it */
export async function fetchIdentity(
  ports: BackendPorts,
  configuration: ServiceConfiguration,
  secret: string,
): Promise<Identity> {
  const { service, described } = configuration;
  return described?.identify
    ? await described.identify(secret)
    : await service.identify(createHttp(ports, configuration, secret));
}

/**
 * Returns whether a service that refused a request still accepts its token elsewhere. Services also refuse requests
 * with 401 for a missing permission, and gateways while the service is away. Undefined if there is nothing to ask.
 */
export async function isStillAccepted(
  ports: BackendPorts,
  configuration: ServiceConfiguration,
  token: string,
): Promise<boolean | undefined> {
  const { service, described } = configuration;
  const http = createHttp(ports, configuration, token);
  let wasAsked = described?.identify !== undefined;
  const request: typeof http.request = (request) => {
    wasAsked = true;
    return http.request(request);
  };
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, TIME_LIMIT).unref());
  try {
    await Promise.race([timeout, described?.identify?.(token) ?? service.identify({ ...http, request })]);
    return wasAsked || undefined;
  } catch (error) {
    return !(error instanceof Problem && error.code === "AUTH_REQUIRED");
  }
}

function createHttp(
  { fetch, clock }: BackendPorts,
  { service, endpoints, client, described }: ServiceConfiguration,
  secret: string,
) {
  return createServiceHttp({
    fetch: described?.fetch ?? fetch,
    clock,
    endpoints,
    service,
    token: async () => secret,
    ...(client ? { client } : {}),
    timeout: TIME_LIMIT,
  });
}
