import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { getErrno } from "#files/folders";
import { clean } from "#protocol/clean";

/** A text for kay from the user or a project. `text` is safe to show, and is sent as shown. */
export type ContextFile = {
  path: string;
  text: string;
  /** Bytes that were read. */
  bytes: number;
  /** Whether the file is longer than kay reads. */
  isCut: boolean;
};

/** Result for a path: a file, the reason why it is not used, or neither if it does not exist. */
export type FoundFile = { file?: ContextFile; fault?: string };

/** Maximum number of bytes that kay uses of a file. */
const MAX_BYTES = 16_384;

const CUT = "\n\n(kay reads only the first 16 kB of this file. The rest was left out.)";

/** Maximum number of files that kay uses of a folder. */
const MAX_FILES = 100;

/**
 * Reads the first 16 kB of a text file, synchronously, because Node's asynchronous files take longer to load.
 *
 * @param within folder that must contain the real file, through links
 */
export function readContextFile(path: string, within?: string): FoundFile {
  const name = basename(path);
  try {
    const target = realpathSync(path);
    if (within !== undefined && !target.startsWith(`${realpathSync(within)}${sep}`))
      return { fault: `${name} is a link to a file outside the project.` };
    const bytes = readStart(target);
    if (bytes === undefined) return { fault: `${name} is not a regular file.` };
    const isCut = bytes.length > MAX_BYTES;
    const text = decodeStart(bytes.subarray(0, MAX_BYTES), isCut);
    if (text === undefined) return { fault: `${name} is not UTF-8 text.` };
    if (text.trim() === "") return {};
    const visible = `${clean(text).trim()}${isCut ? CUT : ""}`;
    return { file: { path, text: visible, bytes: Math.min(bytes.length, MAX_BYTES), isCut } };
  } catch (error) {
    const errno = getErrno(error);
    return errno === "ENOENT" || errno === "ENOTDIR" ? {} : { fault: `${name} cannot be read (${errno}).` };
  }
}

/** Reads the Markdown files of a folder, by name; a missing folder has none. */
export function readContextFolder(folder: string, within?: string): FoundFile[] {
  const entries = listFolder(folder);
  const names = entries.filter((name) => name.endsWith(".md")).sort();
  return names.slice(0, MAX_FILES).map((name) => readContextFile(join(folder, name), within));
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Reads the start of a file, with one byte more than kay uses. Returns undefined for a folder, a device or a pipe,
 * which could block.
 */
function readStart(path: string): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    return buffer.subarray(0, readSync(file, buffer));
  } finally {
    closeSync(file);
  }
}

/** Decodes UTF-8 without a byte order mark. The last character of a cut text may be omitted. */
function decodeStart(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
