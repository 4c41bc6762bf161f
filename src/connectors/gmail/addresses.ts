import { domainToASCII } from "node:url";
import { Problem } from "#protocol/errors";
import { encodeHeader, toOneLine } from "./encoded-words.ts";

/** More recipients than that are many. */
const MANY = 10;

/** A mailbox of a header: "Ana <ana@x.test>". */
export type Mailbox = { name: string; address: string };

/** The mailboxes in a list as people and headers write it; what is no address is kept as it is. */
export function parseMailboxes(text: string): Mailbox[] {
  return splitList(toOneLine(text)).map((item) => {
    const [, name = "", address] = /^(.*?)\s*<([^<>]*)>$/.exec(item) ?? [];
    if (address === undefined) return { name: "", address: item };
    return { name: name.replace(/^"(.*)"$/, "$1").replace(/\\(.)/g, "$1"), address: address.trim() };
  });
}

/**
 * Mailboxes to write to, each with an address that mail can go to.
 *
 * @throws Problem INVALID_REQUEST that names what is no e-mail address
 */
export function parseRecipients(text: string | undefined, field: string): Mailbox[] {
  return parseMailboxes(text ?? "").map(({ name, address }) => {
    const at = address.lastIndexOf("@");
    const domain = domainToASCII(address.slice(at + 1));
    const local = address.slice(0, at);
    if (/^[!-~]+$/.test(local) && !/[\s"(),:;<>@[\]\\]/.test(local) && /^[^\s@<>]+\.[^\s@<>]+$/.test(domain)) {
      return { name, address: `${local}@${domain}` };
    }
    throw new Problem("INVALID_REQUEST", `“${address}” is not an e-mail address.`, {
      hint: "Write the address of each person, with commas between.",
      details: { field },
    });
  });
}

/** Every address in some lists of recipients, each once and in small letters, in the order of the alphabet. @throws Problem INVALID_REQUEST */
function allAddresses(lists: (string | undefined)[]): string[] {
  const all = lists.flatMap((list) => parseRecipients(list, "to")).map(({ address }) => address.toLowerCase());
  return [...new Set(all)].sort();
}

/** Recipients as the words of a grant name them; undefined when there are none, when one is no address, and when they are many. */
export function formatRecipients(lists: (string | undefined)[]): string | undefined {
  if (hasManyRecipients(lists)) return undefined;
  try {
    return allAddresses(lists).join(", ") || undefined;
  } catch {
    return undefined;
  }
}

/** Whether mail reaches many people. What is no address is counted too. */
export function hasManyRecipients(lists: (string | undefined)[]): boolean {
  const all = lists.flatMap((list) => parseMailboxes(list ?? "")).map(({ address }) => address.toLowerCase());
  return new Set(all).size > MANY;
}

/** Mailboxes as the value of a header (RFC 5322 section 3.4), one a line. */
export function formatAddressHeader(mailboxes: Mailbox[]): string {
  return mailboxes.map(mailbox).join(",\r\n ");
}

function mailbox({ name, address }: Mailbox): string {
  const encoded = encodeHeader(name);
  if (encoded === "") return address;
  if (encoded.startsWith("=?") || /^[\w !#$%&'*+/=?^`{|}~-]+$/.test(encoded)) return `${encoded} <${address}>`;
  return `"${encoded.replace(/["\\]/g, "\\$&")}" <${address}>`;
}

/** Cuts at commas and semicolons that are neither in quotes nor in angle brackets. */
function splitList(text: string): string[] {
  const items = text.match(/(?:"(?:\\.|[^"\\])*"|<[^<>]*>|[^,;"<]|["<])+/g) ?? [];
  return items.map((item) => item.trim()).filter(Boolean);
}
