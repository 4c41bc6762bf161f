import { parseDocumentUrl } from "#client/settings/table";
import type { KygConfiguration } from "#connectors/kyg";
import type { OAuthClient } from "#connectors/oauth";
import { PROVIDERS } from "#protocol/providers";

/** OAuth clients by provider, and the endpoints of kyg, as the operator configured them. */
export type ConfiguredClients = { clients: Record<string, OAuthClient>; kyg?: KygConfiguration };

/**
 * Reads OAuth clients and the endpoints of kyg. The environment (`KAY_CLIENT_ATLASSIAN_ID`, `KAY_KYG_AUTHORIZE_URL` …)
 * overrides the settings (`atlassian.client-id`, `kyg.authorize-url` …).
 */
export function readConfiguredClients(
  env: Record<string, string | undefined>,
  setting: (key: string) => string | undefined,
): ConfiguredClients {
  const clients: Record<string, OAuthClient> = {};
  for (const provider of Object.keys(PROVIDERS)) {
    const name = provider.toUpperCase();
    const id = env[`KAY_CLIENT_${name}_ID`] || setting(`${provider}.client-id`);
    const secret = env[`KAY_CLIENT_${name}_SECRET`] || setting(`${provider}.client-secret`);
    if (id) clients[provider] = secret ? { id, secret } : { id };
  }
  const getKyg = (what: string) => env[`KAY_KYG_${what.toUpperCase().replaceAll("-", "_")}`] || setting(`kyg.${what}`);
  const [authorize, token, api] = [getKyg("authorize-url"), getKyg("token-url"), getKyg("api-url")];
  if (!authorize || !token || !api) return { clients };
  const scopes = getKyg("scopes")
    ?.split(/[\s,]+/)
    .filter(Boolean);
  const secretless = clients.kyg && !clients.kyg.secret ? { clientAuth: "none" as const } : {};
  return { clients, kyg: { authorize, token, api, ...(scopes?.length ? { scopes } : {}), ...secretless } };
}

/** Returns the client secret of a custom service, for example from `KAY_CLIENT_TASKS_SECRET`. */
export function readClientSecret(env: Record<string, string | undefined>, service: string): string | undefined {
  const name = service.replaceAll("-", "_").toUpperCase();
  return env[`KAY_CLIENT_${name}_SECRET`] || undefined;
}

/**
 * Reads the URL of the client document that the operator hosts (`KAY_CLIENT_DOCUMENT`, `client-document`).
 *
 * @throws Problem USAGE when it is not a URL that authorization servers take
 */
export function readClientDocument(
  env: Record<string, string | undefined>,
  setting: (key: string) => string | undefined,
): { clientDocument?: string } {
  const address = env.KAY_CLIENT_DOCUMENT || setting("client-document");
  return address ? { clientDocument: parseDocumentUrl(address) } : {};
}
