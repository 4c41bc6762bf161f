import type { Attachment } from "./attachments.ts";
import { cleanLine } from "./clean.ts";

/** Limits of one request, in bytes and in files. The largest request of a model with base64 stays below 32 MB. */
export const MAX_ATTACHMENT_BYTES = 10_000_000;
export const MAX_ATTACHMENTS_BYTES = 20_000_000;
export const MAX_ATTACHMENTS = 10;

/** Largest body of a request with attachments: base64 of all of them, and as much as any other request may have. */
export const MAX_ATTACHMENTS_BODY_BYTES = Math.ceil(MAX_ATTACHMENTS_BYTES / 3) * 4 + 1024 * 1024;

/** Formats a size in bytes as people read it: `512 B`, `120 kB`, `2.4 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1).replace(/\.0$/, "")} MB`;
}

/** Formats an attachment for a transcript: `[screenshot.png, 120 kB]`. */
export function formatAttachment({ name, size }: Pick<Attachment, "name" | "size">): string {
  return `[${cleanLine(name)}, ${formatSize(size)}]`;
}

/**
 * Formats an attachment so that the text names exactly these bytes. Calls, cards and approvals hold this text:
 * `screenshot.png (image/png, 120 kB, SHA-256 3f2a91bc04d7)`.
 */
export function formatAttachmentReference({ name, type, size, sha256 }: Attachment): string {
  return `${name} (${type}, ${formatSize(size)}, SHA-256 ${sha256.slice(0, 12)})`;
}
