/** Limits of one request, in bytes and in files. The largest request of a model with base64 stays below 32 MB. */
export const MAX_ATTACHMENT_BYTES = 10_000_000;
export const MAX_ATTACHMENTS_BYTES = 20_000_000;
export const MAX_ATTACHMENTS = 10;

/** Largest body of a request with attachments: base64 of all of them, and as much as any other request may have. */
export const MAX_ATTACHMENTS_BODY_BYTES = Math.ceil(MAX_ATTACHMENTS_BYTES / 3) * 4 + 1024 * 1024;
