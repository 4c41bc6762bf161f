import { makePrivateFolders } from "#files/folders";
import { Problem } from "#protocol/errors";

/** Make the folder of database and keys, for this user alone. @throws Problem STORE_UNREADABLE */
export function makeDataFolder(folder: string): void {
  try {
    makePrivateFolders(folder);
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code;
    throw new Problem("STORE_UNREADABLE", `The data folder ${folder} cannot be made (${errno}).`, {
      hint: "Give another with `kay serve --data-dir <folder>`, or set XDG_DATA_HOME.",
      cause: error,
    });
  }
}
