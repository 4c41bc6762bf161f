import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Problem } from "#protocol/errors";
import { type Check, type Finding, fail, ok, warn } from "./check.ts";
import type { CheckContext } from "./context.ts";

/** Free space in bytes below which space is low, and below which a database cannot work. */
const TIGHT = 500 * 1024 * 1024;
const FULL = 50 * 1024 * 1024;

/** Checks whether kay's folders are writable and have free space. */
export const dataCheck: Check = {
  id: "data",
  title: "Folders",
  async look(facts) {
    const { paths } = facts.machine;
    const places: [folder: string, variable: string][] = [
      [paths.config(), "KAY_CONFIG_DIR"],
      [paths.state(), "XDG_STATE_HOME"],
      ...((await isEmbedded(facts)) ? [[join(paths.data(), "embedded"), "XDG_DATA_HOME"] as [string, string]] : []),
    ];
    for (const [folder, variable] of places) {
      const errno = await findWriteFault(folder);
      if (errno) return fail(`${folder} is not writable (${errno}).`, `Set ${variable} to a writable directory.`);
    }
    const [folder] = places.at(-1) ?? [""];
    return checkFreeSpace(await readFreeBytes(folder), folder);
  },
};

/** Rates the free space; null if the file system does not report it. */
export function checkFreeSpace(bytes: number | null, folder: string): Finding {
  if (bytes === null) return ok(`${folder} can be written.`);
  const free = bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${Math.floor(bytes / 1024 ** 2)} MiB`;
  const says = `${folder} can be written, ${free} free.`;
  if (bytes < FULL)
    return fail(says, "Free some space on that disk, or move kay's folders with XDG_DATA_HOME and XDG_STATE_HOME.");
  if (bytes < TIGHT) return warn(says, "Free some space on that disk.");
  return ok(says);
}

async function isEmbedded(facts: CheckContext): Promise<boolean> {
  return facts.account().then(
    ({ embedded }) => embedded,
    (error: unknown) => {
      if (error instanceof Problem) return false;
      throw error;
    },
  );
}

/**
 * Returns the system's error code if a folder, or its nearest existing parent, is not writable; otherwise undefined.
 */
async function findWriteFault(folder: string): Promise<string | undefined> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" && dirname(folder) !== folder ? findWriteFault(dirname(folder)) : code;
  }
}

async function readFreeBytes(folder: string): Promise<number | null> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder);
    return blocks === 0 ? null : bavail * bsize;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(folder) === folder) throw error;
    return readFreeBytes(dirname(folder));
  }
}
