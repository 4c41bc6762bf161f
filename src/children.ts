import { execFile, spawn } from "node:child_process";
import { accessSync, closeSync, constants, openSync, renameSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { makePrivateFolders } from "#files/folders";
import { Problem } from "#protocol/errors";

/** Size in bytes above which the local backend's log is rotated before the next start. */
const LOG_LIMIT = 5 * 1024 * 1024;

/** Whether a process with this ID runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns the path of a program on the PATH, or null. */
export function findProgram(program: string): string | null {
  for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not there.
    }
  }
  return null;
}

/**
 * Limits V8's young generation, which otherwise grows to 48 MB. `kay serve` keeps V8's default, which saves a third of
 * the CPU time with many users.
 */
const YOUNG_GENERATION = "--max-semi-space-size=2";

/** Starts the local backend as a detached process that writes to `log`. */
export function spawnBackend(
  log: string,
  profile: string,
  { sandbox = false } = {},
): { waitForExit(): Promise<number | null> } {
  const output = openLog(log);
  const entry = process.argv[1] ?? "";
  const child = spawn(
    process.execPath,
    [YOUNG_GENERATION, entry, "serve", "--embedded", "--profile", profile, ...(sandbox ? ["--sandbox"] : [])],
    { stdio: ["ignore", output, output], detached: true, windowsHide: true, cwd: dirname(log) },
  );
  closeSync(output);
  child.unref();
  return {
    waitForExit: () =>
      new Promise((resolve) => {
        child.once("error", () => resolve(null));
        child.once("exit", (code) => resolve(code));
      }),
  };
}

/** Time limit of a system program, in ms. */
const PROGRAM_LIMIT_MS = 60_000;

/** Runs a system program until it ends. Its output is at most a few lines. */
export function runProgram(
  program: string,
  args: string[],
  signal: AbortSignal,
): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve) => {
    const options = { signal, timeout: PROGRAM_LIMIT_MS, windowsHide: true, maxBuffer: 1024 * 1024 };
    const child = execFile(program, args, options, (error, _, stderr) =>
      resolve({ code: error ? child.exitCode : 0, stderr: stderr || (error?.message ?? "") }),
    );
  });
}

/** Starts `checkForUpdate` of this bundle as a detached process. */
export function spawnUpdateCheck(main: string): void {
  const args = ["--input-type=commonjs", "--eval", "require(process.argv[1]).checkForUpdate()", main];
  const child = spawn(process.execPath, args, {
    stdio: "ignore",
    detached: true,
    windowsHide: true,
    cwd: dirname(main),
  });
  child.once("error", () => {}); // The next check is tomorrow.
  child.unref();
}

function openLog(log: string): number {
  try {
    makePrivateFolders(dirname(log));
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT) renameSync(log, `${log}.1`);
    return openSync(log, "a", 0o600);
  } catch (error) {
    throw new Problem("STORE_UNREADABLE", `Could not write ${log} (${(error as NodeJS.ErrnoException).code}).`, {
      hint: "Set XDG_STATE_HOME to a writable folder.",
      cause: error,
    });
  }
}
