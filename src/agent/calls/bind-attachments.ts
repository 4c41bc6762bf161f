import { hash } from "node:crypto";
import type { FileContent, Tool } from "#connectors/tool";
import { formatAttachmentReference } from "#protocol/attachment-text";
import type { Attachment } from "#protocol/attachments";
import { cleanLine } from "#protocol/clean";
import { suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";

/** The files that the user gave in a conversation, newest first, and how to load the bytes of one by its ID. */
export type ConversationFiles = {
  list: Attachment[];
  load(id: string): Promise<Uint8Array | undefined>;
};

/**
 * Replaces the names of attachments in an input by references that hold their type, size and hash. A name means the
 * newest file of that name; nothing but files of the conversation can be named.
 *
 * @throws Problem INVALID_REQUEST for a name that no file has
 */
export function bindAttachments(
  tool: Pick<Tool, "takesAttachments">,
  input: Record<string, unknown>,
  files: Attachment[],
): Record<string, unknown> {
  const { attachments } = input;
  if (!tool.takesAttachments || !Array.isArray(attachments)) return input;
  const references = attachments.map((name) => formatAttachmentReference(findFile(String(name), files)));
  return { ...input, attachments: [...new Set(references)] };
}

function findFile(text: string, files: Attachment[]): Attachment {
  const name = text.trim().replace(/^@?"(.*)"$|^@/, "$1");
  const match =
    files.find((file) => [formatAttachmentReference(file), file.id, file.name].includes(name)) ??
    files.find((file) => file.name.toLowerCase() === (name.split(/[/\\]/).at(-1) ?? "").toLowerCase());
  if (match) return match;
  const names = files.map((file) => file.name);
  const sentence = `The user attached no file called “${cleanLine(name, 100)}” in this conversation.`;
  const hint = suggestName(name, names, (near) => `“${near}”`);
  throw new Problem("INVALID_REQUEST", [sentence, hint].filter(Boolean).join(" "), {
    hint: "Attach it: `kay ask --attach FILE`, or @FILE in a session.",
    details: { field: "attachments" },
  });
}

/**
 * Loads the files that references name, and checks that they are still the bytes of the hash.
 *
 * @throws Problem INVALID_REQUEST for a reference that names no file, or more than one
 */
export async function loadBoundAttachments(
  files: ConversationFiles | undefined,
  references: string[],
): Promise<FileContent[]> {
  return await Promise.all(
    references.map(async (reference) => {
      const matches = (files?.list ?? []).filter((file) => formatAttachmentReference(file) === reference);
      const [file] = matches;
      const isSame = matches.every(({ sha256 }) => sha256 === file?.sha256);
      const bytes = file && isSame ? await files?.load(file.id) : undefined;
      if (!file || !bytes || hash("sha256", bytes, "hex") !== file.sha256)
        throw new Problem("INVALID_REQUEST", `The attachment ${cleanLine(reference, 200)} is not available.`, {
          hint: "Attach the file again.",
        });
      return { name: file.name, type: file.type, bytes };
    }),
  );
}
