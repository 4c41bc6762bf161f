import { spawn } from "node:child_process";
import type { Writable } from "node:stream";

/**
 * Put the terminal right also when this process is killed at once (`kill -9`): a shell in a session of its own, which no job control
 * stops, waits until it is told that all is well, or until this process is gone. To be started some 10 ms before the terminal is made raw,
 * so that it sees how it was; else it gives back what raw mode usually takes. Where there is no shell, or no `stty`, nothing happens.
 *
 * @param off what ends the terminal's modes
 * @returns tells it that the terminal was put right
 */
export function startWatchdog(off: string, env: Record<string, string | undefined>): () => void {
  const child = spawn("/bin/sh", ["-c", SCRIPT], {
    stdio: ["inherit", "inherit", "ignore", "pipe"],
    detached: true,
    cwd: "/",
    env: { PATH: env.PATH ?? "/usr/bin:/bin", OFF: off, LC_ALL: "C" },
  });
  const pipe = child.stdio[3] as Writable & { unref?(): void };
  child.on("error", () => {});
  pipe.on("error", () => {});
  child.unref();
  pipe.unref?.();
  return () => void pipe.end("done\n");
}

/**
 * The modes are set back only where the terminal is still raw (no keys that signal): a shell that noticed first has its own by then. What
 * is written comes first for the same reason. What is left of the frame below the cursor is erased.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
saved=$(stty -g) || exit 0
case $(stty -a) in *-isig*) saved='brkint icrnl ixon echo icanon iexten isig' ;; esac
read -r word <&3
[ "$word" = done ] && exit 0
printf '%s\\033[J' "$OFF"
case $(stty -a) in *-isig*) stty $saved ;; esac
`;
