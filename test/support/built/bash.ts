import { spawn } from "node:child_process";
import type { Outcome } from "./run.ts";

/** Run lines of bash as a script, with what a shell of that kind is started with besides; nothing is on stdin. */
export function runBash(
  script: string,
  { env, cwd, options = [] }: { env: Record<string, string>; cwd: string; options?: string[] },
): Promise<Outcome> {
  return runProgram("bash", ["--noprofile", "--norc", ...options, "-c", script], { env, cwd });
}

/** Run a program to its end. */
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
