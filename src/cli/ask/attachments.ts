import { formatSize, MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS, MAX_ATTACHMENTS_BYTES } from "#protocol/attachment-text";
import type { NewAttachment } from "#protocol/attachments";
import { Problem } from "#protocol/errors";
import type { Kay } from "../kay.ts";
import { readFileBytes, toDisplayName } from "./text-file.ts";

/** The content of a file, with the name that others see. */
export type ReadFile = { name: string; bytes: Buffer };

/** Reads the files that a request attaches. @throws Problem USAGE before anything is sent */
export async function readAttachments(
  kay: Pick<Kay, "cwd" | "signal">,
  paths: string[],
): Promise<{ attachments?: NewAttachment[] }> {
  const files: ReadFile[] = [];
  for (const path of new Set(paths)) {
    files.push({ name: toDisplayName(kay.cwd, path), bytes: await readFileBytes(kay, path, MAX_ATTACHMENT_BYTES) });
    checkAttachments(files);
  }
  return toAttachments(files);
}

/** Checks the number and the size of files. @throws Problem USAGE */
export function checkAttachments(files: ReadFile[]): void {
  const empty = files.find(({ bytes }) => bytes.byteLength === 0);
  if (empty) throw new Problem("USAGE", `${JSON.stringify(empty.name)} is empty.`);
  if (files.length > MAX_ATTACHMENTS)
    throw new Problem("USAGE", `A request can have at most ${MAX_ATTACHMENTS} attachments.`);
  const size = files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  if (size > MAX_ATTACHMENTS_BYTES)
    throw new Problem(
      "USAGE",
      `The attachments total ${formatSize(size)}; the limit is ${formatSize(MAX_ATTACHMENTS_BYTES)}.`,
      {
        hint: "Attach fewer or smaller files.",
      },
    );
}

/** Returns the files as a request carries them, each under its last name. Files of the same name get a number. */
export function toAttachments(files: ReadFile[]): { attachments?: NewAttachment[] } {
  const usedNames = new Set<string>();
  const attachments = files.map(({ name: path, bytes }): NewAttachment => {
    const fileName = path.split("/").at(-1) || path;
    const [, stem = fileName, ending = ""] = /^(.+?)(\.[^.]*)?$/.exec(fileName) ?? [];
    let name = fileName;
    for (let count = 2; usedNames.has(name); count++) name = `${stem} (${count})${ending}`;
    usedNames.add(name);
    return { name, data: bytes.toString("base64") };
  });
  return attachments.length > 0 ? { attachments } : {};
}
