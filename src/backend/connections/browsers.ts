import { randomBytes, randomInt } from "node:crypto";
import { isLoopbackHost } from "#net/addresses";
import type { BackendPorts } from "../ports.ts";
import { hashSecret, secretsEqual } from "../store/secrets.ts";
import type { AuthorizationState } from "../store/states.ts";
import type { ConnectableService } from "./catalog.ts";

/** Letters that are not mistaken for each other and form no words (RFC 8628 section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LIFETIME_SECONDS = 600;

/**
 * Whether a link must lead to a page of this backend first. On a backend of many, anybody can ask for a link and send it to
 * somebody else (RFC 9700 section 4.7). The stand-ins of a sandbox have no accounts to protect.
 */
export function needsBeginPage(
  { showsBeginPage }: Pick<BackendPorts, "showsBeginPage">,
  { endpoints }: ConnectableService,
): boolean {
  return showsBeginPage === true && !isLoopbackHost(new URL(endpoints.authorize).hostname);
}

/** Creates the code that page and terminal show, such as `BKDP-XQWT`. */
export function createUserCode(): string {
  const pick = () => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return `${pick()}-${pick()}`;
}

/** A browser's secret for one authorization: the cookie, and the hash that is stored. */
export function createBrowserCookie(publicUrl: string, state: Buffer): { header: string; hash: Buffer } {
  const value = randomBytes(32).toString("base64url");
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${LIFETIME_SECONDS}${secure}`;
  return { header: `${getCookieName(publicUrl, state)}=${value}; ${attributes}`, hash: hashSecret(value) };
}

/** Whether the browser that returns is the one that pressed the button on the page, where there was a page. */
export function isSameBrowser(
  publicUrl: string,
  { hash, user_code, browser_hash }: AuthorizationState,
  cookies: string | null,
): boolean {
  if (user_code === null) return true;
  const name = `${getCookieName(publicUrl, hash)}=`;
  const given = (cookies ?? "").split(/; */).find((one) => one.startsWith(name));
  if (!given || !browser_hash) return false;
  return secretsEqual(hashSecret(given.slice(name.length)).toString("hex"), browser_hash.toString("hex"));
}

/** One cookie for each authorization, because a person may begin several. Only https may use the prefix. */
function getCookieName(publicUrl: string, state: Buffer): string {
  return `${publicUrl.startsWith("https:") ? "__Host-" : ""}kay-${state.toString("hex").slice(0, 16)}`;
}
