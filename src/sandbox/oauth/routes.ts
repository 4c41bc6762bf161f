import type { Context, Hono } from "hono";
import type { Account, OAuthTraits, SandboxEnv } from "../provider.ts";
import { getPageHeaders } from "../web-page.ts";
import { type AuthorizationRequest, buildDenialRedirect, buildRedirect, parseAuthorization } from "./authorization.ts";
import { renderConsentPage, renderErrorPage } from "./consent.ts";
import type { Grants } from "./grants.ts";
import { type Client, createRevocationEndpoint, createTokenEndpoint } from "./token.ts";

const TICKET_MS = 600_000;

/** The ports of an origin's OAuth server. */
export type OAuthTarget = {
  title: string;
  traits: OAuthTraits;
  client: Client;
  grants: Grants;
  accounts(): Account[];
  now(): number;
  random(bytes: number): Uint8Array;
};

/** Adds the authorization and token endpoints for any provider. */
export function registerOAuthRoutes(app: Hono<SandboxEnv>, target: OAuthTarget): void {
  const { authorizePath, tokenPath, olderTokenPaths = [], revocation } = target.traits;
  const tickets = new Map() as Tickets;
  app.get(authorizePath, (c) => showConsent(c, target, tickets));
  app.post(authorizePath, (c) => applyAnswer(c, target, tickets));
  for (const path of [tokenPath, ...olderTokenPaths]) {
    app.post(path, createTokenEndpoint(target.traits, target.grants, target.client));
  }
  if (revocation) app.post(revocation.path, createRevocationEndpoint(target.traits, revocation, target));
}

/** Applies the user's answer to a request. Returns the URL that the browser is redirected to. */
export function answerConsent(
  target: OAuthTarget,
  authorization: AuthorizationRequest,
  account: string | null,
): string {
  if (account === null) return buildDenialRedirect(authorization);
  const { client, scopes, redirectUri, challenge, asksRefresh } = authorization;
  const code = target.grants.code({
    account,
    client,
    scopes,
    redirectUri,
    ...(challenge === undefined ? {} : { challenge }),
    ...(asksRefresh === undefined ? {} : { asksRefresh }),
  });
  return buildRedirect(redirectUri, { state: authorization.state, code });
}

/** Authorization requests whose consent page is open, by ticket. */
type Tickets = Map<string, { authorization: AuthorizationRequest; expires: number }>;

function showConsent(c: Context<SandboxEnv>, target: OAuthTarget, tickets: Tickets) {
  const parsed = parseAuthorization(new URL(c.req.url).searchParams, target.traits, target.client.id);
  if (parsed.outcome === "refuse") return c.html(renderErrorPage(target.title, parsed.reason), 400, getPageHeaders());
  if (parsed.outcome === "redirect") return c.redirect(parsed.location, 302);
  for (const [ticket, request] of tickets) if (request.expires <= target.now()) tickets.delete(ticket);
  const ticket = Buffer.from(target.random(32)).toString("base64url");
  tickets.set(ticket, { authorization: parsed.authorization, expires: target.now() + TICKET_MS });
  const { scopes, redirectUri } = parsed.authorization;
  const view = {
    subject: target.traits.subject(scopes),
    action: target.traits.authorizePath,
    ticket,
    scopes: scopes.map((name) => ({ name, words: target.traits.scopes[name] ?? name })),
    accounts: target.accounts(),
    redirectHost: new URL(redirectUri).host,
  };
  return c.html(renderConsentPage(view), 200, getPageHeaders(redirectUri));
}

async function applyAnswer(c: Context<SandboxEnv>, target: OAuthTarget, tickets: Tickets) {
  const refuse = (reason: string) => c.html(renderErrorPage(target.title, reason), 403, getPageHeaders());
  const origin = c.req.header("origin");
  if (origin !== undefined && origin !== new URL(c.req.url).origin)
    return refuse("The form was sent from another site.");
  const form = new URLSearchParams(await c.req.text());
  const ticket = form.get("ticket") ?? "";
  const request = tickets.get(ticket);
  if (!request || request.expires <= target.now())
    return refuse("This page is out of date. Go back to kay and start again.");
  const decision = form.get("decision");
  const account = target.accounts().find(({ id }) => id === form.get("account"));
  if (decision !== "deny" && (decision !== "allow" || !account)) return refuse("The form was not filled in.");
  tickets.delete(ticket);
  c.header("cache-control", "no-store");
  return c.redirect(
    answerConsent(target, request.authorization, decision === "allow" && account ? account.id : null),
    303,
  );
}
