import { randomBytes } from "node:crypto";
import { chown, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { getErrno } from "#files/folders";
import type { Machine } from "#files/processes";
import { Problem } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import { MAJOR, ROLE } from "./account.ts";
import type { PostgresArea } from "./area.ts";
import { bootstrapData, requireSuccess } from "./bootstrap.ts";
import { runCommand } from "./command.ts";
import { createPassword, getPasswordFile } from "./password.ts";

/**
 * Creates the data folder if it is missing: under a temporary name, renamed when complete. Moves an incomplete folder
 * aside. The caller must hold the start lock.
 *
 * @throws Problem DATABASE_UNAVAILABLE if the data belongs to another Postgres version
 */
export async function ensureData(area: PostgresArea, bin: string, machine: Machine, log: Log): Promise<void> {
  const state = await inspectData(area.data);
  if (state === "whole") return;
  if (state === "broken") {
    const aside = `${area.data}.broken-${randomBytes(4).toString("hex")}`;
    await rename(area.data, aside);
    log("warn", "database.unfinished_data_moved", { from: area.data, to: aside });
  }
  const leftovers = (await readdir(area.folder)).filter((name) => name.startsWith("data.new-"));
  for (const name of leftovers) await rm(join(area.folder, name), { recursive: true, force: true });
  const temporary = `${area.data}.new-${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(temporary, { mode: 0o700 });
    if (area.account !== undefined) await chown(temporary, area.account.uid, area.account.gid);
    const password = await createPassword(area);
    // Root's Postgres has a user without a name.
    const isNew = area.account === undefined && (await runInitdb(area, bin, temporary, machine));
    if (!isNew) await bootstrapData(area, bin, temporary, { machine, password });
    await rename(temporary, area.data);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function inspectData(data: string): Promise<"none" | "broken" | "whole"> {
  const version = await readFile(join(data, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version !== undefined && version.trim() !== MAJOR) {
    const message = `The database in ${data} was created by Postgres ${version.trim().slice(0, 8)}, but this version of kay uses Postgres ${MAJOR}.`;
    throw new Problem("DATABASE_UNAVAILABLE", message, {
      hint: "Move the folder away, or set DATABASE_URL to a running Postgres server.",
    });
  }
  const control = await stat(join(data, "global", "pg_control")).catch(() => undefined);
  if (version !== undefined && control !== undefined && control.size > 0) return "whole";
  const entries = await readdir(data).catch((error) => {
    if (getErrno(error) === "ENOENT") return undefined;
    throw error;
  });
  return entries === undefined ? "none" : "broken";
}

/** Runs `initdb`. Returns false if it refuses this user, because the system has no name for it. */
async function runInitdb(area: PostgresArea, bin: string, data: string, machine: Machine): Promise<boolean> {
  const args = ["-D", data, "-U", ROLE, "--encoding=UTF8", "--no-locale", "--no-instructions"];
  args.push("--auth=scram-sha-256", `--pwfile=${getPasswordFile(area)}`);
  const result = await runCommand(join(bin, "initdb"), args, area, machine);
  if (/could not look up effective user ID/.test(result.output)) return false;
  requireSuccess(area, result);
  return true;
}
