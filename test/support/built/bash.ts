import { spawn } from "node:child_process";
import type { Outcome } from "./run.ts";

/** Runs lines of bash as a script, with further shell arguments; stdin is empty. */
export function runBash(
  script: string,
  { env, cwd, options = [] }: { env: Record<string, string>; cwd: string; options?: string[] },
): Promise<Outcome> {
  return runProgram("bash", ["--noprofile", "--norc", ...options, "-c", script], { env, cwd });
}

/** Runs a program. */
export function runProgram(
  program: string,
  args: string[],
  options: { env: Record<string, string>; cwd: string },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.once("error", reject).once("close", (code) => resolve({ exit: code ?? 128, stdout, stderr }));
  });
}
