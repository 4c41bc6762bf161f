import { readFile } from "node:fs/promises";

/** Processes of this machine, to detect locks whose process has ended. */
export type Processes = {
  /** ID of this process. */
  pid: number;
  /** Returns when a process started, as the system reports it ("" if it does not); null if it is not running. */
  getStartTime(pid: number): Promise<string | null>;
};

/**
 * Creates the real processes: on Linux from /proc, which reveals reused pids, elsewhere with a signal.
 *
 * @param alive whether `process.kill(pid, 0)` succeeds
 */
export function createProcesses(pid: number, alive: (pid: number) => boolean): Processes {
  return {
    pid,
    async getStartTime(of) {
      const line = await readFile(`/proc/${of}/stat`, "utf8").catch(() => null);
      if (line !== null) return parseStartTime(line);
      const hasProc = await readFile("/proc/self/stat").then(
        () => true,
        () => false,
      );
      return !hasProc && alive(of) ? "" : null;
    },
  };
}

/** Returns field 22 of proc(5) stat. The name in parentheses may contain anything. A zombie is not running. */
function parseStartTime(line: string): string | null {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? "");
}
