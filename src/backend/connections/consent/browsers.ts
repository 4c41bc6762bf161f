import { randomBytes, randomInt } from "node:crypto";
import { isLoopbackHost } from "#net/addresses";
import { findCookie, formatCookie } from "#protocol/cookies";
import type { BackendPorts } from "../../ports.ts";
import { compareSecrets, hashSecret } from "../../store/secrets.ts";
import type { AuthorizationState } from "../../store/states.ts";
import type { ConnectableService } from "../services/catalog.ts";

/** Letters that are not mistaken for each other and form no words (RFC 8628 section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LIFETIME_SECONDS = 600;

/**
 * Whether a link must lead to a page of this backend first. On a shared backend, anyone can request a link and send it
 * to someone else (RFC 9700 section 4.7). The stand-ins of a sandbox have no accounts to protect.
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
  const cookie = { name: getCookieName(state), value, sameSite: "Lax", seconds: LIFETIME_SECONDS } as const;
  return { header: formatCookie(publicUrl, cookie), hash: hashSecret(value) };
}

/** Whether the returning browser is the one that pressed the button on the page. Always true without a page. */
export function isSameBrowser(
  publicUrl: string,
  { hash, user_code, browser_hash }: AuthorizationState,
  cookies: string | null,
): boolean {
  if (user_code === null) return true;
  const cookie = findCookie(publicUrl, cookies, getCookieName(hash));
  if (!cookie || !browser_hash) return false;
  return compareSecrets(hashSecret(cookie).toString("hex"), browser_hash.toString("hex"));
}

/** Returns one cookie name for each authorization, because a user may begin several. */
function getCookieName(state: Buffer): string {
  return `kay-${state.toString("hex").slice(0, 16)}`;
}
