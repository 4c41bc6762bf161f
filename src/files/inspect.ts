import { readFile, stat } from "node:fs/promises";
import { type ErrorCode, Problem } from "#protocol/errors";

/** A file of kay's as it lies there. Nothing is opened, mended or moved by looking. */
export type FileInspection = {
  path: string;
  /** `damaged` is put aside by the next command that reads it; `foreign` is left as it is (another encoding, another shape). */
  state: "absent" | "fine" | "damaged" | "foreign" | "unreadable";
  /** What is wrong, in words. */
  problem?: Problem;
  /** Others may read or write it. */
  open: boolean;
  /** Number of the user whom it belongs to. */
  owner?: number;
};

/**
 * Look at a file without any of what reading it does.
 *
 * @param nothing what is told of one that cannot be read
 * @param read what is told of its bytes; null for damaged ones, a Problem for what is foreign
 * @param unreadable the error of one that cannot be read
 */
export async function inspectFile<T extends object>(
  path: string,
  nothing: T,
  { read, unreadable }: { read(bytes: Buffer): T | null; unreadable: ErrorCode },
): Promise<FileInspection & T> {
  const absent = { path, open: false, ...nothing };
  try {
    const [bytes, { mode, uid }] = await Promise.all([readFile(path), stat(path)]);
    const about = { ...absent, open: (mode & 0o077) !== 0, owner: uid };
    try {
      const found = read(bytes);
      return found === null ? { ...about, state: "damaged" } : { ...about, state: "fine", ...found };
    } catch (error) {
      if (error instanceof Problem) return { ...about, state: "foreign", problem: error };
      throw error;
    }
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code;
    if (errno === undefined) throw error;
    if (errno === "ENOENT") return { ...absent, state: "absent" };
    return { ...absent, state: "unreadable", problem: new Problem(unreadable, `${path} cannot be read (${errno}).`) };
  }
}
