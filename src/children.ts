import { execFile, spawn } from "node:child_process";
import { accessSync, closeSync, constants, openSync, renameSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { makePrivateFolders } from "#files/folders";
import { Problem } from "#protocol/errors";

/** Size in bytes above which the local backend's log is rotated before the next start. */
const LOG_LIMIT = 5 * 1024 * 1024;

/** Whether a process of this id runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns the path of a program on the PATH; null if there is none. */
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
 * Keeps the memory of a local backend small: otherwise, V8 lets young garbage grow to 48 MB. That saves a third of the
 * processor time under the load of many users, so it is not set for `kay serve`.
 */
const YOUNG_GENERATION = "--max-semi-space-size=2";

/** Starts kay's own backend as a detached process. Its output goes to this log. */
export function spawnBackend(
  log: string,
  profile: string,
  { sandbox = false } = {},
): { waitForExit(): Promise<number | null> } {
  const output = openLog(log);
  const entry = process.argv[1] ?? "";
  const options = { stdio: ["ignore", output, output] as const, detached: true, windowsHide: true, cwd: dirname(log) };
  const child = spawn(
    process.execPath,
    [YOUNG_GENERATION, entry, "serve", "--embedded", "--profile", profile, ...(sandbox ? ["--sandbox"] : [])],
    {
      ...options,
      stdio: [...options.stdio],
    },
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

/** Milliseconds that a program of the system may take. */
const PROGRAM_LIMIT = 60_000;

/** Runs a program of the system until it ends. Its output is at most a few lines. */
export function runProgram(
  program: string,
  args: string[],
  signal: AbortSignal,
): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve) => {
    const options = { signal, timeout: PROGRAM_LIMIT, windowsHide: true, maxBuffer: 1024 * 1024 };
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
  child.once("error", () => {}); // Tomorrow tries again.
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
