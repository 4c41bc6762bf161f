import { spawn } from "node:child_process";
import type { LaunchCommand } from "./terminal/browser.ts";

/** Without the terminal's streams, so that a text browser cannot take the keyboard; whether it succeeds cannot be known. */
export function launchProgram({ command, args }: LaunchCommand): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    // Some faults (ENOTDIR, E2BIG) are thrown, which rejects; the others are told by the event.
    const child = spawn(command, args, { stdio: "ignore", detached: true, windowsHide: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  }).catch(() => false);
}
