import type { BackendPorts } from "../../ports.ts";
import { listKnownAccounts } from "../../store/installations.ts";
import { createTicket, isTicket } from "../../store/secrets.ts";
import { type AuthorizationState, bindBrowser } from "../../store/states.ts";
import { restoreConsent } from "../mcp/prepare.ts";
import { type ConnectableService, findService, listServices, requireClient } from "../services/catalog.ts";
import { openVerifier } from "../tokens/sealing.ts";
import { buildAuthorizationUrl } from "./authorize.ts";
import { createBrowserCookie } from "./browsers.ts";
import { type CallbackResult, cancelState, createStalePage } from "./callback.ts";
import { escapeHtml, renderFacts, renderPage, renderPageShell } from "./page.ts";
import { findPendingState, type PendingState } from "./status.ts";

/**
 * Shows the page that a link leads to (`GET /auth/begin?state=`): what is about to happen, the code that the terminal shows,
 * who asked and when. Looking at it changes nothing.
 */
export async function showBeginPage(ports: BackendPorts, query: URLSearchParams): Promise<Response> {
  const pending = await findWaiting(ports, query.get("state"));
  if (!pending) return renderStalePage(ports);
  const { text, row, service } = pending;
  const { title } = service.service;
  const facts = await listFacts(ports, row);
  const content = `<h1>${escapeHtml(`Connect ${title} to kay?`)}</h1>
${renderFacts(facts)}<p>Continue only if you ran kay connect yourself just now and your terminal shows this code. Otherwise, the person who sent you this
link would get access to your ${escapeHtml(title)} account.</p>
<form method="post" action="begin" autocomplete="off">
<input type="hidden" name="state" value="${escapeHtml(text)}">
<input type="hidden" name="ticket" value="${escapeHtml(createTicket(ports, "begin", text))}">
<div class="buttons">
<button name="decision" value="continue" class="primary">Continue to ${escapeHtml(title)}</button>
<button name="decision" value="cancel">I did not start this</button>
</div>
</form>
<footer>kay never sees your password.</footer>`;
  return renderPageShell({
    title: `Connect ${title}`,
    content,
    status: 200,
    formAction: "'self'",
    referrer: "same-origin",
  });
}

/** Handles the button of that page: binds the authorization to this browser and leads to the service, or cancels it. */
export async function submitBegin(ports: BackendPorts, form: URLSearchParams): Promise<Response> {
  const pending = await findWaiting(ports, form.get("state"));
  if (!pending || !isTicket(ports, "begin", pending.text, form.get("ticket") ?? "")) return renderStalePage(ports);
  const { text, row, service } = pending;
  if (form.get("decision") !== "continue") {
    const { page, status } = await cancelState(ports, row.hash);
    return renderPage(page, status);
  }
  const cookie = createBrowserCookie(ports.publicUrl, row.hash);
  await bindBrowser(ports.db, row.hash, cookie.hash);
  const verifier = row.verifier ? openVerifier(ports.keys, row.hash, row.verifier) : undefined;
  const prepared = await restoreConsent(ports, service, row);
  const location = await buildAuthorizationUrl(ports, prepared.service, { state: text, verifier });
  return renderContinuePage(location, service.service.title, cookie.header);
}

/**
 * Continues with a page, not a redirect: browsers apply `form-action` to every redirect after a form, and services
 * redirect to sign-in pages that only they know.
 */
function renderContinuePage(location: string, title: string, cookie: string): Response {
  const href = escapeHtml(location);
  const response = renderPageShell({
    title: `Continue to ${title}`,
    content: `<meta http-equiv="refresh" content="0; url=${href}">
<h1>${escapeHtml(`Continue to ${title}`)}</h1>
<p><a href="${href}">Continue</a> if your browser does not continue automatically.</p>`,
    status: 200,
    formAction: "'none'",
    referrer: "no-referrer",
  });
  response.headers.append("set-cookie", cookie);
  return response;
}

type PendingConsent = PendingState & { service: ConnectableService };

async function findWaiting(ports: BackendPorts, text: string | null): Promise<PendingConsent | undefined> {
  const pending = await findPendingState(ports, text);
  if (!pending || pending.row.user_code === null) return undefined;
  const { installation_id, service: name } = pending.row;
  return { ...pending, service: requireClient(findService(await listServices(ports, installation_id), name)) };
}

/** Lists the facts by which users recognize their own request. */
export async function listFacts(ports: BackendPorts, row: AuthorizationState): Promise<[string, string][]> {
  const minutes = Math.max(0, Math.floor((ports.clock.now() - row.created_at.getTime()) / 60_000));
  const ago = minutes === 0 ? "just now" : `${minutes} min ago`;
  const accounts = await listKnownAccounts(ports.db, row.installation_id);
  const accountNames = accounts.map(({ label }) => label).join(", ");
  return [
    ...(row.user_code ? [["Code", row.user_code] as [string, string]] : []),
    ["Requested", `${row.created_at.toISOString().slice(0, 16).replace("T", " ")} UTC, ${ago}`],
    ["From", row.requested_from ?? "an unknown address"],
    ["By", accountNames ? `the kay of ${accountNames}` : "a kay that is not signed in"],
  ];
}

function renderStalePage(ports: BackendPorts): Response {
  const { page, status }: Omit<CallbackResult, "connected"> = createStalePage(ports, "no page waits for this state");
  return renderPage(page, status);
}
