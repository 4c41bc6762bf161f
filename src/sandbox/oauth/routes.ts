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
  const waiting = new Map<string, { authorization: AuthorizationRequest; expires: number }>();
  app.get(authorizePath, (c) => show(c, target, waiting));
  app.post(authorizePath, (c) => applyAnswer(c, target, waiting));
  for (const path of [tokenPath, ...olderTokenPaths]) {
    app.post(path, createTokenEndpoint(target.traits, target.grants, target.client));
  }
  if (revocation) app.post(revocation.path, createRevocationEndpoint(target.traits, revocation, target));
}

/** Handles the user's answer to a request. Returns where the browser then goes. */
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

type Waiting = Map<string, { authorization: AuthorizationRequest; expires: number }>;

function show(c: Context<SandboxEnv>, target: OAuthTarget, waiting: Waiting) {
  const reading = parseAuthorization(new URL(c.req.url).searchParams, target.traits, target.client.id);
  if (reading.outcome === "refuse") return c.html(renderErrorPage(target.title, reading.reason), 400, getPageHeaders());
  if (reading.outcome === "redirect") return c.redirect(reading.location, 302);
  for (const [ticket, request] of waiting) if (request.expires <= target.now()) waiting.delete(ticket);
  const ticket = Buffer.from(target.random(32)).toString("base64url");
  waiting.set(ticket, { authorization: reading.authorization, expires: target.now() + TICKET_MS });
  const { scopes, redirectUri } = reading.authorization;
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

async function applyAnswer(c: Context<SandboxEnv>, target: OAuthTarget, waiting: Waiting) {
  const refuse = (reason: string) => c.html(renderErrorPage(target.title, reason), 403, getPageHeaders());
  const origin = c.req.header("origin");
  if (origin !== undefined && origin !== new URL(c.req.url).origin)
    return refuse("The form was sent from another site.");
  const form = new URLSearchParams(await c.req.text());
  const ticket = form.get("ticket") ?? "";
  const request = waiting.get(ticket);
  if (!request || request.expires <= target.now())
    return refuse("This page is out of date. Go back to kay and start again.");
  const decision = form.get("decision");
  const account = target.accounts().find(({ id }) => id === form.get("account"));
  if (decision !== "deny" && (decision !== "allow" || !account)) return refuse("The form was not filled in.");
  waiting.delete(ticket);
  c.header("cache-control", "no-store");
  return c.redirect(
    answerConsent(target, request.authorization, decision === "allow" && account ? account.id : null),
    303,
  );
}
