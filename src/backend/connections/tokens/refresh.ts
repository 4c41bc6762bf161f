import { sql } from "kysely";
import { authRequiredProblem } from "#connectors/http/errors";
import type { ServiceConfiguration } from "#connectors/service";
import { Problem } from "#protocol/errors";
import { getFailureCode } from "#telemetry/trace";
import type { BackendPorts } from "../../ports.ts";
import { isDatabaseAway } from "../../store/database.ts";
import {
  type Grant,
  type GrantTokens,
  lockGrant,
  markDisconnected,
  putGrantTokens,
  rewriteGrant,
} from "../../store/grants.ts";
import { retryWhileAway } from "../../store/round-trips.ts";
import type { DbConnection } from "../../store/schema.ts";
import { getRedirectUri } from "../consent/authorize.ts";
import { handleUnknownClient, toGrantedService } from "../mcp/prepare.ts";
import { requireClient } from "../services/catalog.ts";
import { type ConcurrencyLimit, createConcurrencyLimit } from "./concurrency-limit.ts";
import { isStillAccepted } from "./identity.ts";
import { isGrantUsable, type UnsealedGrant, unsealGrant } from "./open-grant.ts";
import { sealTokens, toGrantAddress } from "./sealing.ts";
import { refreshTokens, type TokenOutcome } from "./token-endpoint.ts";

/** How a refresh ended. Problems are returned, so that what they wrote is committed. */
export type RefreshResult =
  | ({ kind: "open" } & UnsealedGrant)
  | { kind: "busy"; retryAfter: number | undefined }
  | { kind: "problem"; problem: Problem };

/** Longest wait for another process that is refreshing the same connection; its own exchange ends after 10 s. */
const LOCK_LIMIT = "20s";

/**
 * Maximum number of concurrent refreshes in this process. Each holds a database connection while the provider answers,
 * at most 10 s, and a slow provider must not use them all.
 */
const MOST_AT_ONCE = 4;

/** Running refreshes of this process. Concurrent callers share one and use no further database connection. */
const refreshesByDatabase = new WeakMap<
  object,
  { running: Map<string, Promise<RefreshResult>>; turns: ConcurrencyLimit }
>();

/**
 * Refreshes the tokens of one connection under its row lock, one at a time across all processes. New tokens are
 * committed before use. If the answer has no refresh token, the old one stays, so a rotated token is never lost.
 *
 * @throws Problem AUTH_REQUIRED, SERVICE_FAILED
 */
export async function refreshGrant(
  ports: BackendPorts,
  installationId: string,
  configuration: ServiceConfiguration,
  rejected: string | undefined,
): Promise<RefreshResult> {
  const { running, turns } = refreshesByDatabase.get(ports.db) ?? {
    running: new Map(),
    turns: createConcurrencyLimit(MOST_AT_ONCE),
  };
  refreshesByDatabase.set(ports.db, { running, turns });
  const { service, described } = configuration;
  const key = JSON.stringify([installationId, service.name, described?.binding ?? null, rejected ?? null]);
  const current = running.get(key);
  if (current) return current;
  const work = () => refreshLocked(ports, installationId, configuration, rejected);
  const refresh = turns(work).finally(() => running.delete(key));
  running.set(key, refresh);
  return refresh;
}

async function refreshLocked(
  ports: BackendPorts,
  installationId: string,
  configuration: ServiceConfiguration,
  rejected: string | undefined,
): Promise<RefreshResult> {
  const { name, title } = configuration.service;
  let renewed: Renewed | undefined;
  try {
    return await ports.db.transaction().execute(async (db) => {
      await sql`select set_config('lock_timeout', ${LOCK_LIMIT}, true)`.execute(db);
      const open = unsealGrant(ports, configuration, await lockGrant(db, installationId, name));
      if (isGrantUsable(ports, open, rejected)) return { kind: "open", ...open };
      const result = await exchange(ports, db, configuration, open, rejected);
      if (result.kind !== "renewed") return result;
      renewed = result;
      await putGrantTokens(db, renewed.open.grant, renewed.stored);
      return { kind: "open", ...renewed.open };
    });
  } catch (error) {
    if (renewed && isDatabaseAway(error)) return await storeLater(ports, renewed);
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new Problem("SERVICE_FAILED", `The connection to ${title} is being refreshed; try again in a moment.`);
  }
}

