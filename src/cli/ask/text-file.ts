import { readFile, stat } from "node:fs/promises";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import { Problem } from "#protocol/errors";
import { line } from "#ui/words";
import { decoded } from "../piped.ts";

/**
 * Read a file of text that an option names. Anything else is refused: a folder, a device or a pipe, which may have no end, and what is not
 * text.
 *
 * @param most it may have so many bytes
 * @throws Problem USAGE
 */
export async function readTextFile(cwd: string, name: string, most: number): Promise<string> {
  const shown = JSON.stringify(line(name));
  const path = resolve(cwd, name);
  const bytes = await read(path, shown, most);
  const text = decoded(bytes, { fatal: true });
  if (text === undefined || text.includes("\0")) throw new Problem("USAGE", `${shown} is not text.`);
  return text;
}

/** What a file is called to others: its way from here, or its last name where it is elsewhere. Nobody learns where it lies on this machine. */
export function nameFor(cwd: string, name: string): string {
  const path = resolve(cwd, name);
  const inside = relative(cwd, path);
  const elsewhere = inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return line(elsewhere ? basename(path) : inside.split(sep).join("/"));
}

async function read(path: string, shown: string, most: number): Promise<Buffer> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Problem("USAGE", `${shown} is a folder.`, { hint: "Name each file." });
    if (!found.isFile())
      throw new Problem("USAGE", `${shown} is no ordinary file.`, { hint: "Read stdin with `--file -`." });
    if (found.size > most) throw tooLarge(shown, most);
    const bytes = await readFile(path);
    // It may have grown since.
    if (bytes.byteLength > most) throw tooLarge(shown, most);
    return bytes;
  } catch (error) {
    if (error instanceof Problem) throw error;
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    throw new Problem("USAGE", isMissing ? `There is no file ${shown}.` : `${shown} cannot be read (${code}).`, {
      cause: error,
    });
  }
}

function tooLarge(shown: string, most: number): Problem {
  const size = most >= 1024 * 1024 ? `${Math.floor(most / 1024 / 1024)} MiB` : `${Math.floor(most / 1024)} KiB`;
  return new Problem("USAGE", `${shown} is too large: there is room for ${size}.`, { hint: "Give less at once." });
}
