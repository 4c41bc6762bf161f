import { isLoopbackHost } from "#net/addresses";
import { escapeHtml, renderFacts, renderPageShell } from "../../connections/consent/page.ts";
import type { BackendPorts } from "../../ports.ts";
import type { ProgramRequest } from "../../store/programs.ts";

/**
 * Shows which program asks, what it would get, and the command that authorizes it. The page has no button, because only
 * a signed-in terminal can answer, so a link to it gives its sender nothing.
 *
 * @param cancelUrl address of the program for a refusal
 */
export function showRequestPage(
  { publicUrl }: Pick<BackendPorts, "publicUrl">,
  request: ProgramRequest,
  cancelUrl: string,
): Response {
  const { name, user_code: code } = request;
  const command = `kay mcp authorize ${code}`;
  return renderProgramPage(`Let ${name} use kay?`, 200, [
    renderFacts([
      ["Program", `“${name}”`],
      ["Answers go to", describeRedirect(request)],
      ["Code", code],
    ]),
    `<p>${escapeHtml(NAME_NOTE)}</p>`,
    "<p>It could read what your connected services show kay. Each change would still wait for your approval in kay, unless your policies let it run.</p>",
    "<p>If you started this yourself just now, run this command in a terminal that is signed in to",
    `${escapeHtml(publicUrl)}:</p>\n<pre>${escapeHtml(command)}</pre>`,
    "<p>It shows the program again, asks you, and opens a page that takes you back. The code works for ten minutes.</p>",
    `<footer>Did you not start this? Close this page; nothing happens.
Or <a rel="noreferrer" href="${escapeHtml(cancelUrl)}">tell the program no</a>.</footer>`,
  ]);
}

/** Sends the browser of a user who authorized the program to it, through a page that names the program. */
export function showReturnPage({ name, ...request }: ProgramRequest, url: string): Response {
  const href = escapeHtml(url);
  return renderProgramPage(`Back to ${name}`, 200, [
    `<meta http-equiv="refresh" content="0; url=${href}">`,
    renderFacts([["Goes to", describeRedirect(request)]]),
    `<p><a rel="noreferrer" href="${href}">Continue</a> if your browser does not continue automatically.</p>`,
    "<footer>kay mcp list shows the programs that may use kay, and kay mcp remove ends their access.</footer>",
  ]);
}

/** Shows why a program cannot be authorized. kay never redirects a browser to an unconfirmed address. */
export function showRefusal(reason: string, status: number): Response {
  return renderProgramPage("This program cannot be let in", status, [
    `<p>${escapeHtml(reason)}</p>`,
    "<footer>You can close this page. Start again in the program.</footer>",
  ]);
}

/** Returns the host of the program's address, as the page and the terminal name it. */
export function getRedirectHost({ redirect_uri }: Pick<ProgramRequest, "redirect_uri">): string {
  return new URL(redirect_uri).host;
}

function describeRedirect(request: Pick<ProgramRequest, "redirect_uri">): string {
  const host = getRedirectHost(request);
  return isLoopbackHost(new URL(request.redirect_uri).hostname) ? `${host}, a program on your own computer` : host;
}

const NAME_NOTE = "The name is the program's own claim. kay cannot check it.";

function renderProgramPage(title: string, status: number, content: string[]): Response {
  const text = [`<h1>${escapeHtml(title)}</h1>`, ...content].join("\n");
  return renderPageShell({ title, content: text, status, formAction: "'none'", referrer: "no-referrer" });
}
