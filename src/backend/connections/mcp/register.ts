import { sql } from "kysely";
import * as oauth from "oauth4webapi";
import type { OAuth } from "#connectors/oauth";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import { lockMcpClient, putMcpClient } from "../../store/mcp.ts";
import type { DbConnection } from "../../store/schema.ts";
import { createConcurrencyLimit } from "../tokens/concurrency-limit.ts";
import { sanitizeSentence } from "../tokens/token-answer.ts";
import { type ClientPlace, openClient, type RegisteredClient, sealClient } from "./authorization.ts";
import { type DiscoveredAuth, noMetadataProblem } from "./discover.ts";
import { discoveryProblem, type FetchPolicy, fetchUnder, readJson } from "./fetch-policy.ts";

/** Longest wait for another process that is registering; its own request ends after 10 s. */
const LOCK_LIMIT = "20s";

/**
 * Maximum number of concurrent registrations in this process. Each holds a database connection while the server
 * answers.
 */
const runLimited = createConcurrencyLimit(4);

type Ports = Pick<BackendPorts, "db" | "keys" | "clock" | "log">;

/**
 * Returns this backend's client at an authorization server (RFC 7591). It is registered once for each redirect address,
 * by the first process, and again when its secret expires or the server seems to have forgotten it.
 * @param doubted ID of a client whose links no user returned from
 * @throws Problem SERVICE_FAILED when the server registers no clients, or not kay
 */
export async function getRegisteredClient(
  ports: Ports,
  policy: FetchPolicy,
  server: DiscoveredAuth,
  { redirectUri, title, doubted }: { redirectUri: string; title: string; doubted: string | undefined },
): Promise<RegisteredClient> {
  const place = { issuer: server.issuer, redirectUri };
  const work = async (tx: DbConnection): Promise<RegisteredClient> => {
    await sql`select set_config('lock_timeout', ${LOCK_LIMIT}, true)`.execute(tx);
    const row = await lockMcpClient(tx, server.issuer, redirectUri);
    const existing = openKnownClient(ports, place, row.sealed);
    if (existing && existing.id !== doubted) return existing;
    const client = await register(ports, policy, server, { redirectUri, title });
    await putMcpClient(tx, row, sealClient(ports, place, client));
    return client;
  };
  return await runLimited(() => ports.db.transaction().execute(work));
}

/** Forgets a client that the server does not know. The next connection registers again. */
export async function forgetClient(ports: Ports, place: ClientPlace, clientId: string): Promise<void> {
  await ports.db.transaction().execute(async (tx) => {
    const row = await lockMcpClient(tx, place.issuer, place.redirectUri);
    if (openKnownClient(ports, place, row.sealed)?.id === clientId) await putMcpClient(tx, row, null);
  });
}

/** A client that cannot be decrypted, or whose secret has expired, is registered again. */
function openKnownClient(ports: Ports, place: ClientPlace, sealed: Buffer | null): RegisteredClient | undefined {
  if (!sealed) return undefined;
  try {
    const client = openClient(ports, place, sealed);
    return (client.expiresAt ?? Number.POSITIVE_INFINITY) > ports.clock.now() ? client : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

async function register(
  ports: Ports,
  policy: FetchPolicy,
  { issuer, registration, clientAuth, assumed }: DiscoveredAuth,
  { redirectUri, title }: { redirectUri: string; title: string },
): Promise<RegisteredClient> {
  const { host } = new URL(issuer);
  if (!registration) throw noRegistrationProblem(title, host);
  const authMethod = chooseAuthMethod(clientAuth);
  if (authMethod === undefined)
    throw discoveryProblem(title, `${host} registers clients only in ways that kay does not support`);
  const response = await fetchUnder(
    policy,
    new URL(registration),
    {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(buildClientMetadata(redirectUri, authMethod)),
    },
    title,
  );
  const body = (await readJson(response, `the registration at ${host}`)) as Record<string, unknown> | undefined;
  const isAccepted = response.status === 201 || response.status === 200;
  if (assumed && (!isAccepted || typeof Object(body).client_id !== "string")) throw noMetadataProblem(title, host);
  if (!isAccepted) throw registrationRefusedProblem(title, host, response.status, body);
  const { client_id: id, ...client } = await parseRegistration(body, title, host);
  ports.log("info", "mcp.registered", { issuer });
  const secret = typeof client.client_secret === "string" ? client.client_secret : undefined;
  if (secret === undefined) return { id, auth: "none" };
  const methods = [String(client.token_endpoint_auth_method ?? authMethod)];
  const method = chooseAuthMethod(methods.filter((candidate) => candidate !== "none")) ?? "client_secret_post";
  const expirySeconds = Number(client.client_secret_expires_at ?? 0);
  return { id, auth: method, secret, ...(expirySeconds > 0 ? { expiresAt: expirySeconds * 1000 } : {}) };
}

/** Builds kay's client metadata, for a registration and for its document. */
export function buildClientMetadata(redirectUri: string, method: OAuth["clientAuth"]): Record<string, unknown> {
  return {
    client_name: "kay",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: method,
    application_type: redirectUri.startsWith("https:") ? "web" : "native",
  };
}

/**
 * Chooses how to authenticate: `none` if the server accepts it, because a secret that anyone can request proves
 * nothing.
 */
export function chooseAuthMethod(supported: string[]): OAuth["clientAuth"] | undefined {
  return (["none", "client_secret_post", "client_secret_basic"] as const).find((candidate) =>
    supported.includes(candidate),
  );
}

async function parseRegistration(
  body: unknown,
  title: string,
  host: string,
): Promise<oauth.OmitSymbolProperties<oauth.Client>> {
  try {
    const fields = { client_secret_expires_at: 0, ...(body as Record<string, unknown>) };
    const client = await oauth.processDynamicClientRegistrationResponse(Response.json(fields, { status: 201 }));
    if (client.client_id.length <= LONGEST_CLIENT && String(client.client_secret ?? "").length <= LONGEST_CLIENT)
      return client as oauth.OmitSymbolProperties<oauth.Client>;
  } catch (cause) {
    throw discoveryProblem(title, `${host} answered the registration with something unexpected`, { cause });
  }
  throw discoveryProblem(title, `${host} answered the registration with something unexpected`);
}

/** Maximum length of a client ID and of its secret, in characters. */
const LONGEST_CLIENT = 2_000;

function registrationRefusedProblem(
  title: string,
  host: string,
  status: number,
  body: Record<string, unknown> | undefined,
): Problem {
  const reason = body?.error_description ?? body?.error;
  const detail = typeof reason === "string" ? sanitizeSentence(reason) : `HTTP ${status}`;
  return discoveryProblem(title, `${host} did not register kay: ${detail}`);
}

function noRegistrationProblem(title: string, host: string): Problem {
  return new Problem("SERVICE_FAILED", `${host}, the sign-in of ${title}, does not register clients automatically.`, {
    hint: "Register kay there manually, then add the server with that client ID.",
  });
}
