import { ERRORS, Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import { getFaultLevel } from "../../store/database.ts";
import { createTicket } from "../../store/secrets.ts";
import { type AuthorizationState, claimState, findState, settleState } from "../../store/states.ts";
import { isSameIssuer } from "../mcp/discover.ts";
import { getStateAuthorization } from "../mcp/prepare.ts";
import { listServices, lookUpService } from "../services/catalog.ts";
import { sanitizeSentence } from "../tokens/token-answer.ts";
import { isSameBrowser } from "./browsers.ts";
import { completeConsent } from "./complete.ts";
import type { Page } from "./page.ts";
import { hashState } from "./status.ts";

/** Errors for a user who pressed "Deny" or "Cancel" (RFC 6749 section 4.1.2.1; the other two are LinkedIn's). */
const DENIALS = ["access_denied", "user_cancelled_login", "user_cancelled_authorize"];

const STALE: Page = {
  tone: "failure",
  title: "This link is no longer valid",
  text: "It was used before, has expired, or does not come from kay. Nothing was changed.",
};

/** The page for the user with its status, and the new connection, if any. */
export type CallbackResult = { status: number; page: Page; connected?: { installationId: string; service: string } };

/**
 * Handles the browser's return from a provider (RFC 6749 section 4.1.2). Only the first callback of a state counts. A
 * second, forged, expired or incomplete one changes nothing and is logged without its values.
 *
 * @param place the last segment of a redirect address that belongs to one custom service
 */
export async function handleCallback(
  ports: BackendPorts,
  query: URLSearchParams,
  { cookies = null, place }: { cookies?: string | null; place?: string | undefined } = {},
): Promise<CallbackResult> {
  const text = query.getAll("state").length === 1 ? query.get("state") : null;
  const hash = hashState(text);
  const error = query.get("error");
  const code = query.get("code");
  if (!hash || text === null) return createStalePage(ports, "unknown state");
  const state = await findState(ports.db, hash);
  if (state && !isSameBrowser(ports.publicUrl, state, cookies)) return refuseBrowser(ports, state);
  if (state && !(await isFromExpectedServer(ports, state, { query, place })))
    return refuse(ports, hash, MIXED_UP, null);
  if (error) return refuse(ports, hash, error, query.get("error_description"));
  if (!code || query.getAll("code").length > 1) return createStalePage(ports, "no code");
  const result = await concludeState(ports, hash, (state) => completeConsent(ports, state, code));
  return offerUndo(ports, text, result);
}

/** Adds the button that undoes a connection to its page. */
export function offerUndo(ports: BackendPorts, state: string, result: CallbackResult): CallbackResult {
  if (!result.connected) return result;
  return { ...result, page: { ...result.page, undo: { state, ticket: createTicket(ports, "undo", state) } } };
}

/** Rejects a browser that returns without having shown kay's page first. Changes nothing. */
async function refuseBrowser(ports: BackendPorts, state: AuthorizationState): Promise<CallbackResult> {
  ports.log("warn", "callback.rejected", { reason: "another browser", service: state.service });
  return {
    status: 400,
    page: {
      tone: "failure",
      title: `${await getTitle(ports, state)} was not connected`,
      text: "This browser did not open the link that kay printed. If you did not run kay connect, someone else tried to connect your account.",
      footer: "You can close this tab. To connect, open the link in your terminal in this browser.",
    },
  };
}

/** Reason for an answer that names another authorization server, or none although the right one names itself. */
const MIXED_UP = "the answer came from another authorization server";

/**
 * Whether an answer came from the authorization server that was asked. A custom service has a separate redirect
 * address. A server that names itself must be the right one (RFC 9207).
 */
async function isFromExpectedServer(
  ports: BackendPorts,
  state: AuthorizationState,
  { query, place }: { query: URLSearchParams; place: string | undefined },
): Promise<boolean> {
  const issuers = query.getAll("iss");
  if (issuers.length > 1) return false;
  const authorization = getStateAuthorization(ports, state);
  if (authorization) return place === undefined && matchesIssuer(issuers[0], authorization);
  const services = await listServices(ports, state.installation_id);
  const service = lookUpService(services, state.service);
  if (place !== service?.described?.callback) return false;
  const issuer = service?.described?.issuer;
  return issuer === undefined || matchesIssuer(issuers[0], { issuer, namesItself: true });
}

function matchesIssuer(
  responseIssuer: string | undefined,
  { issuer, namesItself }: { issuer: string; namesItself: boolean },
) {
  return responseIssuer === undefined ? !namesItself : isSameIssuer(responseIssuer, issuer);
}

/**
 * Claims a pending state and completes it. The state ends with the result of that work.
 *
 * @param work completes the state; what it throws fails it
 */
export async function concludeState(
  ports: BackendPorts,
  hash: Buffer,
  work: (state: AuthorizationState) => Promise<Page>,
): Promise<CallbackResult> {
  const state = await claimState(ports.db, hash, { status: "exchanging" }, new Date(ports.clock.now()));
  if (!state) return createStalePage(ports, "state not pending");
  try {
    const page = await work(state);
    return { status: 200, page, connected: { installationId: state.installation_id, service: state.service } };
  } catch (error) {
    const problem = asProblem(ports, error);
    await settleState(ports.db, hash, {
      status: "failed",
      message: problem.message,
      code: problem.code,
      details: { ...problem.details, hint: getOwnHint(problem) },
    });
    ports.log("warn", "callback.failed", { service: state.service, problem: problem.code, cause: problem.cause });
    return { status: problem.status, page: createFailurePage(await getTitle(ports, state), problem) };
  }
}

/** Ends a state because the user declined. */
export function cancelState(ports: BackendPorts, hash: Buffer): Promise<{ status: number; page: Page }> {
  return refuse(ports, hash, "access_denied", null);
}

async function refuse(
  ports: BackendPorts,
  hash: Buffer,
  error: string,
  description: string | null,
): Promise<{ status: number; page: Page }> {
  const isDenied = DENIALS.includes(error);
  const reason = sanitizeSentence(description || error);
  const message = isDenied ? "Authorization was denied" : `Authorization failed: ${reason}`;
  const next = { status: isDenied ? "denied" : "failed", message } as const;
  const state = await claimState(ports.db, hash, next, new Date(ports.clock.now()));
  if (!state) return createStalePage(ports, "state not pending");
  ports.log("info", "callback.refused", { service: state.service, denied: isDenied });
  const title = await getTitle(ports, state);
  if (!isDenied) return { status: 400, page: createFailurePage(title, new Problem("SERVICE_FAILED", message)) };
  return {
    status: 200,
    page: {
      tone: "denial",
      title: `${title} was not connected`,
      text: "You did not allow it, so nothing was changed.",
    },
  };
}

async function getTitle(ports: BackendPorts, { installation_id, service: name }: AuthorizationState): Promise<string> {
  const services = await listServices(ports, installation_id);
  return lookUpService(services, name)?.service.title ?? name;
}

/** Builds the page for a link that is invalid or has expired. */
export function createStalePage(ports: BackendPorts, reason: string): { status: number; page: Page } {
  ports.log("warn", "callback.rejected", { reason });
  return { status: 400, page: STALE };
}

function createFailurePage(title: string, problem: Problem): Page {
  const text = [problem.message, getOwnHint(problem)].filter(Boolean).join(" ");
  return { tone: "failure", title: `${title} was not connected`, text };
}

/** Returns the hint unless it is the default, which clients have. */
function getOwnHint({ code, hint }: Problem): string | undefined {
  return hint === ERRORS[code].hint ? undefined : hint || undefined;
}

/** Returns the problem that ends the state. An internal error shows no details on the page. */
function asProblem(ports: BackendPorts, error: unknown): Problem {
  if (error instanceof Problem) return error;
  ports.log(getFaultLevel(error), "callback.fault", { cause: error });
  return new Problem("INTERNAL", "Something went wrong inside kay.", { cause: error });
}
