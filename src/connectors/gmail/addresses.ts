import { domainToASCII } from "node:url";
import { Problem } from "#protocol/errors";
import { isMe } from "../input-text.ts";
import { encodeHeader, toOneLine } from "./encoded-words.ts";

/** Number of recipients above which a mail counts as one to many. */
const MANY_RECIPIENTS = 10;

/** A mailbox in a header: "Ana <ana@x.test>". */
export type Mailbox = { name: string; address: string };

/**
 * Parses a list of mailboxes as written by users and in headers. Entries without a valid address are kept as they are.
 */
export function parseMailboxes(text: string): Mailbox[] {
  return splitList(toOneLine(text)).map((item) => {
    const [, name = "", address] = /^(.*)<([^<>]*)>$/.exec(item) ?? [];
    if (address === undefined) return { name: "", address: item };
    return {
      name: name
        .trimEnd()
        .replace(/^"(.*)"$/, "$1")
        .replace(/\\(.)/g, "$1"),
      address: address.trim(),
    };
  });
}

/**
 * Parses mailboxes and checks that mail can be sent to each address.
 *
 * @param ownAddress what "me" means
 * @throws Problem INVALID_REQUEST that names the invalid address
 */
export function parseRecipients(text: string | undefined, field: string, ownAddress = ""): Mailbox[] {
  return parseMailboxes(text ?? "").map(({ name, address: written }) => {
    const address = isMe(written) && ownAddress ? ownAddress : written;
    const atIndex = address.lastIndexOf("@");
    const domain = domainToASCII(address.slice(atIndex + 1));
    const local = address.slice(0, atIndex);
    if (
      atIndex > 0 &&
      /^[!-~]+$/.test(local) &&
      !/[\s"(),:;<>@[\]\\]/.test(local) &&
      /^(?:[^\s@<>.]+\.)+[^\s@<>.]+$/.test(domain)
    ) {
      return { name, address: `${local}@${domain}` };
    }
    throw new Problem("INVALID_REQUEST", `“${address}” is not an email address.`, {
      hint: "Specify email addresses, separated by commas.",
      details: { field },
    });
  });
}

/** Returns the distinct addresses of several lists, in lower case and sorted. @throws Problem INVALID_REQUEST */
function listAddresses(lists: (string | undefined)[]): string[] {
  const all = lists.flatMap((list) => parseRecipients(list, "to")).map(({ address }) => address.toLowerCase());
  return [...new Set(all)].sort();
}

/** Returns the text of an approval for recipients. Undefined if there are none, too many, or an invalid one. */
export function formatRecipients(lists: (string | undefined)[]): string | undefined {
  if (hasManyRecipients(lists)) return undefined;
  try {
    return listAddresses(lists).join(", ") || undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether mail reaches many recipients. Invalid addresses count too. */
export function hasManyRecipients(lists: (string | undefined)[]): boolean {
  const all = lists.flatMap((list) => parseMailboxes(list ?? "")).map(({ address }) => address.toLowerCase());
  return new Set(all).size > MANY_RECIPIENTS;
}

/** Returns the distinct addresses of several lists in lower case, valid or not. */
export function listDestinations(lists: (string | undefined)[]): string[] {
  return [...new Set(lists.flatMap((list) => parseMailboxes(list ?? "")).map(({ address }) => address.toLowerCase()))];
}

/** Formats mailboxes as a header value (RFC 5322 section 3.4), one per line. */
export function formatAddressHeader(mailboxes: Mailbox[]): string {
  return mailboxes.map(formatMailbox).join(",\r\n ");
}

function formatMailbox({ name, address }: Mailbox): string {
  const encoded = encodeHeader(name);
  if (encoded === "") return address;
  if (encoded.startsWith("=?") || /^[\w !#$%&'*+/=?^`{|}~-]+$/.test(encoded)) return `${encoded} <${address}>`;
  return `"${encoded.replace(/["\\]/g, "\\$&")}" <${address}>`;
}

/** Splits a list at commas and semicolons outside quotes and angle brackets. */
function splitList(text: string): string[] {
  const items = text.match(/(?:"(?:\\.|[^"\\])*"|<[^<>]*>|[^,;"<]|["<])+/g) ?? [];
  return items.map((item) => item.trim()).filter(Boolean);
}
