import type { ServiceDescription } from "#connectors/custom/description";
import { getBinding } from "#connectors/custom/service";
import { getMcpBinding, type McpDefinition } from "#connectors/mcp/definition";
import type { Identity } from "#connectors/oauth";
import type { Service, ServiceConfiguration } from "#connectors/service";
import { Problem } from "#protocol/errors";
import { getBaseName } from "#protocol/tool-names";
import type { BackendPorts } from "../../ports.ts";
import { findDescription, putClientSecret } from "../../store/custom-services.ts";
import { findGrant, type Grant, putGrant } from "../../store/grants.ts";
import { keepInstallation, lockInstallation, rememberAccount } from "../../store/installations.ts";
import { findMcp } from "../../store/mcp.ts";
import { retryWhileAway } from "../../store/round-trips.ts";
import type { DbConnection } from "../../store/schema.ts";
import { type AuthorizationState, settleState } from "../../store/states.ts";
import { type McpAuthorization, sealGrantAuthorization } from "../mcp/authorization.ts";
import { handleUnknownClient, type PreparedConsent, restoreConsent } from "../mcp/prepare.ts";
import { type ConnectableService, findService, listServices, requireClient } from "../services/catalog.ts";
import { fetchIdentity } from "../tokens/identity.ts";
import { openTokens, openVerifier, sealTokens, toGrantAddress } from "../tokens/sealing.ts";
import { exchangeCode, type ServiceTokens } from "../tokens/token-endpoint.ts";
import { earnsTokens, requireReplaceable } from "./account-rules.ts";
import { getRedirectUri } from "./authorize.ts";
import type { Page } from "./page.ts";
import { chooseSite, type SiteSelection } from "./sites.ts";

/**
 * Turns a consent into a connection: exchanges the code, identifies the account, binds it to a site, checks the account
 * if tokens are due, and stores everything in one transaction.
 *
 * @returns the page for the user
 * @throws Problem SERVICE_FAILED, SITE_REQUIRED (with `sites`), ACCOUNT_MISMATCH
 */
export async function completeConsent(ports: BackendPorts, state: AuthorizationState, code: string): Promise<Page> {
  const configuration = requireClient(findService(await listServices(ports, state.installation_id), state.service));
  if (configuration.service.credential || (configuration.discovers && !state.authorization))
    throw serviceChangedProblem(configuration.service);
  const prepared = await restoreConsent(ports, configuration, state);
  const { service, authorization } = prepared;
  const tokens = await exchange(ports, prepared, state, code);
  const identity = await fetchIdentity(ports, service, tokens.access);
  return establishConnection(ports, service, state, { tokens, identity, ...(authorization ? { authorization } : {}) });
}

/** The result of a consent or of a pasted secret. */
export type ConsentResult = { tokens: ServiceTokens; identity: Identity; authorization?: McpAuthorization };

/**
 * Binds the tokens to a site, checks the account if kay's own tokens are due, and stores everything in one transaction.
 *
 * @throws Problem SITE_REQUIRED (with `sites`), ACCOUNT_MISMATCH
 */
export async function establishConnection(
  ports: BackendPorts,
  service: ConnectableService,
  state: AuthorizationState,
  { tokens, identity, authorization }: ConsentResult,
): Promise<Page> {
  const label = getAccountLabel(identity);
  // The code is spent, so this is the only other attempt.
  return retryWhileAway(() =>
    ports.db.transaction().execute(async (db) => {
      await lockInstallation(db, state.installation_id);
      await requireUnchanged(db, state.installation_id, service);
      const previousGrant = await findGrant(db, state.installation_id, state.service);
      const sameAccount = previousGrant?.account_id === identity.accountId ? previousGrant : undefined;
      const { metadata } = requireSite(service, chooseSite(identity, state.site, getUrl(sameAccount)));
      const mustIssueTokens = await earnsTokens(ports, db, state, {
        provider: service.service.oauth.provider,
        identity,
      });
      await requireReplaceable(db, state, previousGrant, identity);
      await keepInstallation(db, state.installation_id);
      await putGrant(
        db,
        getGrant(ports, service, { state, tokens, identity, authorization, metadata, previousGrant: sameAccount }),
      );
      // A caller with only the session ID can connect an account, but that account never restores tokens.
      if (mustIssueTokens || state.signed_in) {
        await rememberAccount(db, {
          installation_id: state.installation_id,
          provider: service.service.oauth.provider,
          account_id: identity.accountId,
          label,
        });
      }
      await settleState(db, state.hash, {
        status: "completed",
        message: `Authorization completed successfully. Connected ${state.service} as ${label}.`,
        account_id: identity.accountId,
        details: { tokens: mustIssueTokens },
      });
      return createConnectedPage(service, label, metadata);
    }),
  );
}

