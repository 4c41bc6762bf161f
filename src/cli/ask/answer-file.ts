import { randomUUID } from "node:crypto";
import { lstat, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Problem } from "#protocol/errors";
import { line } from "#ui/words";
import type { Kay } from "../kay.ts";

/** Where an answer goes: over an ordinary file, or into what is there (a device, a pipe). */
type Target = { path: string; shown: string; kind: "file" | "other"; mode?: number };

/**
 * Have the answer written into a file instead of to stdout: whole, when there is one, and otherwise not at all. Whether it can be written is
 * found out before `work` begins. What ends with another exit code than 0 is no answer: it is told on stdout, as without a file.
 *
 * @param name as given; without one, and for stdout's own names, nothing is different
 * @throws Problem USAGE where it cannot be written, and whatever `work` throws
 */
export async function answeringInto(kay: Kay, name: string | undefined, work: () => Promise<void>): Promise<void> {
  if (name === undefined || STDOUT.has(name)) return work();
  const target = await targetOf(resolve(kay.cwd, name), JSON.stringify(line(name)));
  const { stdout } = kay.terminal;
  const answer: string[] = [];
  kay.terminal.stdout = { ...stdout, isTerminal: false, write: (text) => void answer.push(text) };
  try {
    await work();
  } finally {
    kay.terminal.stdout = stdout;
  }
  if (kay.exit === 0 && !kay.signal.aborted) await write(target, answer.join(""));
  else if (answer.length > 0) stdout.write(answer.join(""));
}

/** Found, and tried: a file is made beside it and taken away again. */
async function targetOf(given: string, shown: string): Promise<Target> {
  try {
    const there = await stat(given).catch(nullWhenMissing);
    if (there?.isDirectory()) throw new Problem("USAGE", `${shown} is a folder.`, { hint: "Name a file in it." });
    if (there && !there.isFile()) return { path: given, shown, kind: "other" };
    const path = await followed(given);
    const target: Target = { path, shown, kind: "file", ...(there ? { mode: there.mode & 0o7777 } : {}) };
    if (there) await (await open(path, "r+")).close();
    await rm(await made(target, ""));
    return target;
  } catch (error) {
    throw asProblem(error, shown);
  }
}

/** Through symbolic links, also to what is not there yet: the link stays, and what it leads to is written. */
async function followed(path: string, depth = 0): Promise<string> {
  const whole = await realpath(path).catch(nullWhenMissing);
  if (whole !== null) return whole;
  const link = await lstat(path).catch(nullWhenMissing);
  if (!link?.isSymbolicLink() || depth > 20) return join(await realpath(dirname(path)), basename(path));
  return followed(resolve(dirname(path), await readlink(path)), depth + 1);
}

async function write(target: Target, text: string): Promise<void> {
  try {
    if (target.kind === "other") {
      const file = await open(target.path, "w");
      await file.writeFile(text).finally(() => file.close());
      return;
    }
    const path = await made(target, text);
    await rename(path, target.path).catch(async (error: unknown) => {
      await rm(path, { force: true });
      throw error;
    });
  } catch (error) {
    throw asProblem(error, target.shown);
  }
}

/** The text in a new file beside the one it is to replace, as that is readable to others. */
async function made({ path, mode }: Target, text: string): Promise<string> {
  const beside = join(dirname(path), `.kay-answer-${randomUUID()}`);
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

function nullWhenMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

function asProblem(error: unknown, shown: string): Problem {
  if (error instanceof Problem) return error;
  const { code = "unknown" } = error as NodeJS.ErrnoException;
  return new Problem("USAGE", `${shown} cannot be written (${code}).`, { hint: "Give another file.", cause: error });
}

const STDOUT = new Set(["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]);
