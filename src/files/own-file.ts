import type { Stats } from "node:fs";
import { constants } from "node:fs";
import { chmod, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Problem } from "#protocol/errors";
import { getErrno } from "./folders.ts";

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Reads a file that only this user can have written (like StrictModes of OpenSSH). If others could write to the file or its
 * folder, it is closed to them and not read.
 *
 * @param uid ID of this user; undefined on Windows, where nothing is checked
 * @returns null if the file does not exist, cannot be read, or others could have written it
 * @throws Problem STORE_UNREADABLE if another user owns the file or its folder
 */
export async function readOwnFile(path: string, uid: number | undefined): Promise<string | null> {
  const folder = await stat(dirname(path)).catch(() => null);
  if (folder === null) return null;
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    // A symbolic link could lead to the file of another user.
    if (getErrno(error) === "ELOOP") throw foreignProblem(path);
    return null;
  });
  if (file === null) {
    await closeToOthers(dirname(path), folder, uid);
    return null;
  }
  try {
    const isClosed = await closeToOthers(dirname(path), folder, uid);
    return (await closeToOthers(path, await file.stat(), uid)) && isClosed ? await file.readFile("utf8") : null;
  } finally {
    await file.close();
  }
}

/**
 * Closes a file or folder to the writes of other users.
 *
 * @returns whether it was closed already
 * @throws Problem STORE_UNREADABLE if another user owns it, or it cannot be closed
 */
async function closeToOthers(path: string, info: Stats, uid: number | undefined): Promise<boolean> {
  if (uid === undefined) return true;
  if (info.uid !== uid) throw foreignProblem(path);
  if ((info.mode & WRITABLE_BY_OTHERS) === 0) return true;
  await chmod(path, info.mode & 0o777 & ~WRITABLE_BY_OTHERS);
  if (((await stat(path)).mode & WRITABLE_BY_OTHERS) === 0) return false;
  throw new Problem("STORE_UNREADABLE", `Cannot use ${path}: other users can write to it.`, {
    hint: `Remove their access (\`chmod go-w\`), or set KAY_CONFIG_DIR and XDG_STATE_HOME to folders of your own.`,
    details: { path },
  });
}

/**
 * Checks that a lock or its folder belongs to this user or root. A folder of this user is closed to the writes of others.
 *
 * @throws Problem STORE_UNREADABLE if another user owns it
 */
export async function requireOwn(path: string, uid: number | undefined): Promise<void> {
  const info = await stat(path).catch(() => null);
  if (info === null || uid === undefined) return;
  if (info.uid !== uid && info.uid !== 0) throw foreignProblem(path);
  if (info.uid === uid) await closeToOthers(path, info, uid);
}

/** Creates the error for a file or folder that another user could have written. */
export function foreignProblem(path: string): Problem {
  return new Problem("STORE_UNREADABLE", `Cannot use ${path}: it belongs to another user.`, {
    hint: "Run kay as its owner, or set XDG_STATE_HOME and KAY_CONFIG_DIR to folders of your own.",
    details: { path },
  });
}
