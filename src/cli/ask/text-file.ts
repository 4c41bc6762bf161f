import { closeSync, constants, openSync, readSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import { formatSize } from "#protocol/attachment-text";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { decodeText } from "../terminal/piped-input.ts";

/**
 * Reads a text file that an option names, or a named pipe such as a shell's `<(git diff)`. Refuses folders, devices,
 * which may have no end, and files that are not text.
 *
 * @param most maximum size in bytes
 * @param hint what to do with a file that is not text
 * @throws Problem USAGE, CANCELLED after a signal
 */
export async function readTextFile(
  kay: Pick<Kay, "cwd" | "signal">,
  name: string,
  most: number,
  hint?: string,
): Promise<string> {
  const text = toText(await readFileBytes(kay, name, most));
  if (text !== undefined) return text;
  throw new Problem("USAGE", `${JSON.stringify(toLine(name))} is not text.`, hint === undefined ? {} : { hint });
}

/** Returns the text that bytes are, or undefined if they are not text. */
export function toText(bytes: Uint8Array): string | undefined {
  const text = decodeText(bytes, { fatal: true });
  return text?.includes("\0") ? undefined : text;
}

/** Reads the bytes of a file or a named pipe. @throws Problem USAGE, CANCELLED after a signal */
export async function readFileBytes(kay: Pick<Kay, "cwd" | "signal">, name: string, most: number): Promise<Buffer> {
  return await read(resolve(kay.cwd, checkFileName(name)), JSON.stringify(toLine(name)), most, kay.signal);
}

/** Checks the name of a file. An empty one would mean the folder. @throws Problem USAGE */
export function checkFileName(name: string): string {
  if (name !== "") return name;
  throw new Problem("USAGE", "A file name is empty.", { hint: "Check that the variable it comes from is set." });
}

/**
 * Returns the name of a file for others: its path from here, or its last name if it is elsewhere. Its place on this
 * machine stays private.
 */
export function toDisplayName(cwd: string, name: string): string {
  const path = resolve(cwd, name);
  const relativePath = relative(cwd, path);
  const elsewhere =
    relativePath === "" || relativePath === ".." || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath);
  return toLine(elsewhere ? basename(path) : relativePath.split(sep).join("/"));
}

async function read(path: string, label: string, most: number, signal: AbortSignal): Promise<Buffer> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw new Problem("USAGE", `${label} is a folder.`, { hint: "Specify each file." });
    if (!stats.isFile() && !stats.isFIFO())
      throw new Problem("USAGE", `${label} is not a regular file.`, { hint: "Specify a file or a pipe." });
    if (stats.size > most) throw createSizeProblem(label, most);
    const chunks: Buffer[] = [];
    let size = 0;
    // The file may have grown since, and the size of a pipe is known only at its end.
    for await (const chunk of stats.isFIFO()
      ? readPipe(path, label, signal)
      : (await open(path, "r")).createReadStream()) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > most) throw createSizeProblem(label, most);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (signal.aborted) throw new Problem("CANCELLED", "Canceled.", { cause: error });
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    throw new Problem("USAGE", isMissing ? `File not found: ${label}.` : `Could not read ${label} (${code}).`, {
      cause: error,
    });
  }
}

/** Reads a pipe until its writer closes it, without blocking a thread. A pipe without a writer may never end. */
async function* readPipe(path: string, label: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let owned = true;
  let isEmpty = true;
  try {
    for (let chunk = readNow(fd); chunk?.byteLength !== 0; chunk = readNow(fd)) {
      isEmpty = false;
      if (chunk) yield chunk;
      else {
        owned = false;
        return yield* new Socket({ fd, readable: true, writable: false, signal });
      }
    }
  } finally {
    if (owned) closeSync(fd);
  }
  if (isEmpty)
    throw new Problem("USAGE", `No program writes to the pipe ${label}.`, {
      hint: "Start the program that writes to it first.",
    });
}

/** Returns the available bytes; null if there are none yet, empty at the end. */
function readNow(fd: number): Buffer | null {
  const chunk = Buffer.alloc(PIPE_BYTES);
  try {
    return chunk.subarray(0, readSync(fd, chunk));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return null;
    throw error;
  }
}

/** Capacity of a pipe on this system, in bytes. */
const PIPE_BYTES = 65_536;

function createSizeProblem(label: string, most: number): Problem {
  const size =
    most % 1_000_000 === 0
      ? formatSize(most)
      : most >= 1024 * 1024
        ? `${Math.floor(most / 1024 / 1024)} MiB`
        : `${Math.floor(most / 1024)} KiB`;
  return new Problem("USAGE", `${label} is too large: there is room for ${size}.`, {
    hint: "Send fewer or smaller files.",
  });
}
