import spawn from "cross-spawn";
import type { LaunchCommand } from "./browser.ts";

/**
 * Runs a program on this terminal until it ends, never through a shell; on Windows also a `.cmd` script. With `input`,
 * it reads that instead of the keyboard, and with `quiet` it prints nothing.
 *
 * @returns its exit code, or null if it could not be started
 */
export function runOnTerminal(
  { command, args }: LaunchCommand,
  {
    input,
    quiet = false,
    env,
    signal,
  }: { input?: string | Buffer; quiet?: boolean; env?: NodeJS.ProcessEnv; signal?: AbortSignal } = {},
): Promise<number | null> {
  const output = quiet ? "ignore" : "inherit";
  return new Promise<number | null>((resolve) => {
    const child = spawn(command, args, {
      stdio: [input === undefined ? "inherit" : "pipe", output, output],
      ...(env ? { env } : {}),
    });
    const end = () => void child.kill();
    const finish = (code: number | null) => {
      signal?.removeEventListener("abort", end);
      resolve(code);
    };
    signal?.addEventListener("abort", end, { once: true });
    child.once("error", () => finish(null));
    child.once("exit", (code) => finish(code ?? 1));
    // A program that ends early does not need the rest.
    child.stdin?.on("error", () => {}).end(input);
  }).catch(() => null);
}
