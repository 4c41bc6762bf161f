import { hash } from "node:crypto";
import type { ModelMessage } from "ai";
import { PROVIDERS, type ProviderName } from "#agent/models/providers";
import { type AttachmentSource, listAttachments } from "#agent/steps/attachments";
import { formatSize, MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS, MAX_ATTACHMENTS_BYTES } from "#protocol/attachment-text";
import { type Attachment, detectMediaType, type NewAttachment } from "#protocol/attachments";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import { createAttachmentId, loadAttachments, type StoredFile } from "../store/attachments.ts";

/**
 * Reads the files of a request: their names as one clean line, their types from their bytes, and their hashes.
 *
 * @throws Problem INVALID_REQUEST for too many files, a repeated name, or data that is not base64; PAYLOAD_TOO_LARGE
 */
export function parseAttachments(newFiles: NewAttachment[] = []): StoredFile[] {
  if (newFiles.length > MAX_ATTACHMENTS)
    throw attachmentProblem(`A request has at most ${MAX_ATTACHMENTS} attachments.`);
  const files = newFiles.map(parseAttachment);
  const duplicate = files.find(({ name }, index) => files.findIndex((file) => file.name === name) !== index);
  if (duplicate) throw attachmentProblem(`Two attachments are called ${duplicate.name}.`);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_ATTACHMENTS_BYTES)
    throw new Problem(
      "PAYLOAD_TOO_LARGE",
      `The attachments total ${formatSize(total)}; the limit is ${formatSize(MAX_ATTACHMENTS_BYTES)}.`,
    );
  return files;
}

function parseAttachment({ name: file, data }: NewAttachment): StoredFile {
  const name = cleanLine(file.split(/[/\\]/).at(-1) ?? "", MAX_NAME_LENGTH);
  if (name === "") throw attachmentProblem("An attachment has no name.");
  const bytes = Buffer.from(data, "base64");
  // Node ignores characters that are not base64, so a wrong length reveals them.
  if (Math.abs(bytes.length * 4 - data.replace(/(?<!=)=+$/, "").length * 3) > 3)
    throw attachmentProblem(`The data of ${name} is not base64.`);
  if (bytes.length === 0) throw attachmentProblem(`${name} is empty.`);
  if (bytes.length > MAX_ATTACHMENT_BYTES)
    throw new Problem(
      "PAYLOAD_TOO_LARGE",
      `${name} has ${formatSize(bytes.length)}; an attachment has at most ${formatSize(MAX_ATTACHMENT_BYTES)}.`,
    );
  const sha256 = hash("sha256", bytes, "hex");
  return { id: createAttachmentId(), name, type: detectMediaType(bytes), size: bytes.length, sha256, bytes };
}

const MAX_NAME_LENGTH = 100;

function attachmentProblem(sentence: string): Problem {
  return new Problem("INVALID_REQUEST", sentence, { details: { field: "attachments" } });
}

/** Leaves out the bytes. */
export function toAttachment({ bytes: _, ...attachment }: StoredFile): Attachment {
  return attachment;
}

/** Returns where the files of a generation's conversation come from, if it has any. */
export function createAttachmentSource(
  { db }: Pick<BackendPorts, "db">,
  generationId: string,
  messages: ModelMessage[],
  provider: ProviderName | "offline",
): { files?: AttachmentSource } {
  if (messages.every((message) => listAttachments(message).length === 0)) return {};
  const reads = provider === "offline" ? undefined : PROVIDERS[provider].reads;
  return { files: { reads, load: (ids) => loadAttachments(db, generationId, ids) } };
}
