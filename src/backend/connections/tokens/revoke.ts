import * as oauth from "oauth4webapi";
import type { ServiceConfiguration } from "#connectors/service";
import type { RevocationReport } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import { type Grant, listGrantsOfAccount } from "../../store/grants.ts";
import { toGrantedService } from "../mcp/prepare.ts";
import type { ConnectableService, ServicePorts } from "../services/catalog.ts";
import { openTokens, type SealedTokens, toGrantAddress } from "./sealing.ts";
import { encodeTokenRequest, toClientAuth } from "./token-endpoint.ts";

/** Time limit for revoking tokens at a provider, in ms. They are deleted here in any case. */
const TIME_LIMIT = 3_000;

type Ports = ServicePorts & { log: Log };

/**
 * Revokes the tokens of a deleted connection at their provider, and returns what to tell the user. Never throws, and
 * never takes longer than a few seconds.
 *
 * @param grant the connection as it was; it must no longer be in the database
 * @returns undefined if there was nothing to revoke
 */
export async function revokeGrant(
  ports: Ports,
  configuration: ServiceConfiguration,
  grant: Grant | undefined,
): Promise<RevocationReport | undefined> {
  const { service, client } = configuration;
  if (!grant?.sealed || service.credential?.kind === "none") return undefined;
  try {
    const target = client && (await findTarget(ports, { ...configuration, client }, grant));
    if (!target) return report(configuration, "unsupported");
    const otherGrants = await listGrantsOfAccount(ports.db, grant.provider, grant.account_id);
    if (target.covers === "account" && otherGrants.length > 0) {
      const ownGrants = otherGrants.filter((other) => other.installation_id === grant.installation_id);
      return report(configuration, "shared", ownGrants.map((other) => other.service).sort());
    }
    const tokens = openTokens(ports.keys, toGrantAddress(grant.installation_id, configuration), grant.sealed);
    const isRevoked = await sendRevocation(ports, target, tokens, otherGrants.length === 0);
    ports.log("info", "grant.revoked", { service: service.name, revoked: isRevoked });
    return report(configuration, isRevoked ? "revoked" : "failed");
  } catch (error) {
    const cause = error instanceof Problem ? error.code : error;
    ports.log("warn", "grant.revoke_failed", { service: service.name, cause });
    return report(configuration, "failed");
  }
}

/** Revokes several connections at once. One request serves all connections of an account that it covers. */
export async function revokeGrants(
  ports: Ports,
  connections: { configuration: ServiceConfiguration; grant: Grant }[],
): Promise<Record<string, RevocationReport>> {
  const groups = Map.groupBy(connections, ({ configuration: { service }, grant }) =>
    service.oauth.revocation?.covers === "account" ? `${grant.provider} ${grant.account_id}` : service.name,
  );
  const reports = [...groups.values()].map(async (group) => {
    const [first] = group;
    const answer = first && (await revokeGrant(ports, first.configuration, first.grant));
    return group.flatMap(({ configuration }) => (answer ? [[configuration.service.name, answer] as const] : []));
  });
  return Object.fromEntries((await Promise.all(reports)).flat());
}

type Target = { configuration: ConnectableService; endpoint: string } & NonNullable<
  ServiceConfiguration["service"]["oauth"]["revocation"]
>;

/** Returns where and how these tokens are revoked; undefined if their provider has no endpoint for it. */
async function findTarget(ports: Ports, connectable: ConnectableService, grant: Grant): Promise<Target | undefined> {
  const { service: configuration, authorization } = await toGrantedService(ports, connectable, grant);
  if (authorization?.revocation)
    return { configuration, endpoint: authorization.revocation, style: "rfc7009", covers: "consent" };
  const { revocation } = configuration.service.oauth;
  const endpoint = configuration.endpoints.revoke;
  return revocation && endpoint ? { configuration, endpoint, ...revocation } : undefined;
}

/** Returns whether the provider says that it revoked the first token, which the others depend on. */
async function sendRevocation(
  ports: Ports,
  target: Target,
  { access, refresh }: SealedTokens,
  isLast: boolean,
): Promise<boolean> {
  const { configuration } = target;
  const fetch = configuration.described?.fetch ?? ports.fetch;
  const signal = AbortSignal.timeout(TIME_LIMIT);
  const send = (url: string, init: RequestInit) => fetch(url, { ...init, signal, redirect: "manual" });
  const { id, secret = "" } = configuration.client;
  if (target.style === "bearer") {
    const response = await send(target.endpoint, { method: "POST", headers: { authorization: `Bearer ${access}` } });
    const body: unknown = await response.json().catch(() => undefined);
    return response.ok && typeof body === "object" && body !== null && "ok" in body && body.ok === true;
  }
  if (target.style === "github") {
    const response = await send(`${target.endpoint}/${encodeURIComponent(id)}/${isLast ? "grant" : "token"}`, {
      method: "DELETE",
      headers: { ...configuration.service.api?.headers, authorization: `Basic ${btoa(`${id}:${secret}`)}` },
      body: JSON.stringify({ access_token: access }),
    });
    await response.body?.cancel();
    return response.ok;
  }
  // Not every provider ends the access token with the refresh token (RFC 7009 section 2.1).
  const answers = [];
  for (const [hint, token] of Object.entries({ refresh_token: refresh, access_token: access }))
    if (token !== undefined) answers.push(await revokeToken(target, token, { hint, send }));
  return answers[0] === true;
}

type Send = (url: string, init: RequestInit) => Promise<Response>;

async function revokeToken(
  { configuration, endpoint }: Target,
  token: string,
  { hint, send }: { hint: string; send: Send },
): Promise<boolean> {
  const { service, client } = configuration;
  const headers = new Headers(service.api?.headers);
  const as = { issuer: new URL(endpoint).origin, revocation_endpoint: endpoint };
  const response = await oauth.revocationRequest(as, { client_id: client.id }, toClientAuth(configuration), token, {
    [oauth.customFetch]: (url, init) => send(url, encodeTokenRequest(init as RequestInit, service.oauth.tokenBody)),
    [oauth.allowInsecureRequests]: endpoint.startsWith("http:"),
    additionalParameters: { token_type_hint: hint },
    headers,
  });
  await response.body?.cancel();
  return response.ok;
}

/** Reports in one sentence what happened to the access, and where users can remove it themselves. */
function report(
  { service: { title, oauth: traits, credential }, described }: ServiceConfiguration,
  status: RevocationReport["status"],
  services: string[] = [],
): RevocationReport {
  const page = traits.accessPage;
  if (status === "revoked") return { status, ...(page ? { page } : {}) };
  const instruction = page ? `Remove kay's access at ${page}` : `Remove kay's access in the settings of ${title}`;
  const advice =
    credential || described?.lacksSecret ? `If it is no longer needed, revoke it at ${title}.` : `${instruction}.`;
  const affected = services.length === 0 ? "another installation of kay" : services.join(", ");
  const reasons = {
    unsupported: credential
      ? `kay deleted its copy of the key for ${title}. ${advice}`
      : `kay deleted its tokens, but ${title} has no way to revoke them. ${advice}`,
    shared: `kay deleted its tokens for ${title} and did not revoke them: that would end the access of ${affected} too.`,
    failed: `kay deleted its tokens, but ${title} did not confirm that it revoked them. ${advice}`,
  };
  return { status, message: reasons[status], ...(page ? { page } : {}) };
}
