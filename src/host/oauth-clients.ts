import { parseDocumentUrl, type SettingKey } from "#client/settings/table";
import type { CatalogueOptions } from "#connectors/catalogue";
import type { OAuthClient } from "#connectors/oauth";
import { PROVIDERS, TOKEN_PROVIDERS } from "#protocol/providers";

/** OAuth clients by provider, and the endpoints of kyg, as the operator configured them. */
export type ConfiguredClients = Pick<CatalogueOptions, "clients" | "kyg" | "addresses" | "pasted">;

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
  const getKyg = (field: string) =>
    env[`KAY_KYG_${field.toUpperCase().replaceAll("-", "_")}`] || setting(`kyg.${field}`);
  const [authorize, token, api] = [getKyg("authorize-url"), getKyg("token-url"), getKyg("api-url")];
  const addresses = readOwnAddresses(env, setting);
  if (!authorize || !token || !api) return { clients, ...addresses };
  const scopes = getKyg("scopes")
    ?.split(/[\s,]+/)
    .filter(Boolean);
  const secretless = clients.kyg && !clients.kyg.secret ? { clientAuth: "none" as const } : {};
  return {
    clients,
    ...addresses,
    kyg: { authorize, token, api, ...(scopes?.length ? { scopes } : {}), ...secretless },
  };
}

/** Reads the URLs of self-hosted services (`github.url`) and the providers with pasted tokens (`hubspot.sign-in`). */
export function readOwnAddresses(
  env: Record<string, string | undefined>,
  setting: (key: SettingKey) => string | undefined,
): Pick<CatalogueOptions, "addresses" | "pasted"> {
  const github = env.KAY_GITHUB_URL || setting("github.url");
  const pasted = TOKEN_PROVIDERS.filter(
    (provider) => (env[`KAY_${provider.toUpperCase()}_SIGN_IN`] || setting(`${provider}.sign-in`)) === "token",
  );
  return { ...(github ? { addresses: { github } } : {}), pasted };
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
