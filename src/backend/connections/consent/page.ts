import { hash } from "node:crypto";

/** The page that the browser shows after a consent. All texts are plain; nothing in them becomes markup. */
export type Page = {
  tone: "success" | "denial" | "failure";
  title: string;
  text: string;
  facts?: [name: string, value: string][];
  /** Replaces the usual footer. */
  footer?: string;
  /** Offers to undo what this page reports. */
  undo?: { state: string; ticket: string };
};

/** Renders the page as a response that sends nothing anywhere. */
export function renderPage(page: Page, status: number): Response {
  return renderPageShell({
    title: page.title,
    content: renderContent(page),
    status,
    // The browser must send the origin of a form, so that the backend recognizes its own.
    ...(page.undo
      ? { formAction: "'self'", referrer: "same-origin" }
      : { formAction: "'none'", referrer: "no-referrer" }),
  });
}

/** Parts of a page. `content` is markup whose texts are escaped. */
type Shell = { title: string; content: string; status: number; formAction: string; referrer: string };

/** Renders a page of the backend. It loads and runs nothing, cannot be framed, and is not cached. */
export function renderPageShell({ title, content, status, formAction, referrer }: Shell): Response {
  return new Response(renderDocument(title, content), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
      "referrer-policy": referrer,
      "cache-control": "no-store",
    },
  });
}

const STYLE = `
:root { color-scheme: light dark; --ground: #f6f5f2; --card: #fff; --ink: #1d1c1a; --quiet: #66635c; --line: #e4e1da; --good: #1a7f4b; --calm: #8a6d1b; --bad: #b3372f }
@media (prefers-color-scheme: dark) { :root { --ground: #151413; --card: #1f1e1c; --ink: #f0eee9; --quiet: #a5a19a; --line: #35332f; --good: #4cc38a; --calm: #d9b44a; --bad: #f0776c } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif }
main { width: 100%; max-width: 480px; padding: 36px 36px 28px; background: var(--card); border: 1px solid var(--line); border-radius: 14px }
.mark { width: 44px; height: 44px; margin-bottom: 20px; display: grid; place-items: center; border-radius: 50%; border: 2px solid currentColor; font-size: 22px; line-height: 1 }
.success { color: var(--good) } .denial { color: var(--calm) } .failure { color: var(--bad) }
h1 { margin: 0 0 8px; font-size: 24px; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere }
p { margin: 0 0 16px; overflow-wrap: anywhere }
pre { margin: 0 0 16px; padding: 12px; border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; font: 600 16px/1.4 ui-monospace, monospace }
dl { margin: 20px 0; padding: 14px 0; display: grid; grid-template-columns: auto 1fr; gap: 6px 18px; border: solid var(--line); border-width: 1px 0 }
dt { color: var(--quiet) } dd { margin: 0; overflow-wrap: anywhere; font-weight: 600 }
footer { margin-top: 24px; color: var(--quiet); font-size: 14px }
label { display: block; margin: 0 0 16px; font-weight: 600 }
label input { display: block; width: 100%; margin-top: 6px; padding: 10px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); color: inherit; font: inherit }
.buttons { display: flex; flex-direction: row-reverse; gap: 10px }
button { padding: 9px 22px; border: 1px solid var(--line); border-radius: 8px; background: none; color: inherit; font: inherit; font-weight: 600; cursor: pointer }
h2 { margin: 24px 0 8px; font-size: 18px }
small { display: block; color: var(--quiet); font-weight: 400 }
a { color: inherit }
.fields { display: block } .fields dt:not(:first-child) { margin-top: 12px }
.value { white-space: pre-wrap; font-weight: 400 }
.note, .warning { color: var(--bad); font-weight: 600 }
.list { padding: 0; list-style: none } .list li { margin: 0 0 14px; overflow-wrap: anywhere }
.choices { margin: 0 0 18px; display: grid; gap: 10px }
.choices button { min-height: 44px; overflow-wrap: anywhere }
textarea, select { display: block; width: 100%; margin-top: 6px; padding: 10px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); color: inherit; font: inherit }
fieldset { margin: 0 0 16px; border: 1px solid var(--line); border-radius: 8px }
label.box { font-weight: 400 } label.box input { display: inline; width: auto }
@media (max-width: 480px) { body { padding: 10px; place-items: start center } main { padding: 22px 18px } }
.primary { border-color: var(--ink); background: var(--ink); color: var(--card) }
button:focus-visible, input:focus-visible, textarea:focus-visible, select:focus-visible, a:focus-visible { outline: 3px solid var(--calm); outline-offset: 2px }
`;

const STYLE_HASH = hash("sha256", STYLE, "base64");

const MARKS = { success: "✓", denial: "–", failure: "!" };
const FOOTERS = {
  success: "kay never sees your password.",
  denial: "You can close this tab. To try again, run kay connect.",
  failure: "You can close this tab. Go back to the terminal and run kay connect again.",
};

/** Renders facts as markup. Empty without facts. */
export function renderFacts(facts: [name: string, value: string][]): string {
  const rows = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("");
  return rows && `<dl>${rows}</dl>\n`;
}

function renderContent({ tone, title, text, facts = [], footer, undo }: Page): string {
  return `<div class="mark ${tone}" aria-hidden="true">${MARKS[tone]}</div>
<h1>${escapeHtml(title)}</h1>
${renderFacts(facts)}<p>${escapeHtml(text)}</p>
${undo ? renderUndo(undo) : ""}<footer>${escapeHtml(footer ?? FOOTERS[tone])}</footer>`;
}

function renderUndo({ state, ticket }: { state: string; ticket: string }): string {
  return `<form method="post" action="undo">
<input type="hidden" name="state" value="${escapeHtml(state)}">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<p>Did you not start this yourself? <button>Cancel this connection</button></p>
</form>
`;
}

function renderDocument(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · kay</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

/** Escapes text for markup and its attributes. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
