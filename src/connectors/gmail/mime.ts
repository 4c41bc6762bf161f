import { randomBytes } from "node:crypto";
import type * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import type { ServiceRequest } from "../service-http.ts";
import type { FileContent } from "../tool.ts";
import { formatAddressHeader, type Mailbox } from "./addresses.ts";
import { encodeHeader } from "./encoded-words.ts";
import { GMAIL_SCOPE } from "./message.ts";

/**
 * Builds the request that sends a message or stores a draft. `around` puts the message's fields into the JSON body.
 * With files, the message is uploaded whole beside that JSON (35 MB instead of 5 MB).
 *
 * Source: https://developers.google.com/workspace/gmail/api/guides/uploads, multipart upload (RFC 2387)
 */
export function buildMailRequest<T>(
  path: string,
  mail: OutgoingMail,
  answer: z.ZodMiniType<T>,
  around: (message: Record<string, unknown>) => Record<string, unknown> = (message) => message,
): ServiceRequest<T> {
  const request = { method: "POST", answer, scope: GMAIL_SCOPE } as const;
  const message = encodeMessage(mail);
  if (!mail.attachments?.length) return { ...request, path, body: around({ raw: message.toString("base64url") }) };
  const boundary = `kay_${randomBytes(16).toString("hex")}`;
  const body = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n`),
    Buffer.from(`${JSON.stringify(around({}))}\r\n--${boundary}\r\nContent-Type: message/rfc822\r\n\r\n`),
    message,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return {
    ...request,
    path: `/upload${path}`,
    query: { uploadType: "multipart" },
    headers: { "content-type": `multipart/related; boundary=${boundary}` },
    body,
  };
}

/** A message to send. Gmail adds From, Date and Message-ID. */
export type OutgoingMail = {
  to: Mailbox[];
  cc?: Mailbox[];
  bcc?: Mailbox[];
  subject: string;
  body: string;
  attachments?: FileContent[];
  /** Message-IDs of the answered message and of all earlier ones. */
  inReplyTo?: string;
  references?: string;
};

/** Longest text of a message, in characters. */
const MAX_BODY_LENGTH = 1_000_000;

/**
 * Encodes a message (RFC 5322) with UTF-8 text in base64 (RFC 2045), and its files as further parts (RFC 2046).
 *
 * @throws Problem INVALID_REQUEST when the text is too long
 */
function encodeMessage(mail: OutgoingMail): Buffer {
  const { to, cc = [], bcc = [], subject, body, inReplyTo, references, attachments = [] } = mail;
  if (body.length > MAX_BODY_LENGTH) {
    const sentence = `The message has ${body.length} characters; kay sends at most ${MAX_BODY_LENGTH}.`;
    throw new Problem("INVALID_REQUEST", sentence, { details: { field: "body" } });
  }
  const headers: Header[] = [
    ["To", formatAddressHeader(to)],
    ["Cc", formatAddressHeader(cc)],
    ["Bcc", formatAddressHeader(bcc)],
    ["Subject", encodeHeader(subject)],
    ["In-Reply-To", extractMessageIds(inReplyTo)],
    ["References", extractMessageIds(references)],
    ["MIME-Version", "1.0"],
  ];
  const text = body.replace(/\r\n?|\n/g, "\r\n").toWellFormed();
  const textPart = encodePart([["Content-Type", 'text/plain; charset="UTF-8"']], Buffer.from(text));
  if (attachments.length === 0) return Buffer.concat([formatHeaders(headers), textPart]);
  const boundary = `kay_${randomBytes(16).toString("hex")}`;
  headers.push(["Content-Type", `multipart/mixed; boundary="${boundary}"`]);
  const parts = [textPart, ...attachments.map(encodeFile)];
  const separator = Buffer.from(`--${boundary}\r\n`);
  return Buffer.concat([
    formatHeaders(headers),
    Buffer.from("\r\n"),
    ...parts.flatMap((part) => [separator, part]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

type Header = [name: string, value: string];

function encodeFile({ name, type, bytes }: FileContent): Buffer {
  const disposition = `attachment; ${formatFileName(name.toWellFormed())}`;
  return encodePart(
    [
      ["Content-Type", type],
      ["Content-Disposition", disposition],
    ],
    bytes,
  );
}

/** Formats the parameter with a name of a file; one that is not plain ASCII is percent-encoded (RFC 2231). */
function formatFileName(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `filename="${name.replace(/["\\]/g, "\\$&")}"`;
  return `filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}`;
}

function encodePart(headers: Header[], bytes: Uint8Array): Buffer {
  const content = Buffer.from(bytes).toString("base64").replace(/.{76}/g, "$&\r\n");
  const head = formatHeaders([...headers, ["Content-Transfer-Encoding", "base64"]]);
  return Buffer.concat([head, Buffer.from(`\r\n${content}\r\n`)]);
}

function formatHeaders(headers: Header[]): Buffer {
  const lines = headers.filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(lines.join(""));
}

/** Returns the valid Message-IDs in a text; nothing else may enter the header. */
function extractMessageIds(text: string | undefined): string {
  return (text?.match(/<[^<>\s]+>/g) ?? []).slice(-20).join("\r\n ");
}
