import { hash } from "node:crypto";
import { AUTHORIZATION_LIFETIME_MS, completeConnection } from "#client/consent/complete";
import { forgetFirstConnection, listFirstConnections, saveFirstConnection } from "#client/consent/first";
import type { BegunConnection, SignIn } from "#client/credentials/credentials";
import { DEFAULT_PROFILE } from "#client/settings/profiles";
import { isLoopbackHost } from "#net/addresses";
import { clean } from "#protocol/clean";
import type { Connection, ConnectResponse } from "#protocol/connections";
import { EMBEDDED_PORT } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import { findReplacedAccount, formatAccount, formatSite, saveAccountLabels } from "../backend/account-labels.ts";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { wrapSentences } from "../output/wrap.ts";
import { openLink, openLinks } from "./open-links.ts";
import { showWaiting, type WaitingLine } from "./waiting-line.ts";

/** Shows or opens a link. `kay try` consents itself instead. */
export type OpenLink = (kay: Kay, url: string) => Promise<void>;

/** A finished connection for display. */
export type ConnectedService = {
  service: string;
  connection: Connection;
  message: string;
  /** The connection that it replaced, if that had another account. */
  before?: Connection;
};

/** Connects one service. Stores nothing before the consent is complete. */
export async function connectService(
  kay: Kay,
  link: BackendHandle,
  service: string,
  options: { site?: string; open?: OpenLink } = {},
): Promise<ConnectedService> {
  const attempt = await beginConnection(kay, link, service, options.site);
  if (isConcluded(attempt.response))
    return await completeConsent(kay, link, attempt, { retrying: kay.out.writeProgress });
  const url = showLink(kay, attempt.response);
  const { open = openLink } = options;
  await open(kay, url);
  return await waitForConsent(kay, link, attempt);
}

/** Shows the waiting line until a connection is complete or has failed. */
export async function waitForConsent(
  kay: Kay,
  link: BackendHandle,
  attempt: BegunConnection,
): Promise<ConnectedService> {
  const wait = { link, open: () => [attempt], cancel: kay.interrupt };
  const line = showWaiting(kay, wait, attempt.deadline);
  try {
    return await completeConsent(kay, link, attempt, line);
  } finally {
    line.end();
  }
}

/** Starts all authorizations, prints their links and opens them. */
export async function beginConnections(
  kay: Kay,
  link: BackendHandle,
  services: string[],
  site?: string,
): Promise<BegunConnection[]> {
  const attempts: BegunConnection[] = [];
  for (const service of services) attempts.push(await beginConnection(kay, link, service, site));
  const waiting = attempts.filter(({ response }) => !isConcluded(response));
  for (const { response } of waiting) showLink(kay, response);
  await openLinks(kay, waiting.map(getConsentUrl));
  return attempts;
}

/** Returns the link of a connection. */
function getConsentUrl({ response }: BegunConnection): string {
  return response.authorization_url;
}

/**
 * Starts an authorization. The PKCE challenge binds the tokens to this process, even if someone else sees the link.
 * First connections start one at a time, so that later ones belong to the installation of the first.
 */
export async function beginConnection(
  kay: Kay,
  link: BackendHandle,
  service: string,
  site?: string,
): Promise<BegunConnection> {
  const { credentials, origin } = link;
  await credentials.checkWritable();
  const { signIn } = await credentials.read(origin);
  if (signIn.session_id) return await requestConnection(kay, link, { service, site, signIn });
  return await credentials.exclusively(async () => {
    const { signIn } = await credentials.read(origin);
    return await requestConnection(kay, link, { service, site, signIn });
  }, kay.signal);
}

type ConnectionRequest = { service: string; site?: string; signIn: SignIn };

async function requestConnection(
  kay: Kay,
  link: BackendHandle,
  { service, site, signIn }: ConnectionRequest,
): Promise<BegunConnection> {
  const { token, refresh_token, session_id } = signIn;
  const signedIn = Boolean(token || refresh_token);
  const previous = signedIn ? await findConnectionBefore(kay, link, service, session_id) : undefined;
  const now = kay.clock.now();
  const hasLostTokens = session_id !== undefined && !previous && listFirstConnections(signIn, now).length === 0;
  const verifier = Buffer.from(kay.random(32)).toString("base64url");
  const response = await link.api.connect(
    service,
    {
      ...(session_id ? { session_id } : {}),
      ...(hasLostTokens ? { needs_tokens: true } : {}),
      ...(site ? { site } : {}),
      code_challenge: hash("sha256", verifier, "base64url"),
    },
    { signal: kay.signal, signedIn: previous !== undefined },
  );
  checkLink(response);
  if (link.embedded) warnAboutRedirect(kay, response);
  const expiry = Date.parse(response.expires_at ?? "") - (link.api.clockOffsetMs() ?? 0);
  const longest = kay.clock.now() + AUTHORIZATION_LIFETIME_MS;
  const deadline = Number.isNaN(expiry) ? longest : Math.min(expiry, longest);
  const { state, session_id: givenState } = response;
  if (givenState !== session_id || (!previous && !hasLostTokens)) {
    const first = { requestedId: session_id, session_id: givenState, state, deadline, now };
    await saveFirstConnection(link.credentials, link.origin, first);
  }
  if (response.session_reset) {
    kay.out.warn("The backend did not recognize this installation and created a new one. Reconnect your services.");
  }
  return { response, verifier, before: previous, deadline };
}

