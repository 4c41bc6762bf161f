import { randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { toOneLine } from "./markup/markdown.ts";
import { type FileContent, type ToolContext, withDescription } from "./tool.ts";

/** The field `attachments` of a tool with `takesAttachments`. */
export const Attachments = withDescription(
  z.array(z.string()).check(z.minLength(1), z.maxLength(10)),
  "Names of files that the user attached in this conversation, such as screenshot.png.",
);

/** Formats references for a summary: “screenshot.png (image/png, 120 kB, SHA-256 3f2a91bc04d7)”. */
export function formatAttachments(references: string[]): string {
  return references.map((reference) => `“${toOneLine(reference)}”`).join(", ");
}

/** Loads the files of a call. @throws Problem INVALID_REQUEST for a file that is not available */
export async function loadAttachments(
  { loadAttachments }: Pick<ToolContext, "loadAttachments">,
  references: string[] = [],
): Promise<FileContent[]> {
  if (references.length === 0) return [];
  if (!loadAttachments)
    throw new Problem("INVALID_REQUEST", "Files can be attached only in a conversation.", {
      details: { field: "attachments" },
    });
  return await loadAttachments(references);
}

/** Encodes files as a form (RFC 7578), each in the field `name`. Returns the body and its content type. */
export function encodeForm(name: string, files: FileContent[]): { body: Uint8Array; type: string } {
  const boundary = `kay-${randomBytes(16).toString("hex")}`;
  const parts = files.flatMap((file) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${escapeFileName(file.name)}"\r\n`,
    `Content-Type: ${file.type}\r\n\r\n`,
    file.bytes,
    "\r\n",
  ]);
  const body = Buffer.concat([...parts, `--${boundary}--\r\n`].map((part) => Buffer.from(part)));
  return { body, type: `multipart/form-data; boundary=${boundary}` };
}

/** Escapes a name as browsers do (https://html.spec.whatwg.org/#multipart-form-data). */
function escapeFileName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