/** New tokens from a provider that has already invalidated the old refresh token. */
type Renewed = { kind: "renewed"; open: UnsealedGrant; stored: GrantTokens };

/** Stores tokens once a lost database is back: the provider has already answered, and they have no other copy. */
async function storeLater(ports: BackendPorts, { open, stored }: Renewed): Promise<RefreshResult> {
  await retryWhileAway(() => putGrantTokens(ports.db, open.grant, stored));
  return { kind: "open", ...open };
}

/** SQLSTATE of a lock timeout. */
const LOCK_NOT_AVAILABLE = "55P03";

async function exchange(
  ports: BackendPorts,
  db: DbConnection,
  configuration: ServiceConfiguration,
  open: UnsealedGrant,
  rejected: string | undefined,
): Promise<RefreshResult | Renewed> {
  const { service } = configuration;
  if (!open.tokens.refresh) return withoutRefreshToken(ports, db, configuration, open, rejected);
  const granted = await toGrantedService(ports, requireClient(configuration), open.grant);
  await rewriteGrant(db, open.grant);
  const outcome = await refreshAndCount(ports, granted.service, open.tokens.refresh);
  if (outcome.kind === "busy") return outcome;
  if (outcome.kind === "refused")
    await handleUnknownClient(ports, granted.authorization, {
      codes: outcome.codes,
      redirectUri: getRedirectUri(ports),
    });
  if (outcome.kind === "refused" && outcome.gone) {
    return dropGrant(ports, db, configuration, open.grant, outcome.description);
  }
  if (outcome.kind === "refused") {
    const message = `${service.title} refused to renew the sign-in: ${outcome.description}.`;
    return { kind: "problem", problem: new Problem("SERVICE_FAILED", message) };
  }
  const { access, refresh = open.tokens.refresh, expiresAt } = outcome.tokens;
  const address = toGrantAddress(open.grant.installation_id, configuration);
  return {
    kind: "renewed",
    open: { grant: { ...open.grant, access_expires_at: expiresAt }, tokens: { access, refresh } },
    stored: {
      sealed: sealTokens(ports.keys, address, { access, refresh }),
      access_expires_at: expiresAt,
      updated_at: new Date(ports.clock.now()),
    },
  };
}

/** Sends the refresh token and counts the outcome. */
async function refreshAndCount(
  ports: BackendPorts,
  configuration: ServiceConfiguration,
  refreshToken: string,
): Promise<TokenOutcome> {
  const service = configuration.described ? "own" : configuration.service.name;
  const count = (outcome: string) => ports.observe?.count("kay_service_refreshes_total", { service, outcome });
  try {
    const outcome = await refreshTokens(ports, requireClient(configuration), refreshToken);
    count(outcome.kind === "tokens" ? "ok" : outcome.kind);
    return outcome;
  } catch (error) {
    count(getFailureCode(error));
    throw error;
  }
}

/**
 * Uses a token that cannot be renewed until it expires or the service no longer accepts it, and then drops the
 * connection.
 */
async function withoutRefreshToken(
  ports: BackendPorts,
  db: DbConnection,
  configuration: ServiceConfiguration,
  open: UnsealedGrant,
  rejected: string | undefined,
): Promise<RefreshResult> {
  const expiresMs = open.grant.access_expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
  if (expiresMs > ports.clock.now()) {
    const isAccepted =
      open.tokens.access !== rejected || (await isStillAccepted(ports, configuration, open.tokens.access));
    if (isAccepted) return { kind: "open", ...open };
    // Perhaps only this request was refused. A pasted key may have no other copy.
    if (isAccepted === undefined) return { kind: "problem", problem: authRequiredProblem(configuration.service) };
  }
  return dropGrant(ports, db, configuration, open.grant, "the sign-in ended and cannot be renewed");
}

async function dropGrant(
  ports: BackendPorts,
  db: DbConnection,
  { service }: ServiceConfiguration,
  grant: Grant,
  description: string,
): Promise<RefreshResult> {
  const now = new Date(ports.clock.now());
  const reason = `${service.title} ended the connection on ${now.toISOString().slice(0, 10)}: ${description}.`;
  await markDisconnected(db, grant, reason, now);
  ports.log("warn", "connection.gone", { service: service.name });
  return { kind: "problem", problem: authRequiredProblem(service, reason) };
}
