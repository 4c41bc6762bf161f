import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { Identity } from "#connectors/oauth";
import { Problem } from "#protocol/errors";
import { getBaseName } from "#protocol/tool-names";
import type { BackendPorts } from "../../ports.ts";
import { putClientSecret } from "../../store/custom-services.ts";
import { createTicket, isTicket } from "../../store/secrets.ts";
import { bindBrowser } from "../../store/states.ts";
import { type ConnectableService, listServices, lookUpService, requireClient } from "../services/catalog.ts";
import { fetchIdentity, GUEST } from "../tokens/identity.ts";
import { openVerifier, sealClientSecret, toGrantAddress } from "../tokens/sealing.ts";
import { buildAuthorizationUrl, needsSecretPage } from "./authorize.ts";
import { listFacts } from "./begin-page.ts";
import { createBrowserCookie } from "./browsers.ts";
import { type CallbackResult, cancelState, concludeState, createStalePage, offerUndo } from "./callback.ts";
import { establishConnection } from "./complete.ts";
import { type KeyForm, renderKeyForm, renderKeyResult } from "./secret-page.ts";
import { findPendingState, hashState, type PendingState } from "./status.ts";

/**
 * Shows the page where the user pastes a key, token or password, or the secret of an OAuth client
 * (`GET /auth/key?state=`). Viewing it changes nothing, so link previews do not use it up.
 */
export async function showKeyPage(ports: BackendPorts, query: URLSearchParams): Promise<Response> {
  const pending = await findWaiting(ports, query.get("state"));
  if (!pending) return sendStalePage(ports);
  return renderKeyForm(await getForm(ports, pending));
}

/** The response for the browser, and the connection that it made. */
export type SubmittedKey = { response: Response; connected?: CallbackResult["connected"] };

/**
 * Handles a submitted secret (`POST /auth/key`). A secret that the service refuses is requested again; an accepted one
 * is sealed and completes the state as a consent does. A client secret is sealed, and the browser continues to the
 * provider.
 */
export async function submitKey(ports: BackendPorts, form: URLSearchParams): Promise<SubmittedKey> {
  const pending = await findWaiting(ports, form.get("state"));
  if (!pending || !isTicket(ports, "key-page", pending.text, form.get("ticket") ?? ""))
    return { response: sendStalePage(ports) };
  const { row, service } = pending;
  if (form.get("decision") === "cancel") return { response: sendPage(await cancelState(ports, row.hash)) };
  const entry = readSecret(service, form);
  if ("error" in entry) return { response: await renderAgain(ports, pending, entry.error, form) };
  if (!service.service.credential) return { response: await redirectOnward(ports, pending, entry.secret) };
  try {
    const identity = await requireSameAccount(ports, pending, entry);
    const tokens = { access: entry.secret, expiresAt: null };
    const result = await concludeState(ports, row.hash, (state) =>
      establishConnection(ports, service, state, { tokens, identity }),
    );
    return { response: sendPage(offerUndo(ports, pending.text, result)), connected: result.connected };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    ports.log("info", "key.refused", { service: row.service, problem: error.code, cause: error.cause });
    const { title } = service.service;
    const reason = error.code === "AUTH_REQUIRED" ? `${title} did not accept it.` : error.message;
    return { response: await renderAgain(ports, pending, reason, form) };
  }
}

/**
 * Completes a state whose service needs no secret. The user approved its tools when it was added, so a page would have
 * nothing to ask.
 *
 * @returns undefined if the service needs a consent or a secret
 */
export async function concludeWithoutSecret(
  ports: BackendPorts,
  service: ConnectableService,
  text: string,
): Promise<Pick<CallbackResult, "connected"> | undefined> {
  const hash = hashState(text);
  if (service.service.credential?.kind !== "none" || !hash) return undefined;
  return await concludeState(ports, hash, async (state) => {
    const known = await fetchIdentity(ports, service, "");
    const identity = hasUser(known) ? known : { ...known, user: GUEST };
    return await establishConnection(ports, service, state, { tokens: { access: "", expiresAt: null }, identity });
  });
}

type PendingConsent = PendingState & { service: ConnectableService };

/** Finds a state that waits for this page. */
async function findWaiting(ports: BackendPorts, text: string | null): Promise<PendingConsent | undefined> {
  const pending = await findPendingState(ports, text);
  if (!pending) return undefined;
  const { installation_id, service: name } = pending.row;
  const match = lookUpService(await listServices(ports, installation_id), name);
  if (!match) return undefined;
  const service = requireClient(match);
  return needsSecretPage(service) ? { ...pending, service } : undefined;
}

