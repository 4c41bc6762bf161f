import type { BegunConnection } from "#client/credentials/credentials";
import { isLoopbackHost } from "#net/addresses";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { canPrompt } from "../prompt/question.ts";

/** A connection that waits for a browser. */
export type WaitingConnection = Pick<BegunConnection, "response">;

/**
 * Returns the redirect address if it is on this machine, otherwise null. A browser on another machine cannot open it,
 * but the user can paste it into this terminal.
 */
export function getLocalRedirect(authorizationUrl: string): URL | null {
  const redirect = URL.parse(URL.parse(authorizationUrl)?.searchParams.get("redirect_uri") ?? "");
  return redirect?.protocol === "http:" && isLoopbackHost(redirect.hostname) ? redirect : null;
}

/** Explains how to finish in a browser on another machine. */
export function explainPaste(kay: Kay, urls: string[]): string[] {
  const [redirect] = urls.flatMap((url) => {
    const redirect = isLoopbackHost(URL.parse(url)?.hostname ?? "") ? null : getLocalRedirect(url);
    return redirect ? [redirect] : [];
  });
  if (!redirect || !canPrompt(kay)) return [];
  return [
    `After you allow it, a browser on another machine cannot open ${redirect.origin}. Then paste the address of that page here.`,
  ];
}

/**
 * Finishes a consent with the address that a browser could not open, as if the browser had come. Its state must belong
 * to an attempt that waits in this terminal, so that a link of someone else is never completed.
 *
 * @throws Problem USAGE for another text
 */
export async function takePastedAddress(
  kay: Kay,
  link: Pick<BackendHandle, "baseUrl">,
  connections: WaitingConnection[],
  text: string,
): Promise<void> {
  const status = await kay.visitCallback(findCallback(text, link, connections));
  if (status < 500) return;
  throw new Problem("SERVICE_FAILED", `The backend did not accept the address (HTTP ${status}). Paste it again.`);
}

function findCallback(
  text: string,
  { baseUrl }: Pick<BackendHandle, "baseUrl">,
  connections: WaitingConnection[],
): string {
  const backend = new URL(baseUrl);
  const redirects = connections.flatMap(({ response }) => {
    const redirect = getLocalRedirect(response.authorization_url);
    const isOwn = isLoopbackHost(backend.hostname) && redirect?.port === backend.port;
    return redirect && isOwn ? [{ redirect, state: response.state }] : [];
  });
  const [first] = redirects;
  if (!first) throw refuse("This sign-in completes in the browser, so there is nothing to paste here.");
  const start = `${first.redirect.origin}${first.redirect.pathname}`;
  const url = parseAddress(text);
  if (!url) throw refuse(`That is not an address. Paste the full address, which begins with ${start}`);
  if (connections.some(({ response }) => url.href === URL.parse(response.authorization_url)?.href))
    throw refuse(`That is the link to open. Paste the address that it leads to, which begins with ${start}`);
  const places = redirects.filter(
    ({ redirect }) => isLoopbackHost(url.hostname) && url.port === redirect.port && url.pathname === redirect.pathname,
  );
  if (places.length === 0)
    throw refuse(`${toLine(url.origin + url.pathname)} is another address. Paste the one that begins with ${start}`);
  const match = places.find(({ state }) => url.searchParams.getAll("state").join() === state);
  if (!url.searchParams.has("code") && !url.searchParams.has("error"))
    throw refuse("That address is incomplete: it has no code. Copy all of it.");
  if (!match)
    throw refuse(
      "That address belongs to another attempt. Open the link above, and paste the address that it leads to.",
    );
  return `${match.redirect.href}${url.search}`;
}

/**
 * Parses an address as users copy it: with line breaks, in quotes, without `http://`, or with `https://` by a strict
 * browser.
 */
function parseAddress(text: string): URL | null {
  const address = text.replaceAll(/[\s"'<>`]/g, "");
  if (/^https?:\/\//i.test(address)) return URL.parse(address);
  return /^(localhost|127\.|\[)[^/]*:\d+\//i.test(address) ? URL.parse(`http://${address}`) : null;
}

function refuse(message: string): Problem {
  return new Problem("USAGE", message);
}