/** Returns the service before connecting; undefined if the sign-in has ended, so that new tokens are requested. */
async function findConnectionBefore(
  kay: Kay,
  link: BackendHandle,
  service: string,
  session_id?: string,
): Promise<Connection | undefined> {
  try {
    const { connections } = await link.api.connections({ session_id, signal: kay.signal });
    return connections[service] ?? { connected: false };
  } catch (error) {
    if (error instanceof Problem && error.exit === 4) return undefined;
    throw error;
  }
}

/** Waits until the consent is complete, stores its tokens, and lets the backend confirm it. `signal` ends the wait. */
export async function completeConsent(
  kay: Kay,
  link: BackendHandle,
  attempt: BegunConnection,
  line: Pick<WaitingLine, "retrying">,
  signal = kay.signal,
): Promise<ConnectedService> {
  const connection = await completeConnection({
    api: link.api,
    credentials: link.credentials,
    origin: link.origin,
    response: attempt.response,
    verifier: attempt.verifier,
    before: attempt.before,
    clock: kay.clock,
    signal,
    deadline: attempt.deadline,
    note: line.retrying,
  }).catch(async (error: unknown) => {
    const first = { state: attempt.response.state, now: kay.clock.now() };
    await forgetFirstConnection(link.credentials, link.origin, first).catch(() => {});
    throw error;
  });
  const { service } = attempt.response;
  await saveAccountLabels(link, { [service]: connection });
  const site = formatSite(connection);
  const account = `${formatAccount(connection) || "an unnamed account"}${site ? ` at ${site}` : ""}`;
  const { name } = kay.profile();
  const suffix = name === DEFAULT_PROFILE ? "" : ` in profile ${name}`;
  const other = findReplacedAccount(attempt.before, connection);
  const instead = other === null ? "" : `, instead of ${formatAccount(other) || "another account"}`;
  return {
    service,
    connection,
    ...(other === null ? {} : { before: other }),
    message: attempt.response.connected
      ? `Connected ${clean(service, { lines: false })}, which needs no sign-in`
      : `Connected ${clean(service, { lines: false })} as ${account}${suffix}${instead}`,
  };
}

/** Returns whether an authorization has already ended, because its service needs neither a consent nor a secret. */
export function isConcluded({ connected }: ConnectResponse): boolean {
  return connected !== undefined;
}

/** Prints the link on a separate line, in full. */
export function showLink(kay: Kay, { service, authorization_url, pasted, user_code }: ConnectResponse): string {
  const host = kay.out.paint("bold", new URL(authorization_url).host, "stderr");
  const action = pasted ? "paste its key" : "allow access";
  const { stderr } = kay.terminal;
  const intro = `To connect ${clean(service, { lines: false })}, ${action} at ${host}:`;
  const lines = stderr.isTerminal ? wrapSentences(intro, stderr.columns()) : intro;
  stderr.write(`${lines}\n\n${authorization_url}\n\n`);
  if (user_code) {
    const code = kay.out.paint("bold", clean(user_code, { lines: false, max: 20 }), "stderr");
    kay.terminal.stderr.write(`The page must show the code ${code}.\n\n`);
  }
  return authorization_url;
}

/**
 * Checks that a link is https, or http on this machine, in printable ASCII (RFC 3986), so that the shown link is the
 * opened one.
 */
function checkLink({ service, authorization_url }: ConnectResponse): void {
  const fault = findLinkFault(authorization_url);
  if (fault === undefined) return;
  const name = clean(service, { lines: false });
  throw new Problem("INSECURE_URL", `Refusing to open the link for ${name}: it ${fault}.`, {
    hint: "Check that the URL points to a kay backend: `kay config get api-url`.",
  });
}

/** Warns if the local backend is not at its usual port, which is the one that a custom OAuth client is registered with. */
function warnAboutRedirect(kay: Kay, { authorization_url }: ConnectResponse): void {
  const url = new URL(authorization_url);
  const redirect = URL.parse(url.searchParams.get("redirect_uri") ?? "");
  if (!redirect || isLoopbackHost(url.hostname) || redirect.port === String(EMBEDDED_PORT)) return;
  kay.out.warn(
    `The redirect URL is ${redirect.href}, because another program uses port ${EMBEDDED_PORT}. If ${url.host} refuses it, stop that program, run \`kay serve --stop\`, and connect again.`,
  );
}

function findLinkFault(link: string): string | undefined {
  const url = URL.parse(link);
  const isSecure = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  if (!isSecure) return "is not an https:// URL";
  if (!/^[\x21-\x7e]+$/.test(link)) return "has characters that URLs do not have";
  return url.username || url.password ? "has a user name or password before its host" : undefined;
}
