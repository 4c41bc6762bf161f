import { constants, readFileSync } from "node:fs";
import { copyFile, link, lstat, open, readdir, readlink, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Problem } from "#protocol/errors";
import { getErrno, unusableProblem } from "./folders.ts";

/**
 * Reads a small file synchronously, which is faster than the thread pool of `node:fs/promises`.
 *
 * @returns null if the file does not exist
 * @throws Problem STORE_UNREADABLE with path and errno for any other error
 */
export function readFileIfExists(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (getErrno(error) === "ENOENT") return null;
    throw unreadableProblem(path, error);
  }
}

/**
 * Replaces a file atomically: temporary file, fsync, rename, fsync of the folder. Writes through a symbolic link.
 * Removes temporary files of killed writers, so only one process may call it at a time.
 *
 * @throws Problem STORE_UNREADABLE with path and errno
 */
export async function replaceFile(path: string, text: string, unique: string): Promise<void> {
  const target = await resolveLinks(path);
  const temporary = `${target}.${unique}.tmp`;
  try {
    await removeTemporaryFiles(target);
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameOver(temporary, target);
    await syncFolder(dirname(target));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw unwritableProblem(target, error);
  }
}

/** Renames a damaged file to `<name>.corrupt-<time>` and returns the new path. */
export async function quarantineFile(path: string, now: number): Promise<string> {
  const target = await resolveLinks(path);
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  for (let n = 0; ; n++) {
    const aside = `${target}.corrupt-${time}${n ? `-${n}` : ""}`;
    try {
      if (await pathExists(aside)) continue;
      await rename(target, aside);
      return aside;
    } catch (error) {
      throw unwritableProblem(target, error);
    }
  }
}

/** Removes a file and the target of a symbolic link, with damaged copies and temporary files beside it. */
export async function removeFile(path: string): Promise<void> {
  const target = await resolveLinks(path);
  try {
    for (const name of await readdir(dirname(target)))
      if (name.startsWith(`${basename(target)}.`)) await unlink(join(dirname(target), name));
    for (const file of new Set([target, path])) await rm(file, { force: true });
  } catch (error) {
    if (getErrno(error) !== "ENOENT") throw unremovableProblem(path, error);
  }
}

/** Creates the error for a file that exists but cannot be read. It never counts as empty. */
function unreadableProblem(path: string, error: unknown): Problem {
  return new Problem("STORE_UNREADABLE", `Could not read ${path} (${getErrno(error)}).`, {
    hint: "Nothing was changed. Check its permissions and that it is a plain file, then try again.",
    details: { path, errno: getErrno(error) },
    cause: error,
  });
}

function unremovableProblem(path: string, error: unknown): Problem {
  return new Problem("STORE_UNREADABLE", `Could not remove ${path} (${getErrno(error)}).`, {
    hint: "Check the permissions of its folder, then try again.",
    details: { path, errno: getErrno(error) },
    cause: error,
  });
}

/** Creates the error for a path that cannot be written. */
export function unwritableProblem(path: string, error: unknown): Problem {
  if (error instanceof Problem) return error;
  return unusableProblem(path, getErrno(error), "KAY_CONFIG_DIR or XDG_CONFIG_HOME", error);
}

/** Returns the target of a path, through symbolic links. */
export async function resolveLinks(path: string): Promise<string> {
  let target = path;
  for (let hops = 0; hops < 40; hops++) {
    const info = await lstat(target).catch(() => null);
    if (!info?.isSymbolicLink()) return target;
    target = resolve(dirname(target), await readlink(target));
  }
  throw unreadableProblem(path, Object.assign(new Error("too many links"), { code: "ELOOP" }));
}

async function removeTemporaryFiles(target: string): Promise<void> {
  const folder = dirname(target);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(target)}.`) || !name.endsWith(".tmp")) continue;
    await unlink(join(folder, name)).catch(() => {});
  }
}

/** Renames a file. On Windows this fails briefly while another process reads the target. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (tries === 50 || !["EPERM", "EBUSY"].includes(getErrno(error))) throw error;
      await stat(to).catch(() => {});
    }
  }
}

/** Syncs a folder. Some file systems, and Windows, cannot, but the rename is done. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => null);
  if (!handle) return;
  await handle.sync().catch(() => {});
  await handle.close();
}

/** Whether a path exists. Does not follow a symbolic link. */
export async function pathExists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/**
 * Writes a file so that readers see the old content or the whole new one. Only this user can read it.
 *
 * @param writer ID of the process, if several may write at the same time
 */
export async function writeWholeFile(path: string, text: string, writer?: number): Promise<void> {
  const temporary = writer === undefined ? `${path}.tmp` : `${path}.${writer}.tmp`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

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
