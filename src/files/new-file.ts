import { constants } from "node:fs";
import { copyFile, link } from "node:fs/promises";

/**
 * Give a finished file the name it is for, unless something has that name. Some file systems know no links; then it is copied. The finished
 * file itself stays, to be taken away.
 *
 * @returns whether it has the name now
 * @throws the system's error where it cannot be written
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