async function getForm(ports: BackendPorts, { text, row, service }: PendingConsent): Promise<KeyForm> {
  const { service: about, endpoints } = service;
  const secretKind = getSecretKind(service);
  return {
    title: about.title,
    // An MCP server that is a program has a command in place of an address.
    host: URL.parse(secretKind === "client secret" ? endpoints.token : endpoints.api)?.host ?? endpoints.api,
    secretKind,
    facts: row.user_code === null ? [] : await listFacts(ports, row),
    state: text,
    ticket: createTicket(ports, "key-page", text),
    ...(secretKind === "client secret" ? { onward: endpoints.authorize } : {}),
  };
}

function getSecretKind({ service: { credential } }: ConnectableService): KeyForm["secretKind"] {
  if (!credential) return "client secret";
  if (credential.kind === "basic") return "password";
  return credential.kind === "header" && credential.prefix === "Bearer " ? "token" : "key";
}

/** Returns the secret as requests carry it. Pasted text often has white space around it. */
function readSecret(
  service: ConnectableService,
  form: URLSearchParams,
): { secret: string; user?: string } | { error: string } {
  const secretKind = getSecretKind(service);
  const pasted = form.get("secret") ?? "";
  if (secretKind === "password") return joinSecret((form.get("user") ?? "").trim(), pasted);
  const secret = pasted.trim();
  if (secret === "" || secret.length > LONGEST) return { error: `Paste the ${secretKind}.` };
  return /^[\x21-\x7e]+$/.test(secret)
    ? { secret }
    : { error: `The ${secretKind} can contain only ASCII characters without spaces or line breaks.` };
}

function joinSecret(user: string, password: string): { secret: string; user: string } | { error: string } {
  if (user === "" || user.length + password.length > LONGEST) return { error: "Enter your user name." };
  if (user.includes(":") || /\p{Cc}/u.test(user + password))
    return { error: "A user name cannot contain a colon. Neither field can contain line breaks." };
  return { secret: `${user}:${password}`, user };
}

/**
 * Returns the account behind a secret: the one that the service names, or else a hash of the secret that is slow to
 * guess from.
 */
async function requireSameAccount(
  ports: BackendPorts,
  { row, service }: PendingConsent,
  { secret, user }: { secret: string; user?: string },
): Promise<Identity> {
  const identity = await fetchIdentity(ports, service, secret);
  if (hasUser(identity)) return identity;
  const secretKind = getSecretKind(service);
  const name = user ?? (secretKind === "token" ? "access token" : "API key");
  const salt = `${row.installation_id}/${row.service}`;
  const accountId = ((await slowHash(secret, salt, 16)) as Buffer).toString("hex");
  return { ...identity, accountId, user: { name } };
}

/** Whether the service named the user of an account. */
function hasUser({ user }: Identity): boolean {
  return Object.keys(user).length > 0;
}

const slowHash = promisify(scrypt);

/** Seals the client's secret and redirects the browser as the connect call does when the secret is present. */
async function redirectOnward(
  ports: BackendPorts,
  { text, row, service }: PendingConsent,
  secret: string,
): Promise<Response> {
  // All accounts of a service share its client.
  const address = { ...toGrantAddress(row.installation_id, service), service: getBaseName(row.service) };
  const sealed = sealClientSecret(ports.keys, { binding: "", ...address }, secret);
  await putClientSecret(ports.db, row.installation_id, address.service, sealed);
  const verifier = row.verifier ? openVerifier(ports.keys, row.hash, row.verifier) : undefined;
  const location = await buildAuthorizationUrl(ports, service, { state: text, verifier });
  const cookie = createBrowserCookie(ports.publicUrl, row.hash);
  await bindBrowser(ports.db, row.hash, cookie.hash);
  return new Response(null, {
    status: 303,
    headers: { location, "set-cookie": cookie.header, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  });
}

async function renderAgain(
  ports: BackendPorts,
  pending: PendingConsent,
  error: string,
  form: URLSearchParams,
): Promise<Response> {
  const user = (form.get("user") ?? "").slice(0, 200);
  return renderKeyForm({ ...(await getForm(ports, pending)), error, user }, 422);
}

function sendStalePage(ports: BackendPorts): Response {
  return sendPage(createStalePage(ports, "no page waits for this state"));
}

function sendPage({ page, status }: ReturnType<typeof createStalePage>): Response {
  return renderKeyResult(page, status);
}

/** Longest secret, in characters. */
const LONGEST = 4096;
