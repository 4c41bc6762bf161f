import { constants } from "node:fs";
import { copyFile, link } from "node:fs/promises";

/**
 * Gives a finished file its name, unless a file with that name exists. Copies it on file systems without hard links.
 * The caller removes the finished file.
 *
 * @returns whether it has the name now
 * @throws the system's error when writing fails
 */
export async function linkNewFile(finished: string, path: string): Promise<boolean> {
  try {
    await link(finished, path).catch((error: unknown) => {
      if (isTaken(error)) throw error;
      return copyFile(finished, path, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EEXIST";
}
