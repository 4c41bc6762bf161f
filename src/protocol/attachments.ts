// biome-ignore-all lint/suspicious/noControlCharactersInRegex: signatures of files have control characters
import * as z from "zod/mini";

/** A file as a request brings it: its name, and its bytes in base64. The backend finds out its type. */
export const NewAttachment = z.looseObject({
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  data: z.string(),
});
export type NewAttachment = z.infer<typeof NewAttachment>;

/** A file that the user gave in a conversation, without its bytes. `size` is in bytes, `sha256` in hexadecimal. */
export const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  size: z.number(),
  sha256: z.string(),
});
export type Attachment = z.infer<typeof Attachment>;

/**
 * Detects the media type of a file from its first bytes. Names do not count. UTF-8 text without control characters is
 * `text/plain`; everything else is `application/octet-stream`.
 */
export function detectMediaType(bytes: Uint8Array): string {
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES));
  const match = SIGNATURES.find(([signature]) => signature.test(head));
  if (match) return match[1];
  return isText(bytes) ? "text/plain" : "application/octet-stream";
}

const HEAD_BYTES = 1_024;

/**
 * Signatures as browsers sniff them (https://mimesniff.spec.whatwg.org). Readers of PDF accept up to 1,024 bytes before
 * its header (ISO 32000-1, annex H.3.4.1).
 */
const SIGNATURES: [RegExp, string][] = [
  [/^\x89PNG\r\n\x1a\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF[\s\S]{4}WEBPVP/, "image/webp"],
  [/^%PDF-/, "application/pdf"],
  [/^PK\x03\x04/, "application/zip"],
  [/^[\s\S]{0,1019}%PDF-\d/, "application/pdf"],
];

function isText(bytes: Uint8Array): boolean {
  try {
    return !/[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return false;
  }
}
