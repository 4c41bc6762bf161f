import { html, raw } from "hono/html";
import type { Account } from "../provider.ts";
import { type Page, renderPage } from "../web-page.ts";

/** Texts of the consent page. */
export type ConsentView = {
  /** The access that the client requests: "Jira at Atlassian". */
  subject: string;
  action: string;
  /** The anti-forgery token: random, valid for one answer to this request. */
  ticket: string;
  scopes: { name: string; words: string }[];
  accounts: Account[];
  redirectHost: string;
};

/** Renders the consent page. It works without JavaScript. */
export function renderConsentPage(view: ConsentView): Page {
  return renderPage(
    `Allow kay to use ${view.subject}?`,
    html`
      <h1><b>kay</b> asks to use ${view.subject}</h1>
      <form method="post" action="${view.action}">
        <input type="hidden" name="ticket" value="${view.ticket}">
        <fieldset>
          <legend>Continue as</legend>
          ${view.accounts.map((account, index) => renderAccountChoice(account, index === 0))}
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

/** Renders a page for a request that must not be redirected. */
export function renderErrorPage(provider: string, reason: string): Page {
  return renderPage(
    `${provider}: the request is not valid`,
    html`<h1>This request to ${provider} is not valid</h1><p>${reason}</p>`,
  );
}

function renderAccountChoice(account: Account, isChosen: boolean): Page {
  return html`<label><input type="radio" name="account" value="${account.id}" ${isChosen ? raw("checked") : ""}>
    <span><b>${account.name}</b><small>${account.email}</small></span></label>`;
}
