import { clean } from "#protocol/clean";
import type { Look } from "../style.ts";

/** Longest URL that terminals accept. */
const MAX_URL_LENGTH = 2_000;

/**
 * Renders a link whose target is always visible, so that no text can pretend to lead elsewhere: the URL follows the
 * text, or its host if the terminal opens links (OSC 8). Only http, https and mailto links can be opened.
 *
 * @param label text of the link with styles but without links
 * @param words plain text of the link
 */
export function renderLink(label: string, words: string, href: string, look: Look): string {
  const address = clean(href, { lines: false });
  const url = parseOpenableUrl(href);
  const isItself = url !== null && showsUrl(words, address, url);
  if (!look.links || !url || url.href.length > MAX_URL_LENGTH)
    return isItself ? look.paint("underline", label) : `${label} (${address})`;
  const text = isItself
    ? label
    : `${label} (${url.protocol === "mailto:" ? address.replace(/^mailto:/i, "") : url.host})`;
  return `\x1b]8;;${encodeHref(url)}\x1b\\${look.paint("underline", text)}\x1b]8;;\x1b\\`;
}

/** Removes link sequences but keeps the visible text. */
export function stripLinks(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that this file writes, and wrapping writes again
  return text.replace(/\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g, "");
}

function parseOpenableUrl(href: string): URL | null {
  const url = URL.parse(href);
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url : null;
}

/** Whether the text is the URL itself and shows its real host: not a lookalike, and not a host behind a user name. */
function showsUrl(words: string, address: string, url: URL): boolean {
  const stripScheme = (text: string) => text.replace(/^(?:https?:\/\/|mailto:)/i, "").replace(/\/$/, "");
  if (stripScheme(words) !== stripScheme(address) || url.username !== "" || url.password !== "") return false;
  return url.protocol === "mailto:" || words.toLowerCase().includes(url.host);
}

/** Percent-encodes the few non-ASCII characters that the URL parser left. */
function encodeHref({ href }: URL): string {
  return href.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}
