import { hash, randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import type { Identity, OAuth } from "../oauth.ts";
import type { Credential, Service } from "../service.ts";
import type { Endpoints, ServiceHttp } from "../service-http.ts";
import type { ServiceDescription } from "./description.ts";
import { getAtPath } from "./description.ts";
import { formatValue } from "./template.ts";
import { createCustomTool } from "./tool.ts";

/** Converts a description to a service. */
export function createCustomService(description: ServiceDescription): Service {
  const { name, title, auth } = description;
  const api = getBase(description);
  const oauth = getOauth(description);
  const endpoints: Endpoints =
    auth.type === "oauth2"
      ? {
          authorize: auth.authorize_url,
          token: auth.token_url,
          ...(auth.revoke_url ? { revoke: auth.revoke_url } : {}),
          api,
        }
      : { authorize: "", token: "", api };
  return {
    name,
    title,
    oauth,
    endpoints,
    ...(auth.type === "oauth2" ? {} : { credential: getCredential(auth) }),
    identify: (http) => identifyAccount(description, http),
    tools: description.tools.map((tool) => createCustomTool(tool, { title, api })),
  };
}

/** Returns the description's OAuth client, without its secret. Services without OAuth need none. */
export function getClient({ name, auth }: ServiceDescription): { id: string; needsSecret: boolean } {
  if (auth.type !== "oauth2") return { id: name, needsSecret: false };
  return { id: auth.client_id, needsSecret: (auth.client_auth ?? "none") !== "none" };
}

/**
 * Returns a hash of the address and sign-in, to which stored secrets are bound. A later description with the same name
 * cannot send them elsewhere.
 */
export function getBinding({ base_url, auth }: ServiceDescription): string {
  return hash("sha256", JSON.stringify([getBase({ base_url }), sortKeys(auth)]), "hex");
}

/**
 * Returns the last segment of the redirect address. Each authorization server has a different one, so that kay never
 * confuses their answers (RFC 9700 section 4.4). It is known before the client is registered.
 */
export function getCallbackId({ auth }: ServiceDescription): string | undefined {
  if (auth.type !== "oauth2") return undefined;
  return hash("sha256", JSON.stringify([auth.authorize_url, auth.token_url]), "hex").slice(0, 16);
}

function getBase({ base_url }: Pick<ServiceDescription, "base_url">): string {
  return new URL(base_url).href.replace(/(?<!\/)\/+$/, "");
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sortKeys(inner)]);
}

function getOauth({ name, auth }: ServiceDescription): OAuth {
  const provider = name;
  if (auth.type !== "oauth2") return { provider, scopes: [], pkce: false, clientAuth: "none", refresh: "none" };
  return {
    provider,
    scopes: auth.scopes ?? [],
    pkce: auth.pkce ?? true,
    clientAuth: auth.client_auth ?? "none",
    refresh: auth.refresh ?? "rotating",
    ...(auth.scope_parameter === undefined ? {} : { scopeParameter: auth.scope_parameter }),
    ...(auth.scope_separator === undefined ? {} : { scopeSeparator: auth.scope_separator }),
    ...(auth.authorize_params === undefined ? {} : { authorizeParams: auth.authorize_params }),
    ...(auth.token_body === "json" ? { tokenBody: "json" } : {}),
    ...(auth.revoke_url ? { revocation: { style: "rfc7009", covers: "consent" } } : {}),
  };
}

function getCredential(auth: Exclude<ServiceDescription["auth"], { type: "oauth2" }>): Credential {
  switch (auth.type) {
    case "bearer":
      return { kind: "header", name: "authorization", prefix: "Bearer " };
    case "api_key":
      if (auth.query !== undefined) return { kind: "query", name: auth.query };
      return { kind: "header", name: (auth.header ?? "").toLowerCase(), prefix: auth.prefix ?? "" };
    default:
      return { kind: auth.type };
  }
}

/**
 * Identifies the owner of the key or token. A service without `identify` gets a random account ID, so kay never treats
 * two connections as the same account.
 */
async function identifyAccount(
  { title, identify, base_url }: ServiceDescription,
  http: ServiceHttp,
): Promise<Identity> {
  const metadata = { url: base_url };
  if (!identify) return { accountId: randomUUID(), user: {}, metadata };
  const answer = await http.request({ path: identify.path, answer: z.unknown() });
  const accountId = formatValue(getAtPath(answer, identify.account)).trim().slice(0, MAX_ID_LENGTH);
  if (accountId === "" || typeof getAtPath(answer, identify.account) === "object")
    throw new Problem(
      "SERVICE_FAILED",
      `${title} returned an unexpected response: ${identify.account} is not an account ID.`,
    );
  const getField = (place: string | undefined) =>
    place === undefined ? "" : formatValue(getAtPath(answer, place)).slice(0, MAX_ID_LENGTH);
  const [name, email] = [getField(identify.name), getField(identify.email)];
  return {
    accountId,
    user: { account_id: accountId, ...(name ? { name } : {}), ...(email ? { email } : {}) },
    metadata,
  };
}

const MAX_ID_LENGTH = 200;
