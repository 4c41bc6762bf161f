import type { KygConfiguration } from "#connectors/kyg";
import type { OAuthClient } from "#connectors/service";
import { PROVIDERS } from "#protocol/providers";

/** What the operator configured for services: client ids by provider, and where kyg is. */
export type ConfiguredClients = { clients: Record<string, OAuthClient>; kyg?: KygConfiguration };

/**
 * Read client ids and the endpoints of kyg from the environment (`KAY_CLIENT_ATLASSIAN_ID`, `KAY_KYG_AUTHORIZE_URL` …) or, where that says
 * nothing, from the settings (`atlassian.client-id`, `kyg.authorize-url` …).
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
  const kyg = (what: string) => env[`KAY_KYG_${what.toUpperCase().replaceAll("-", "_")}`] || setting(`kyg.${what}`);
  const [authorize, token, api] = [kyg("authorize-url"), kyg("token-url"), kyg("api-url")];
  if (!authorize || !token || !api) return { clients };
  const scopes = kyg("scopes")
    ?.split(/[\s,]+/)
    .filter(Boolean);
  const secretless = clients.kyg && !clients.kyg.secret ? { clientAuth: "none" as const } : {};
  return { clients, kyg: { authorize, token, api, ...(scopes?.length ? { scopes } : {}), ...secretless } };
}

/** Secret of the OAuth client of a service that its person described: `KAY_CLIENT_TASKS_SECRET`. */
export function readClientSecret(env: Record<string, string | undefined>, service: string): string | undefined {
  const name = service.replaceAll("-", "_").toUpperCase();
  return env[`KAY_CLIENT_${name}_SECRET`] || undefined;
}
