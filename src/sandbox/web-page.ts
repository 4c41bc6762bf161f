import { hash } from "node:crypto";
import type { Context } from "hono";
import { html, raw } from "hono/html";

/** Style of the sandbox's pages. Its hash is in their Content-Security-Policy, so it is a constant. */
const STYLE = `
:root { color-scheme: light dark; --ink: #1d2329; --soft: #5c6773; --line: #d9dee4; --paper: #fff; --ground: #f3f5f7; --accent: #0b5fd6; --tint: #fff6dd; --tint-ink: #6b4e00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #9aa5b1; --line: #39424c; --paper: #1c2227; --ground: #12161a; --accent: #6ea8ff; --tint: #3a3013; --tint-ink: #f3d98b; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 32rem; overflow: hidden; background: var(--paper); border: 1px solid var(--line); border-radius: 12px; padding: 0 1.75rem 1.25rem; overflow-wrap: anywhere; }
.banner { margin: 0 -1.75rem 1.25rem; padding: .5rem 1.75rem; background: var(--tint); color: var(--tint-ink); font-size: .875rem; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; font-weight: 500; line-height: 1.3; }
h2, legend { margin: 0 0 .4rem; padding: 0; font-size: .875rem; font-weight: 600; color: var(--soft); }
fieldset { margin: 0 0 1rem; padding: 0; border: 0; display: flex; flex-wrap: wrap; gap: .5rem; }
legend { width: 100%; }
label { flex: 1 1 12rem; display: flex; align-items: center; gap: .75rem; padding: .55rem .75rem; border: 1px solid var(--line); border-radius: 8px; cursor: pointer; }
label:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
input { accent-color: var(--accent); }
label b { display: block; font-weight: 500; }
small { color: var(--soft); }
ul { margin: 0 0 1rem; font-size: .9375rem; padding: 0 0 0 1.1rem; }
li { margin-bottom: .25rem; line-height: 1.35; }
li code { display: block; }
code { font: .8125rem ui-monospace, monospace; color: var(--soft); }
.buttons { display: flex; justify-content: flex-end; gap: .6rem; }
button { padding: .55rem 1.4rem; border: 1px solid var(--line); border-radius: 8px; background: none; color: inherit; font: inherit; font-weight: 500; cursor: pointer; }
.primary { border-color: var(--accent); background: var(--accent); color: var(--paper); }
button:focus-visible, input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.quiet { margin: 1.25rem 0 0; font-size: .875rem; color: var(--soft); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; }
article { white-space: pre-wrap; margin: 0 0 1rem; }
`;

export type Page = ReturnType<typeof html>;

/**
 * Headers of the pages. `form-action` includes the redirect address, because browsers apply it to redirects too; an
 * IPv6 host cannot be written there, so it falls back to the scheme.
 */
export function getPageHeaders(redirectUri?: string): Record<string, string> {
  const target = redirectUri === undefined ? undefined : new URL(redirectUri);
  const formTarget =
    target === undefined ? "" : target.hostname.startsWith("[") ? ` ${target.protocol}` : ` ${target.origin}`;
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'${formTarget}; frame-ancestors 'none'; base-uri 'none'`,
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
}

const STYLE_HASH = hash("sha256", STYLE, "base64");

/** Renders a page of the sandbox. `html` escapes every text in it. */
export function renderPage(title: string, content: Page): Page {
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

/** Sends a read-only page that a link leads to, so that users can see what kay did. */
export function sendWebPage(c: Context, title: string, content: Page) {
  return c.html(renderPage(title, html`<h1>${title}</h1>${content}`), 200, getPageHeaders());
}

/** Renders a list of names and values. */
export function renderFacts(facts: Record<string, string>): Page {
  return html`<dl>${Object.entries(facts).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** Renders a message or comment of a page. Links lead to its `id`. */
export function renderEntry(heading: string, text: string, id?: string): Page {
  const title = id === undefined ? html`<h2>${heading}</h2>` : html`<h2 id="${id}">${heading}</h2>`;
  return html`${title}<article>${text}</article>`;
}
