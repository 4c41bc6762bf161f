import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getErrno } from "#files/errno";
import type { Machine } from "#files/machine";
import { Problem } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import type { PostgresArea } from "./area.ts";

/** Major version of the binaries. Postgres cannot open data of another major version. */
const MAJOR = "18";
const INIT_LIMIT_MS = 60_000;

/** Role and database of the embedded Postgres. */
export const ROLE = "kay";

/**
 * Creates the data folder if it is missing: under a temporary name, renamed when complete. Moves an incomplete folder
 * aside. The caller must hold the start lock.
 *
 * @throws Problem DATABASE_UNAVAILABLE if the data belongs to another Postgres version
 */
export async function ensureData(area: PostgresArea, bin: string, machine: Machine, log: Log): Promise<void> {
  const found = await inspectData(area.data);
  if (found === "whole") return;
  if (found === "broken") {
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
    await runInitdb(area, bin, temporary, machine);
    await rename(temporary, area.data);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Returns the database password. Only Windows has one, because only there Postgres listens on TCP; elsewhere the mode
 * of the socket folder protects it.
 */
export async function readPassword(area: PostgresArea): Promise<string | undefined> {
  return area.socket === "" ? readFile(join(area.folder, "password"), "utf8") : undefined;
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

async function runInitdb(area: PostgresArea, bin: string, data: string, machine: Machine): Promise<void> {
  const args = ["-D", data, "-U", ROLE, "--encoding=UTF8", "--no-locale", "--no-instructions"];
  if (area.socket === "") {
    const file = join(area.folder, "password");
    await writeFile(file, randomBytes(24).toString("base64url"), { mode: 0o600 });
    args.push("--auth=scram-sha-256", `--pwfile=${file}`);
  } else {
    args.push("--auth=trust");
  }
  const { code, output } = await runCommand(join(bin, "initdb"), args, area, machine);
  if (code !== 0) {
    const line =
      output.split("\n").find((text) => /error|fatal|could not/i.test(text)) ??
      (code === null ? "it timed out" : `exit code ${code}`);
    throw new Problem("DATABASE_UNAVAILABLE", `Could not create a database in ${area.folder}: ${line.trim()}.`);
  }
}

function runCommand(
  command: string,
  args: string[],
  area: PostgresArea,
  machine: Machine,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...area.account,
      cwd: area.folder,
      env: machine.env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: INIT_LIMIT_MS,
      windowsHide: true,
    });
    let output = "";
    const gather = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-10_000);
    };
    child.stdout.on("data", gather);
    child.stderr.on("data", gather);
    child.once("error", (cause) => reject(cannotRunProblem(cause)));
    child.once("close", (code) => resolve({ code, output }));
  });
}

/**
 * Words a failed start of a binary. The file exists, so ENOENT means its loader: a system without glibc, such as
 * Alpine.
 */
export function cannotRunProblem(cause: Error): Problem {
  const because = getErrno(cause) === "ENOENT" ? "this system has no glibc" : getErrno(cause);
  return new Problem(
    "DATABASE_UNAVAILABLE",
    `The embedded Postgres cannot run on this machine (${because}), so DATABASE_URL is required.`,
    {
      cause,
    },
  );
}
