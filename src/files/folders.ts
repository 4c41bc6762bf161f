import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Problem } from "#protocol/errors";
import { getErrno } from "./errno.ts";

/**
 * Make a folder for kay's files, for this user alone. Never makes a folder in the root of the file system: a home folder that does not
 * exist (a container with a random user) is not kay's to create (case S14).
 *
 * @throws Problem STORE_UNREADABLE with the path, the system's code and the variable to set
 */
export function ensurePrivateFolder(folder: string, variable = "KAY_CONFIG_DIR"): void {
  if (exists(folder)) return;
  if (isRoot(nearestExisting(dirname(folder)))) throw unusableProblem(folder, "ENOENT", variable);
  try {
    makePrivateFolders(folder);
  } catch (error) {
    throw unusableProblem(folder, getErrno(error), variable, error);
  }
}

/**
 * Make a folder and those above it, for this user alone. Step by step, since Node's own `recursive` never ends where the system says ENOENT
 * below a folder that is there (/proc, automounts).
 */
export function makePrivateFolders(folder: string): void {
  if (isFolder(folder)) return;
  if (!exists(dirname(folder))) makePrivateFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (getErrno(error) !== "EEXIST" || !isFolder(folder)) throw error;
  }
}

/** Files at `path` cannot be kept: one line with the path, the system's code and the variable that moves them elsewhere. */
export function unusableProblem(path: string, errno: string, variable: string, cause?: unknown): Problem {
  return new Problem("STORE_UNREADABLE", `Cannot write ${path} (${errno}).`, {
    hint: `Set ${variable} to a writable directory.`,
    details: { path, errno },
    cause,
  });
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function nearestExisting(folder: string): string {
  return isRoot(folder) || exists(folder) ? folder : nearestExisting(dirname(folder));
}

function isRoot(folder: string): boolean {
  return dirname(folder) === folder;
}