/** Checks that the user did not change the service's description during the consent, which would then be void. */
async function requireUnchanged(db: DbConnection, installationId: string, { service, described }: ConnectableService) {
  if (!described) return;
  const server = described.mcp && (await findMcp(db, installationId, service.name));
  if (server && getMcpBinding(server.definition as McpDefinition) === described.binding) return;
  if (described.mcp) throw serviceChangedProblem(service);
  const row = await findDescription(db, installationId, getBaseName(service.name));
  if (!row || getBinding(row.description as ServiceDescription) !== described.binding)
    throw serviceChangedProblem(service);
}

function serviceChangedProblem({ title }: Service): Problem {
  return new Problem("STATE_INVALID", `${title} was changed while you were connecting.`);
}

async function exchange(
  ports: BackendPorts,
  { service, authorization }: PreparedConsent,
  state: AuthorizationState,
  code: string,
): Promise<ServiceTokens> {
  const { title } = service.service;
  const verifier = state.verifier ? openVerifier(ports.keys, state.hash, state.verifier) : undefined;
  const outcome = await exchangeCode(ports, service, { code, redirectUri: getRedirectUri(ports, service), verifier });
  if (outcome.kind === "tokens") return outcome.tokens;
  if (outcome.kind === "refused")
    await handleUnknownClient(ports, authorization, { codes: outcome.codes, redirectUri: getRedirectUri(ports) });
  // An invalid client secret is requested again next time.
  if (outcome.kind === "refused" && service.described && outcome.codes.some((code) => BAD_CLIENT.has(code)))
    await putClientSecret(ports.db, state.installation_id, getBaseName(state.service), null);
  if (outcome.kind === "busy") throw new Problem("SERVICE_FAILED", `${title} is receiving too many requests.`);
  throw new Problem("SERVICE_FAILED", `${title} refused the sign-in: ${outcome.description}.`);
}

const BAD_CLIENT = new Set(["invalid_client", "unauthorized_client"]);

function requireSite({ service }: ConnectableService, choice: SiteSelection): { metadata: Record<string, unknown> } {
  if ("metadata" in choice) return choice;
  const names = choice.choices.map((site) => site.name).join(", ");
  throw new Problem("SITE_REQUIRED", `Choose the ${service.title} site to connect: ${names}.`, {
    details: { sites: choice.choices },
  });
}

type Consent = ConsentResult & {
  state: AuthorizationState;
  metadata: Record<string, unknown>;
  previousGrant: Grant | undefined;
};

/** Builds the row of the connection. Keeps the earlier refresh token if a consent of the same account brings none. */
function getGrant(ports: BackendPorts, configuration: ConnectableService, consent: Consent) {
  const { service } = configuration;
  const { state, tokens, identity, authorization, metadata, previousGrant: before } = consent;
  const address = toGrantAddress(state.installation_id, configuration);
  const refresh = tokens.refresh ?? findFormerRefreshToken(ports, configuration, before);
  return {
    installation_id: state.installation_id,
    service: service.name,
    provider: service.oauth.provider,
    sealed: sealTokens(ports.keys, address, { access: tokens.access, refresh }),
    access_expires_at: tokens.expiresAt,
    scopes: tokens.scope ?? service.oauth.scopes.join(" "),
    account_id: identity.accountId,
    user: identity.user,
    metadata,
    authorization: authorization ? sealGrantAuthorization(ports.keys, address, authorization) : null,
    updated_at: new Date(ports.clock.now()),
  };
}

function findFormerRefreshToken(
  ports: BackendPorts,
  configuration: ServiceConfiguration,
  before: Grant | undefined,
): string | undefined {
  const { service } = configuration;
  if (!before?.sealed || service.credential) return undefined;
  const address = toGrantAddress(before.installation_id, configuration);
  try {
    return openTokens(ports.keys, address, before.sealed).refresh;
  } catch (error) {
    ports.log("warn", "grant.unreadable", { service: service.name, cause: error });
    return undefined;
  }
}

function getAccountLabel({ user, accountId }: Identity): string {
  const name = [user.name, user.display_name, user.username, user.email].find(
    (text): text is string => typeof text === "string" && text.trim() !== "",
  );
  return name?.trim() ?? (Object.keys(user).length === 0 ? "an unnamed account" : accountId);
}

function getUrl(grant: Grant | undefined): string | undefined {
  return typeof grant?.metadata.url === "string" ? grant.metadata.url : undefined;
}

function createConnectedPage({ service }: ConnectableService, label: string, metadata: Record<string, unknown>): Page {
  const site = typeof metadata.url === "string" ? metadata.url : undefined;
  return {
    tone: "success",
    title: `${service.title} is connected`,
    text: "You can close this tab and go back to the terminal.",
    facts: [["Account", label], ...(site ? [["Site", site.replace(/^https:\/\//, "")] as [string, string]] : [])],
  };
}
