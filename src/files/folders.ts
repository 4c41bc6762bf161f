import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Problem } from "#protocol/errors";

/**
 * Creates a folder for kay's files, accessible only to this user. Never creates a folder in the root: a missing home
 * folder, as in a container with an arbitrary user, is not kay's to create.
 *
 * @throws Problem STORE_UNREADABLE with the path, the system's code and the variable to set
 */
export function ensurePrivateFolder(folder: string, variable = "KAY_CONFIG_DIR"): void {
  try {
    if (pathExists(folder)) return;
    if (isRoot(findNearestExisting(dirname(folder)))) throw unusableProblem(folder, "ENOENT", variable);
    makePrivateFolders(folder);
  } catch (error) {
    throw error instanceof Problem ? error : unusableProblem(folder, getErrno(error), variable, error);
  }
}

/**
 * Creates a folder and its parents, accessible only to this user. Works step by step, because Node's `recursive` loops
 * forever if the system reports ENOENT inside an existing folder (/proc, automounts).
 */
export function makePrivateFolders(folder: string): void {
  if (isFolder(folder)) return;
  if (!pathExists(dirname(folder))) makePrivateFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (getErrno(error) !== "EEXIST" || !isFolder(folder)) throw error;
  }
}

/**
 * Creates the error for files that cannot be stored at `path`.
 *
 * @param variable environment variables that move the files, in words
 */
export function unusableProblem(path: string, errno: string, variable: string, cause?: unknown): Problem {
  const isFull = ["ENOSPC", "EDQUOT", "EFBIG"].includes(errno);
  const reason = isFull ? "the disk or your quota on it is full, " : "";
  return new Problem("STORE_UNREADABLE", `Could not write ${path} (${reason}${errno}).`, {
    hint: isFull ? "Nothing was changed. Free some space, then try again." : `Set ${variable} to a writable directory.`,
    details: { path, errno },
    cause,
  });
}

function pathExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function findNearestExisting(folder: string): string {
  return isRoot(folder) || pathExists(folder) ? folder : findNearestExisting(dirname(folder));
}

function isRoot(folder: string): boolean {
  return dirname(folder) === folder;
}

/** Returns the code of a system error (`ENOENT`) or the SQLSTATE of a Postgres error; "unknown" for any other value. */
export function getErrno(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && code !== "" ? code : "unknown";
}
