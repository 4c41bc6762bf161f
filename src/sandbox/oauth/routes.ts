import type { Context, Hono } from "hono";
import type { Account, OAuthTraits, SandboxEnv } from "../provider.ts";
import { type AuthorizationRequest, buildDenialRedirect, buildRedirect, parseAuthorization } from "./authorization.ts";
import { getPageHeaders, renderConsentPage, renderErrorPage } from "./consent.ts";
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
export function registerOAuthRoutes(app: Hono<SandboxEnv>, place: OAuthTarget): void {
  const { authorizePath, tokenPath, olderTokenPaths = [], revocation } = place.traits;
  const waiting = new Map<string, { authorization: AuthorizationRequest; expires: number }>();
  app.get(authorizePath, (c) => show(c, place, waiting));
  app.post(authorizePath, (c) => applyAnswer(c, place, waiting));
  for (const path of [tokenPath, ...olderTokenPaths]) {
    app.post(path, createTokenEndpoint(place.traits, place.grants, place.client));
  }
  if (revocation) app.post(revocation.path, createRevocationEndpoint(place.traits, revocation, place));
}

/** Handles the user's answer to a request. Returns where the browser then goes. */
export function answerConsent(place: OAuthTarget, authorization: AuthorizationRequest, account: string | null): string {
  if (account === null) return buildDenialRedirect(authorization);
  const { client, scopes, redirectUri, challenge, asksRefresh } = authorization;
  const code = place.grants.code({
    account,
    client,
    scopes,
    redirectUri,
    ...(challenge === undefined ? {} : { challenge }),
    ...(asksRefresh === undefined ? {} : { asksRefresh }),
  });
  return buildRedirect(redirectUri, { state: authorization.state, code });
}

type Waiting = Map<string, { authorization: AuthorizationRequest; expires: number }>;

function show(c: Context<SandboxEnv>, place: OAuthTarget, waiting: Waiting) {
  const reading = parseAuthorization(new URL(c.req.url).searchParams, place.traits, place.client.id);
  if (reading.outcome === "refuse") return c.html(renderErrorPage(place.title, reading.reason), 400, getPageHeaders());
  if (reading.outcome === "redirect") return c.redirect(reading.location, 302);
  for (const [ticket, one] of waiting) if (one.expires <= place.now()) waiting.delete(ticket);
  const ticket = Buffer.from(place.random(32)).toString("base64url");
  waiting.set(ticket, { authorization: reading.authorization, expires: place.now() + TICKET_MS });
  const { scopes, redirectUri } = reading.authorization;
  const view = {
    subject: place.traits.subject(scopes),
    action: place.traits.authorizePath,
    ticket,
    scopes: scopes.map((name) => ({ name, words: place.traits.scopes[name] ?? name })),
    accounts: place.accounts(),
    redirectHost: new URL(redirectUri).host,
  };
  return c.html(renderConsentPage(view), 200, getPageHeaders(redirectUri));
}

async function applyAnswer(c: Context<SandboxEnv>, place: OAuthTarget, waiting: Waiting) {
  const refuse = (reason: string) => c.html(renderErrorPage(place.title, reason), 403, getPageHeaders());
  const origin = c.req.header("origin");
  if (origin !== undefined && origin !== new URL(c.req.url).origin)
    return refuse("The form was sent from another site.");
  const form = new URLSearchParams(await c.req.text());
  const ticket = form.get("ticket") ?? "";
  const one = waiting.get(ticket);
  if (!one || one.expires <= place.now()) return refuse("This page is out of date. Go back to kay and start again.");
  const decision = form.get("decision");
  const account = place.accounts().find(({ id }) => id === form.get("account"));
  if (decision !== "deny" && (decision !== "allow" || !account)) return refuse("The form was not filled in.");
  waiting.delete(ticket);
  c.header("cache-control", "no-store");
  return c.redirect(answerConsent(place, one.authorization, decision === "allow" && account ? account.id : null), 303);
}
