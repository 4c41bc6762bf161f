import { clean } from "#protocol/clean";
import type { Look } from "../style.ts";

/** Longest address that terminals take. */
const LONGEST = 2_000;

/**
 * A link, whose target is always to be seen: a text that is not the address itself has the address behind it, or where the terminal opens
 * links (OSC 8) its host, so that no text can pretend to lead elsewhere. Only http, https and mailto can be opened.
 *
 * @param label the text of the link, painted, without links in it
 * @param words the same text, bare
 */
export function renderLink(label: string, words: string, href: string, look: Look): string {
  const address = clean(href, { lines: false });
  const url = openable(href);
  const isItself = url !== null && says(words, address, url);
  if (!look.links || !url || url.href.length > LONGEST)
    return isItself ? look.paint("underline", label) : `${label} (${address})`;
  const shown = isItself
    ? label
    : `${label} (${url.protocol === "mailto:" ? address.replace(/^mailto:/i, "") : url.host})`;
  return `\x1b]8;;${encode(url)}\x1b\\${look.paint("underline", shown)}\x1b]8;;\x1b\\`;
}

/** Without the marks that make it a link; what is seen stays. */
export function stripLinks(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that this file writes, and wrapping writes again
  return text.replace(/\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g, "");
}

function openable(href: string): URL | null {
  const url = URL.parse(href);
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url : null;
}

/** Whether the text is the address, and shows the host that is meant: not one that only looks like it, nor one behind a user's name. */
function says(words: string, address: string, url: URL): boolean {
  const bare = (text: string) => text.replace(/^(?:https?:\/\/|mailto:)/i, "").replace(/\/$/, "");
  if (bare(words) !== bare(address) || url.username !== "" || url.password !== "") return false;
  return url.protocol === "mailto:" || words.toLowerCase().includes(url.host);
}

/** Printable ASCII only: the parser of URLs has encoded nearly everything, and what it let through is encoded here. */
function encode({ href }: URL): string {
  return href.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}
