import { escapeHtml, type Page, renderFacts, renderPage, renderPageShell } from "./page.ts";

/** Texts of the page where a secret is pasted. All are plain. */
export type KeyForm = {
  title: string;
  /** The only address that the secret is sent to. */
  host: string;
  secretKind: "key" | "token" | "password" | "client secret";
  /** Who asked for this page and when, and the code that the terminal shows. */
  facts: [name: string, value: string][];
  state: string;
  /** Anti-forgery token of this form. */
  ticket: string;
  /** The error of the last attempt. */
  error?: string;
  user?: string;
  /** The other page that the form may lead to: the provider's consent page. */
  onward?: string;
};

/**
 * Renders the form as a response. It needs no JavaScript, loads nothing, is not cached, and submits only to this
 * backend.
 */
export function renderKeyForm(form: KeyForm, status = 200): Response {
  const heading = `Connect ${form.title} with your ${form.secretKind}`;
  // The browser must send the origin of the form, so that the backend recognizes its own.
  return renderPageShell({
    title: heading,
    content: renderContent(form, heading),
    status,
    formAction: listFormActions(form),
    referrer: "same-origin",
  });
}

/** Renders the page after the form, which says where the secret is stored. */
export function renderKeyResult(page: Page, status: number): Response {
  return renderPage({ ...page, ...(page.tone === "success" ? { footer: STORED } : {}) }, status);
}

const STORED = "kay's backend stores what you enter encrypted. kay disconnect deletes it.";

function listFormActions({ onward }: KeyForm): string {
  const origin = onward === undefined ? undefined : new URL(onward);
  if (!origin) return "'self'";
  // An IPv6 host cannot be written in a policy.
  return `'self' ${origin.hostname.startsWith("[") ? origin.protocol : origin.origin}`;
}

function renderContent(form: KeyForm, heading: string): string {
  const { host, secretKind: asks, facts, state, ticket, error, user = "" } = form;
  const renderHiddenField = (name: string, value: string) =>
    `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
  return `<h1>${escapeHtml(heading)}</h1>
${renderFacts(facts)}<p>${escapeHtml(WORDS[asks])} <b>${escapeHtml(host)}</b> and nowhere else.</p>
${error ? `<p class="failure" role="alert">${escapeHtml(error)}</p>\n` : ""}<form method="post" action="key" autocomplete="off">
${renderHiddenField("state", state)}
${renderHiddenField("ticket", ticket)}
${asks === "password" ? buildField("User name", "user", "text", user) : ""}${buildField(LABELS[asks], "secret", "password", "")}<div class="buttons">
<button name="decision" value="connect" class="primary">Connect</button>
<button name="decision" value="cancel" formnovalidate>Cancel</button>
</div>
</form>
<footer>Continue only if you just ran kay connect yourself. Otherwise the sender of this link gets access to what you connect.</footer>`;
}

function buildField(label: string, name: string, type: string, value: string): string {
  return `<label>${label}<input name="${name}" type="${type}" value="${escapeHtml(value)}" required maxlength="4096" autocomplete="off" autocapitalize="off" spellcheck="false"${name === "user" || value !== "" ? "" : " autofocus"}></label>\n`;
}

const LABELS = { key: "API key", token: "Access token", password: "Password", "client secret": "Client secret" };

const WORDS = {
  key: "Paste the API key. It is sent to",
  token: "Paste the access token. It is sent to",
  password: "Enter your user name and password. They are sent to",
  "client secret": "Paste the secret of the OAuth client. It is sent to",
};
