import { spawn } from "node:child_process";
import type { Machine } from "#files/machine";

/** What ending programs needs of the machine. */
export type ProgramMachine = Pick<Machine, "kill" | "platform">;

/**
 * Signals a program and its children. On Windows, which has no process groups, every signal ends the tree by force; the
 * program itself must still run then.
 */
export function signalTree({ kill, platform }: ProgramMachine, pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (platform === "win32") {
    const options = { stdio: "ignore", windowsHide: true } as const;
    spawn("taskkill", ["/pid", String(pid), "/t", "/f"], options).on("error", () => {});
    return;
  }
  try {
    kill(-pid, signal);
  } catch {
    // The group has already exited.
  }
}
