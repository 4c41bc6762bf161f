import * as oauth from "oauth4webapi";
import type { ServiceConfiguration } from "#connectors/service";
import { Problem } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import type { Grant } from "../../store/grants.ts";
import type { ServicePorts } from "../catalog.ts";
import { openTokens, toGrantAddress } from "../sealing.ts";
import { toClientAuth } from "../token-endpoint.ts";
import { toGrantedService } from "./prepare.ts";

/** Milliseconds that the server gets to take tokens back; they are forgotten here in any case. */
const TIME_LIMIT = 4_000;

/** Take the tokens of a connection back at the server that gave them (RFC 7009), where it said that it does that. Never throws. */
export async function revokeGrant(
  ports: ServicePorts & { log: Log },
  configuration: ServiceConfiguration,
  grant: Grant | undefined,
): Promise<boolean> {
  if (!grant?.sealed || !grant.authorization || !configuration.client) return false;
  const { service } = configuration;
  try {
    const named = { ...configuration, client: configuration.client };
    const granted = await toGrantedService(ports, named, grant);
    const endpoint = granted.authorization?.revocation;
    if (!endpoint) return false;
    const { access, refresh } = openTokens(
      ports.keys,
      toGrantAddress(grant.installation_id, configuration),
      grant.sealed,
    );
    const as = { issuer: granted.authorization?.issuer ?? endpoint, revocation_endpoint: endpoint };
    // With the refresh token, the whole authorization ends.
    const response = await oauth.revocationRequest(
      as,
      { client_id: granted.service.client.id },
      toClientAuth(granted.service),
      refresh ?? access,
      {
        [oauth.customFetch]: (url, init) => (granted.service.described?.fetch ?? ports.fetch)(url, init as RequestInit),
        [oauth.allowInsecureRequests]: endpoint.startsWith("http:"),
        additionalParameters: { token_type_hint: refresh === undefined ? "access_token" : "refresh_token" },
        signal: AbortSignal.timeout(TIME_LIMIT),
      },
    );
    await response.body?.cancel();
    ports.log("info", "mcp.revoked", { service: service.name, status: response.status });
    return response.ok;
  } catch (error) {
    ports.log("warn", "mcp.revoke_failed", {
      service: service.name,
      cause: error instanceof Problem ? error.code : error,
    });
    return false;
  }
}
