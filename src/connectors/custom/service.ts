import { createHash, randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import type { Credential, Endpoints, Identity, OAuth, Service, ServiceHttp } from "../service.ts";
import type { ServiceDescription } from "./description.ts";
import { getAtPath } from "./description.ts";
import { formatValue } from "./template.ts";
import { createCustomTool } from "./tool.ts";

/** A described service as every other one. */
export function createCustomService(description: ServiceDescription): Service {
  const { name, title, auth } = description;
  const api = getBase(description);
  const oauth = getOauth(description);
  const endpoints: Endpoints =
    auth.type === "oauth2"
      ? { authorize: auth.authorize_url, token: auth.token_url, api }
      : { authorize: "", token: "", api };
  return {
    name,
    title,
    oauth,
    endpoints,
    ...(auth.type === "oauth2" ? {} : { credential: getCredential(auth) }),
    identify: (http) => identity(description, http),
    tools: description.tools.map((tool) => createCustomTool(tool, { title, api })),
  };
}

/** The client that the description names; its secret is not in it. Services without OAuth need none. */
export function getClient({ name, auth }: ServiceDescription): { id: string; needsSecret: boolean } {
  if (auth.type !== "oauth2") return { id: name, needsSecret: false };
  return { id: auth.client_id, needsSecret: (auth.client_auth ?? "none") !== "none" };
}

/**
 * What a token or key of the service is sealed to: its address and its sign-in. Stored for one, it can be opened for no other, so that no
 * later description of the same name ever sends it elsewhere.
 */
export function getBinding({ base_url, auth }: ServiceDescription): string {
  return createHash("sha256")
    .update(JSON.stringify([getBase({ base_url }), sort(auth)]))
    .digest("hex");
}

function getBase({ base_url }: Pick<ServiceDescription, "base_url">): string {
  return new URL(base_url).href.replace(/\/+$/, "");
}

function sort(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sort);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sort(inner)]);
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
 * Whose key or token it is. A service that does not tell gives an id that is new each time: such an account is nobody whom kay would know
 * again.
 */
async function identity({ title, identify, base_url }: ServiceDescription, http: ServiceHttp): Promise<Identity> {
  const metadata = { url: base_url };
  if (!identify) return { accountId: randomUUID(), user: {}, metadata };
  const answer = await http.request({ path: identify.path, answer: z.unknown() });
  const accountId = formatValue(getAtPath(answer, identify.account)).trim().slice(0, LONGEST_ID);
  if (accountId === "" || typeof getAtPath(answer, identify.account) === "object")
    throw new Problem("SERVICE_FAILED", `${title} answered something unexpected: ${identify.account} is no account.`);
  const told = (place: string | undefined) =>
    place === undefined ? "" : formatValue(getAtPath(answer, place)).slice(0, LONGEST_ID);
  const [name, email] = [told(identify.name), told(identify.email)];
  return {
    accountId,
    user: { account_id: accountId, ...(name ? { name } : {}), ...(email ? { email } : {}) },
    metadata,
  };
}

const LONGEST_ID = 200;
