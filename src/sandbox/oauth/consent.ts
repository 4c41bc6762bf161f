import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import type { Account } from "../provider.ts";
import { STYLE } from "./style.ts";

/** What the consent page says. */
export type ConsentView = {
  /** What is asked for: "Jira at Atlassian". */
  subject: string;
  action: string;
  /** The anti-forgery token: random, for one answer to this one request. */
  ticket: string;
  scopes: { name: string; words: string }[];
  accounts: Account[];
  redirectHost: string;
};

type Page = ReturnType<typeof html>;

/** The consent page: works without JavaScript, and every text in it is escaped by `html`. */
export function renderConsentPage(view: ConsentView): Page {
  return renderSandboxPage(
    `Allow kay to use ${view.subject}?`,
    html`
      <h1><b>kay</b> asks to use ${view.subject}</h1>
      <form method="post" action="${view.action}">
        <input type="hidden" name="ticket" value="${view.ticket}">
        <fieldset>
          <legend>Continue as</legend>
          ${view.accounts.map((account, index) => accountChoice(account, index === 0))}
        </fieldset>
        <section>
          <h2>kay will be able to</h2>
          <ul>${view.scopes.map((scope) => html`<li>${scope.words} <code>${scope.name}</code></li>`)}</ul>
        </section>
        <div class="buttons">
          <button name="decision" value="deny">Deny</button>
          <button name="decision" value="allow" class="primary">Allow</button>
        </div>
      </form>
      <p class="quiet">Either way you go back to <code>${view.redirectHost}</code>.</p>`,
  );
}

/** A page for a request that must not be redirected. */
export function renderErrorPage(provider: string, reason: string): Page {
  return renderSandboxPage(
    `${provider}: the request is not valid`,
    html`<h1>This request to ${provider} is not valid</h1><p>${reason}</p>`,
  );
}

/**
 * Headers of the pages. `form-action` names the address that the answer is redirected to, since browsers apply it to redirects too;
 * an IPv6 host cannot be written there, so it falls back to the scheme.
 */
export function getPageHeaders(redirectUri?: string): Record<string, string> {
  const target = redirectUri === undefined ? undefined : new URL(redirectUri);
  const allowed =
    target === undefined ? "" : target.hostname.startsWith("[") ? ` ${target.protocol}` : ` ${target.origin}`;
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'${allowed}; frame-ancestors 'none'; base-uri 'none'`,
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
}

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** A page of the sandbox. */
export function renderSandboxPage(title: string, content: Page): Page {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <style>${raw(STYLE)}</style>
  </head>
  <body>
    <main>
      <p class="banner">kay sandbox: a stand-in; no real account is touched.</p>
      ${content}
    </main>
  </body>
</html>`;
}

function accountChoice(account: Account, chosen: boolean): Page {
  return html`<label><input type="radio" name="account" value="${account.id}" ${chosen ? raw("checked") : ""}>
    <span><b>${account.name}</b><small>${account.email}</small></span></label>`;
}
