import { readFile } from "node:fs/promises";

/** The processes of this machine, to tell a lock whose holder still runs from one that was left behind. */
export type Processes = {
  /** This process. */
  pid: number;
  /** When a process started, in the system's own words ("" where the system does not tell); null when no such process runs. */
  started(pid: number): Promise<string | null>;
};

/**
 * The real processes: on Linux from /proc (a number used again by another process is noticed), elsewhere by asking whether it is alive.
 *
 * @param alive whether a signal could be sent to that process: `process.kill(pid, 0)` without its exception
 */
export function createProcesses(pid: number, alive: (pid: number) => boolean): Processes {
  return {
    pid,
    async started(of) {
      const line = await readFile(`/proc/${of}/stat`, "utf8").catch(() => null);
      if (line !== null) return startTime(line);
      const hasProc = await readFile("/proc/self/stat").then(
        () => true,
        () => false,
      );
      return !hasProc && alive(of) ? "" : null;
    },
  };
}

/** Field 22 of proc(5) stat; the name in parentheses may hold anything. A zombie runs no more. */
function startTime(line: string): string | null {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? "");
}
