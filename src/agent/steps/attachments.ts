import type { FilePart, ModelMessage, TextPart } from "ai";
import { formatAttachmentReference, formatSize, MAX_ATTACHMENTS_BYTES } from "#protocol/attachment-text";
import { Attachment } from "#protocol/attachments";
import { cleanLine } from "#protocol/clean";
import type { ReadableFiles } from "../models/providers.ts";

/** The files of a conversation: what the model reads of them, and how to load their bytes by ID. */
export type AttachmentSource = {
  /** Undefined for the offline planner, which reads no files. */
  reads: ReadableFiles | undefined;
  load(ids: string[]): Promise<Map<string, Uint8Array>>;
};

/** Longest text file that a model gets, in bytes. */
const MAX_TEXT_BYTES = 256 * 1024;

/**
 * Returns the part of a user's message that stands for a file. It is stored with the conversation, without the bytes;
 * the text is what models get that do not read the file.
 */
export function toAttachmentPart(attachment: Attachment): TextPart {
  const text = `Attachment: ${formatAttachmentReference(attachment)}`;
  return { type: "text", text, providerOptions: { kay: { attachment } } };
}

/** Returns the file that a part of a message stands for. */
export function findAttachment(part: {
  type: string;
  providerOptions?: Record<string, unknown>;
}): Attachment | undefined {
  const kay = part.type === "text" ? part.providerOptions?.kay : undefined;
  if (typeof kay !== "object" || kay === null || !("attachment" in kay)) return undefined;
  const parsed = Attachment.safeParse(kay.attachment);
  return parsed.success ? parsed.data : undefined;
}

/** Lists the files of a message. */
export function listAttachments({ role, content }: ModelMessage): Attachment[] {
  return role !== "user" || typeof content === "string" ? [] : content.flatMap((part) => findAttachment(part) ?? []);
}

/** Lists the files of the conversation that the model reads, newest first, as many as one call of a model takes. */
function listReadable(messages: ModelMessage[], reads: ReadableFiles | undefined): Attachment[] {
  let remainingBytes = MAX_ATTACHMENTS_BYTES;
  return messages
    .toReversed()
    .flatMap(listAttachments)
    .filter((file) => {
      if (!canRead(reads, file) || file.size > remainingBytes) return false;
      remainingBytes -= file.size;
      return true;
    });
}

function canRead(reads: ReadableFiles | undefined, { type, size }: Attachment): boolean {
  if (!reads) return false;
  if (type === "text/plain") return size <= MAX_TEXT_BYTES;
  if (type === "application/pdf") return reads.pdf;
  return reads.images.includes(type) && size <= (reads.imageBytes ?? size);
}

/**
 * Returns the messages as a model gets them: with the files that it reads. Without a source, or with `withoutFiles`, and
 * for every other file, it gets their names only.
 */
export async function loadFiles(
  messages: ModelMessage[],
  source: AttachmentSource | undefined,
  withoutFiles = false,
): Promise<{ messages: ModelMessage[]; hasFiles: boolean }> {
  const readable = withoutFiles ? [] : listReadable(messages, source?.reads);
  const bytes = readable.length > 0 ? await source?.load(readable.map(({ id }) => id)) : undefined;
  if (!bytes?.size) return { messages, hasFiles: false };
  const withFiles = messages.map((message): ModelMessage => {
    if (message.role !== "user" || typeof message.content === "string") return message;
    const content = message.content.flatMap((part) => {
      const file = findAttachment(part);
      const data = file && bytes.get(file.id);
      return part.type === "text" && data
        ? [{ type: "text" as const, text: part.text }, toFilePart(file, data)]
        : [part];
    });
    return { ...message, content };
  });
  return { messages: withFiles, hasFiles: true };
}

function toFilePart({ name, type }: Attachment, data: Uint8Array): FilePart | TextPart {
  if (type !== "text/plain") return { type: "file", data, mediaType: type, filename: name };
  return { type: "text", text: `<attachment>\n${new TextDecoder().decode(data)}\n</attachment>` };
}

/** Describes in one sentence which files of the newest request the model does not read; undefined if it reads all. */
export function describeUnreadFiles(
  messages: ModelMessage[],
  { reads }: AttachmentSource,
  label: string,
): string | undefined {
  const newest = messages.findLast(({ role }) => role === "user");
  const readable = new Set(listReadable(messages, reads).map(({ id }) => id));
  const unread = (newest ? listAttachments(newest) : []).filter(({ id }) => !readable.has(id));
  return unread.length > 0 ? formatUnread(label, unread, reads) : undefined;
}

/** Describes in one sentence the files that the model refused. */
export function describeRefusedFiles(messages: ModelMessage[], label: string): string {
  return formatUnread(label, messages.flatMap(listAttachments), undefined);
}

function formatUnread(label: string, files: Attachment[], reads: ReadableFiles | undefined): string {
  const names = files.map(({ name, type, size }) => {
    const isLarge =
      reads && (reads.images.includes(type) || type === "text/plain" || (type === "application/pdf" && reads.pdf));
    return isLarge ? `${cleanLine(name)} (too large: ${formatSize(size)})` : cleanLine(name);
  });
  const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  const pronoun = names.length > 1 ? "They" : "It";
  return `${label} does not read ${list}. ${pronoun} can still be attached to issues, messages and emails.`;
}
