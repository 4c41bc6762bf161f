import { randomUUID } from "node:crypto";
import { lstat, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import { checkFileName } from "../ask/text-file.ts";

/**
 * The destination of a text: it replaces a regular file, also through symbolic links, or is written into a device or a
 * pipe.
 */
export type OutputTarget = { path: string; label: string; kind: "file" | "other"; mode?: number };

/**
 * Opens and tests the destination: creates a file beside it and removes it again.
 * @throws Problem USAGE if it cannot be written
 */
export async function openOutputTarget(cwd: string, name: string): Promise<OutputTarget> {
  const label = JSON.stringify(toLine(name));
  const requested = resolve(cwd, checkFileName(name));
  try {
    const stats = await stat(requested).catch(ignoreMissing);
    if (stats?.isDirectory()) throw new Problem("USAGE", `${label} is a folder.`, { hint: "Specify a file in it." });
    if (stats && !stats.isFile()) return { path: requested, label: label, kind: "other" };
    const path = await follow(requested);
    const target: OutputTarget = { path, label: label, kind: "file", ...(stats ? { mode: stats.mode & 0o7777 } : {}) };
    if (stats) await (await open(path, "r+")).close();
    await rm(await createFile(target, ""));
    return target;
  } catch (error) {
    throw toWriteProblem(error, label);
  }
}

/** Writes the text, a file atomically. @throws the system's error */
export async function writeOutput(target: OutputTarget, text: string): Promise<void> {
  if (target.kind === "other") {
    const file = await open(target.path, "w");
    return file.writeFile(text).finally(() => file.close());
  }
  const path = await createFile(target, text);
  await rename(path, target.path).catch(async (error: unknown) => {
    await rm(path, { force: true });
    throw error;
  });
}

/** Follows symbolic links, even to a missing file: the link stays, and its target is written. */
async function follow(path: string, depth = 0): Promise<string> {
  const realPath = await realpath(path).catch(ignoreMissing);
  if (realPath !== null) return realPath;
  const link = await lstat(path).catch(ignoreMissing);
  if (!link?.isSymbolicLink() || depth > 20) return join(await realpath(dirname(path)), basename(path));
  return follow(resolve(dirname(path), await readlink(path)), depth + 1);
}

/** Writes the text to a new file beside the one it replaces, with the same permissions. */
async function createFile({ path, mode }: OutputTarget, text: string): Promise<string> {
  const beside = join(dirname(path), `.kay-${randomUUID()}`);
  const file = await open(beside, "wx", mode ?? 0o666);
  try {
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return beside;
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

function toWriteProblem(error: unknown, label: string): Problem {
  if (error instanceof Problem) return error;
  const { code = "unknown" } = error as NodeJS.ErrnoException;
  return new Problem("USAGE", `Could not write ${label} (${code}).`, { hint: "Choose another file.", cause: error });
}
