import { chmodSync, constants, readFileSync, statSync } from "node:fs";
import { access, lstat, mkdir, open, readdir, readlink, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Problem } from "#protocol/errors";
import { getErrno } from "./errno.ts";

/**
 * Read a file whole. At once: every command reads a few hundred bytes here, and the threads of `node:fs/promises` cost more than a request.
 *
 * @returns null only when it does not exist
 * @throws Problem STORE_UNREADABLE with path and errno for everything else
 */
export function readFileIfExists(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (getErrno(error) === "ENOENT") return null;
    throw unreadable(path, error);
  }
}

/**
 * Replace a file at once: temporary file beside it, fsync, rename, fsync of the folder. A symbolic link stays one; its target is replaced.
 * Left-overs of writers that were killed are removed, so only one process may do this at a time.
 *
 * @throws Problem STORE_UNREADABLE with path and errno
 */
export async function replaceFile(path: string, text: string, unique: string): Promise<void> {
  const target = await behindLinks(path);
  const temporary = `${target}.${unique}.tmp`;
  try {
    await removeLeftOvers(target);
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

/** Move a broken file out of the way, beside itself, as `<name>.corrupt-<time>`. Returns the new path. */
export async function quarantineFile(path: string, now: number): Promise<string> {
  const target = await behindLinks(path);
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  for (let n = 0; ; n++) {
    const aside = `${target}.corrupt-${time}${n ? `-${n}` : ""}`;
    try {
      if (await exists(aside)) continue;
      await rename(target, aside);
      return aside;
    } catch (error) {
      throw unwritableProblem(target, error);
    }
  }
}

/** Remove a file (the target too, where it is a symbolic link), and what is left of it beside it: damaged copies, and writers' that were killed. */
export async function removeFile(path: string): Promise<void> {
  const target = await behindLinks(path);
  try {
    for (const name of await readdir(dirname(target)))
      if (name.startsWith(`${basename(target)}.`)) await unlink(join(dirname(target), name));
    for (const each of new Set([target, path])) await rm(each, { force: true });
  } catch (error) {
    if (getErrno(error) !== "ENOENT") throw unremovable(path, error);
  }
}

/**
 * Make kay's folder and the one for credentials in it, readable by nobody else. A home that does not exist is never created.
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

/** Whether {@link makeFolder} could work, without writing: asked when nothing is stored, to tell "not signed in" from "nowhere to keep it". */
export async function checkCredentialFolder(folder: string): Promise<void> {
  const [grand, above] = [dirname(dirname(dirname(folder))), dirname(dirname(folder))];
  for (const path of [folder, dirname(folder), above, grand]) {
    try {
      await access(path, constants.W_OK);
      return;
    } catch (error) {
      if (getErrno(error) !== "ENOENT" || path === grand)
        throw unwritableProblem(path === grand ? dirname(folder) : path, error);
    }
  }
}

/** Take away what others may do with a file and its folder. Windows keeps its own rules. Returns what could not be mended, or null. */
export function restrictPermissions(path: string): string | null {
  for (const [each, mode] of [
    [path, 0o600],
    [dirname(path), 0o700],
  ] as const) {
    try {
      if (statSync(each).mode & 0o077) chmodSync(each, mode);
    } catch (error) {
      return `${each} can be read by others and that could not be changed (${getErrno(error)}).`;
    }
  }
  return null;
}

/** The Problem for a file that is there and cannot be read: it is never taken for "nothing stored". */
function unreadable(path: string, error: unknown): Problem {
  return new Problem("STORE_UNREADABLE", `Cannot read ${path} (${getErrno(error)}).`, {
    hint: "Nothing was changed. Check its permissions and that it is a plain file, then try again.",
    details: { path, errno: getErrno(error) },
    cause: error,
  });
}

function unremovable(path: string, error: unknown): Problem {
  return new Problem("STORE_UNREADABLE", `Cannot remove ${path} (${getErrno(error)}).`, {
    hint: "Check the permissions of its folder, then try again.",
    details: { path, errno: getErrno(error) },
    cause: error,
  });
}

/** The Problem for a place that cannot be written. */
export function unwritableProblem(path: string, error: unknown): Problem {
  if (error instanceof Problem) return error;
  const set = "set KAY_CONFIG_DIR or XDG_CONFIG_HOME to a folder that can be written";
  return new Problem("STORE_UNREADABLE", `Cannot write ${path} (${getErrno(error)}): ${set}.`, {
    details: { path, errno: getErrno(error) },
    cause: error,
  });
}

async function behindLinks(path: string): Promise<string> {
  let target = path;
  for (let hops = 0; hops < 40; hops++) {
    const info = await lstat(target).catch(() => null);
    if (!info?.isSymbolicLink()) return target;
    target = resolve(dirname(target), await readlink(target));
  }
  throw unreadable(path, Object.assign(new Error("too many links"), { code: "ELOOP" }));
}

async function removeLeftOvers(target: string): Promise<void> {
  const folder = dirname(target);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(target)}.`) || !name.endsWith(".tmp")) continue;
    await unlink(join(folder, name)).catch(() => {});
  }
}

/** Windows refuses to rename over a file that somebody is just reading; the reader is gone a moment later. */
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

/** Some file systems, and Windows, cannot sync a folder; the rename itself is done then. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => null);
  if (!handle) return;
  await handle.sync().catch(() => {});
  await handle.close();
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/**
 * Write a file so that readers see the old one, none, or the whole new one; readable by this user alone.
 *
 * @param writer who writes it, where several processes may at the same time
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
