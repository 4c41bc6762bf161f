import { chmodSync, constants, statSync } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { getErrno } from "./folders.ts";
import { foreignProblem } from "./own-file.ts";
import { unwritableProblem } from "./replace-file.ts";

/**
 * Creates kay's folder and the credentials folder in it, accessible only to this user. Never creates a missing home
 * folder.
 *
 * @throws Problem STORE_UNREADABLE with path, errno and the variable to set
 */
export async function ensureCredentialFolder(folder: string): Promise<void> {
  for (const path of [dirname(dirname(folder)), dirname(folder), folder]) {
    try {
      await mkdir(path, { mode: 0o700 });
    } catch (error) {
      if (getErrno(error) !== "EEXIST") throw unwritableProblem(path, error);
    }
  }
}

/**
 * Checks without writing whether {@link ensureCredentialFolder} would work.
 *
 * @throws Problem STORE_UNREADABLE if it would not
 */
export async function checkCredentialFolder(folder: string): Promise<void> {
  const [parent, grandparent] = [dirname(folder), dirname(dirname(folder))];
  const top = dirname(grandparent);
  for (const path of [folder, parent, grandparent, top]) {
    try {
      await access(path, constants.W_OK);
      return;
    } catch (error) {
      if (getErrno(error) !== "ENOENT" || path === top) throw unwritableProblem(path === top ? parent : path, error);
    }
  }
}

/**
 * Removes other users' access to a file and its folder, except on Windows. Returns a warning if that fails, or null.
 *
 * @param uid ID of this user
 * @throws Problem STORE_UNREADABLE if another user owns one of them, who could have written the file
 */
export function restrictPermissions(path: string, uid: number | undefined): string | null {
  for (const [entry, mode] of [
    [path, 0o600],
    [dirname(path), 0o700],
  ] as const) {
    const info = statSync(entry, { throwIfNoEntry: false });
    if (info && uid !== undefined && info.uid !== uid && info.uid !== 0) throw foreignProblem(entry);
    try {
      if (info && info.mode & 0o077) chmodSync(entry, mode);
    } catch (error) {
      return `Could not restrict access to ${entry}, which other users can read (${getErrno(error)}).`;
    }
  }
  return null;
}
