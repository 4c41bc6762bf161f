import { Problem } from "#protocol/errors";
import { formatAddressHeader, type Mailbox } from "./addresses.ts";
import { encodeHeader } from "./encoded-words.ts";

/** A message to send. Gmail adds From, Date and Message-ID. */
export type OutgoingMail = {
  to: Mailbox[];
  cc?: Mailbox[];
  bcc?: Mailbox[];
  subject: string;
  body: string;
  /** Message-ID of the message that this one answers, and those of all earlier ones. */
  inReplyTo?: string;
  references?: string;
};

/** Longest text of a message, in characters. */
const MAX_BODY_LENGTH = 1_000_000;

/**
 * Encodes a message (RFC 5322) with UTF-8 text in base64 (RFC 2045). Gmail expects the whole message in base64url.
 *
 * @throws Problem INVALID_REQUEST when the text is too long
 */
export function encodeMessage({ to, cc = [], bcc = [], subject, body, inReplyTo, references }: OutgoingMail): string {
  if (body.length > MAX_BODY_LENGTH) {
    const sentence = `The message has ${body.length} characters; kay sends at most ${MAX_BODY_LENGTH}.`;
    throw new Problem("INVALID_REQUEST", sentence, { details: { field: "body" } });
  }
  const headers: [string, string][] = [
    ["To", formatAddressHeader(to)],
    ["Cc", formatAddressHeader(cc)],
    ["Bcc", formatAddressHeader(bcc)],
    ["Subject", encodeHeader(subject)],
    ["In-Reply-To", extractMessageIds(inReplyTo)],
    ["References", extractMessageIds(references)],
    ["MIME-Version", "1.0"],
    ["Content-Type", 'text/plain; charset="UTF-8"'],
    ["Content-Transfer-Encoding", "base64"],
  ];
  const lines = headers.filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value}`);
  const text = body.replace(/\r\n?|\n/g, "\r\n").toWellFormed();
  const content = Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");
  return Buffer.from([...lines, "", content, ""].join("\r\n")).toString("base64url");
}

/** Returns the valid Message-IDs in a text; nothing else may enter the header. */
function extractMessageIds(text: string | undefined): string {
  return (text?.match(/<[^<>\s]+>/g) ?? []).slice(-20).join("\r\n ");
}
