import { type ChildProcess, spawn } from "node:child_process";
import { getErrno } from "#files/folders";
import type { Machine } from "#files/processes";
import { Problem } from "#protocol/errors";
import type { PostgresArea } from "./area.ts";

const TIME_LIMIT_MS = 60_000;
const OUTPUT_LIMIT = 10_000;

/** A running program of Postgres, and the end of its output. */
export type RunningCommand = { child: ChildProcess; output(): string };

/** Starts a program as the user of Postgres. */
export function spawnCommand(
  command: string,
  args: string[],
  { account, folder }: PostgresArea,
  machine: Machine,
): RunningCommand {
  const child = spawn(command, args, {
    ...account,
    cwd: folder,
    env: machine.env,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: TIME_LIMIT_MS,
    windowsHide: true,
  });
  let output = "";
  const gather = (chunk: Buffer) => {
    output = (output + chunk.toString("utf8")).slice(-OUTPUT_LIMIT);
  };
  child.stdout.on("data", gather);
  child.stderr.on("data", gather);
  // A program that ends early closes its input; its exit code says why.
  child.stdin.on("error", () => undefined);
  child.on("error", () => undefined);
  return { child, output: () => output };
}

/**
 * Runs a program as the user of Postgres, until it ends or a minute is over.
 *
 * @param input text for its standard input
 * @throws Problem DATABASE_UNAVAILABLE if it cannot run on this machine
 */
export function runCommand(
  command: string,
  args: string[],
  area: PostgresArea,
  machine: Machine,
  input = "",
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const { child, output } = spawnCommand(command, args, area, machine);
    child.once("error", (cause) => reject(cannotRunProblem(cause)));
    child.once("close", (code) => resolve({ code, output: output() }));
    child.stdin?.end(input);
  });
}

/** Creates the error for a program of Postgres that failed, with the next step if the disk is full. */
export function failedProblem(message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
  const isFull = /No space left|quota exceeded/i.test(message);
  const hint = isFull ? { hint: "Nothing was changed. Free some space on that disk, then try again." } : {};
  return new Problem("DATABASE_UNAVAILABLE", message, { ...options, ...hint });
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
    { cause },
  );
}
