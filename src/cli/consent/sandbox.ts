import { isLoopbackHost } from "#net/addresses";
import type { Send } from "#net/ports";
import { Problem } from "#protocol/errors";

const LIMIT_MS = 10_000;

/**
 * Consents at the sandbox as its user: requests the redirect of a consent (`POST /_sandbox/consent`), then calls it
 * like a browser. Both must be on this machine.
 */
export async function giveSandboxConsent(send: Send, authorizationUrl: string): Promise<void> {
  const origin = requireLoopbackOrigin(authorizationUrl);
  const body = JSON.stringify({ authorization_url: authorizationUrl, decision: "allow" });
  const headers = { "Content-Type": "application/json" };
  const answer = await send({ method: "POST", url: `${origin}/_sandbox/consent`, headers, body, timeoutMs: LIMIT_MS });
  const redirect =
    answer.status === 200 ? (JSON.parse(answer.body) as { redirect_url?: string }).redirect_url : undefined;
  if (!redirect) throw new Problem("AUTHORIZATION_FAILED", `The sandbox did not grant consent (${answer.status}).`);
  requireLoopbackOrigin(redirect);
  const status = await visitCallback(send, redirect);
  if (status >= 400) throw new Problem("AUTHORIZATION_FAILED", `The backend refused the consent (${status}).`);
}

/** Loads a redirect address like a browser. Returns the HTTP status. */
export async function visitCallback(send: Send, url: string): Promise<number> {
  const { status } = await send({ method: "GET", url, timeoutMs: LIMIT_MS });
  return status;
}

function requireLoopbackOrigin(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "http:" && isLoopbackHost(url.hostname)) return url.origin;
  throw new Problem("AUTHORIZATION_FAILED", "This is not a sandbox service: only you can give consent.", {
    hint: "Run `kay connect <service>` where a browser can be opened.",
  });
}
