import { readFile, stat } from "node:fs/promises";
import { type ErrorCode, Problem } from "#protocol/errors";

/** State of one of kay's files. Inspecting it changes nothing. */
export type FileInspection = {
  path: string;
  /**
   * `damaged` files are set aside by the next command that reads them; `foreign` ones (other encoding or shape) stay.
   */
  state: "absent" | "fine" | "damaged" | "foreign" | "unreadable";
  /** Error that reading the file causes. */
  problem?: Problem;
  /** Whether other users can read or write it. */
  open: boolean;
  /** ID of its owner. */
  owner?: number;
};

/**
 * Inspects a file without the side effects of reading it.
 *
 * @param nothing result fields for a file that cannot be read
 * @param read returns result fields for its bytes, null if damaged; throws a Problem if foreign
 * @param unreadable error code for a file that cannot be read
 */
export async function inspectFile<T extends object>(
  path: string,
  nothing: T,
  { read, unreadable }: { read(bytes: Buffer): T | null; unreadable: ErrorCode },
): Promise<FileInspection & T> {
  const absent = { path, open: false, ...nothing };
  try {
    const [bytes, { mode, uid }] = await Promise.all([readFile(path), stat(path)]);
    const facts = { ...absent, open: (mode & 0o077) !== 0, owner: uid };
    try {
      const content = read(bytes);
      return content === null ? { ...facts, state: "damaged" } : { ...facts, state: "fine", ...content };
    } catch (error) {
      if (error instanceof Problem) return { ...facts, state: "foreign", problem: error };
      throw error;
    }
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code;
    if (errno === undefined) throw error;
    if (errno === "ENOENT") return { ...absent, state: "absent" };
    return { ...absent, state: "unreadable", problem: new Problem(unreadable, `Could not read ${path} (${errno}).`) };
  }
}
